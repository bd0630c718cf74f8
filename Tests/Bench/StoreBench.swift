import Foundation
import ProcessHarness

/// Measures what Storekeeper promises, with the programs beside it, and prints each figure with its budget.
///
/// Called by `scripts/bench`, which builds everything first.
@main struct StoreBench {
    static func main() {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            let isQuick = arguments.contains("--quick")
            guard let handwritten = arguments.last, FileManager.default.isExecutableFile(atPath: handwritten) else {
                throw HarnessError("usage: store-bench [--quick] PATH-OF-notes-migration: run scripts/bench")
            }
            // The script that calls this removes it, whatever happens.
            let folder = try TemporaryFolder()
            let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ").first ?? "unknown"
            let place = "in \(folder.path), \(ProcessInfo.processInfo.activeProcessorCount) processors, load \(load)\n"
            FileHandle.standardOutput.write(Data(place.utf8))
            var isOver = false
            func report(_ figures: [Figure]) {
                for figure in figures {
                    FileHandle.standardOutput.write(Data("\(figure.line)\n".utf8))
                    isOver = isOver || figure.isOver
                }
            }
            let notes = try NotesFixture(in: folder, count: 300)
            report(try wakeUpFigures(notes))
            report(try shellFigures(notes))
            report(try versionCheckFigures(notes))
            report(try migrationFigures(in: folder, handwritten: handwritten, isQuick: isQuick))
            exit(isOver ? 1 : 0)
        } catch {
            FileHandle.standardError.write(Data("store-bench: \(error)\n".utf8))
            exit(2)
        }
    }
}
