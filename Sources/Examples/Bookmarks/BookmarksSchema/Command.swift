import Foundation
import Storekeeper

/// The store that the command line names: its one argument. Ends the program with 0 for `--help`, and with 2 and the usage for another line.
public func storeArgument() -> URL {
    let name = URL(fileURLWithPath: CommandLine.arguments.first ?? "bookmarks").lastPathComponent
    do {
        let words = try ProgramArguments.read()
        if words.first == "--help" || words.first == "-h" {
            print("usage: \(name) STORE")
            exit(0)
        }
        if words.count == 1, let path = words.first, !path.isEmpty { return URL(fileURLWithPath: path) }
        complain("usage: \(name) STORE")
    } catch {
        complain("\(name): \(error)")
    }
    exit(2)
}

/// Says why the program ends, and gives its exit status: 4 where the store has become too new for this release, as `storectl` has it, else 1.
public func ending(_ error: any Error) -> Int32 {
    complain("\(error)")
    return storeError(beneath: error)?.code == .storeTooNew ? 4 : 1
}

/// What the store had against it: the cause of what a context reports.
private func storeError(beneath error: any Error) -> StoreError? {
    error as? StoreError ?? (error as? SwiftDataError)?.cause.flatMap(storeError(beneath:))
}

private func complain(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
