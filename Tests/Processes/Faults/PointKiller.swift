#if STORE_FAULTS
import Foundation
import ProcessHarness
import StoreSQLite
import Testing

/// Runs a program on copies of one store, killed after the points that it passes, one run for each.
struct PointKiller {
    enum Points {
        /// After every statement, step of a backup and system call.
        case all
        /// After those that change a file or a database: between two of them a kill finds what the one before has left.
        case changes
    }

    /// The store, that nobody has open; there may be none.
    let original: String
    let product: Product
    /// What the program is told, for the store of this path.
    let arguments: (String) -> [String]

    /// - Parameter examine: what must hold after each kill; gets the store and, for messages, the point.
    /// - Returns: how many times the program was killed.
    func run(after wanted: Points, examine: (_ store: String, _ comment: Comment) throws -> Void) throws -> Int {
        let points = try points().filter { wanted == .all || Self.changes($0.text) }
        var missed = 0
        for point in points {
            let (program, folder) = try start("\(point.number)")
            let ending = try program.wait(within: 120)
            let told = program.errors.lines.first { $0.hasPrefix("point ") } ?? ""
            let comment = Comment(rawValue: "killed after \(told)")
            // The thread that copies the log may find nothing to do where it did in the run that was told of: then the last points of that
            // run are not come to, and the program has ended by itself.
            if ending == .exit(0), told.isEmpty, Double(point.number) > 0.95 * Double(points.last?.number ?? 0) {
                missed += 1
                try examine(folder("shop.store"), "ended before point \(point.number)")
                continue
            }
            #expect(ending == .signal(SIGKILL) && told.hasPrefix("point \(point.number): "), "\(point): \(ending)\n\(program.transcript)")
            try examine(folder("shop.store"), comment)
        }
        return points.count - missed
    }

    /// Every point that the program passes from its beginning to its end.
    private func points() throws -> [(number: Int, text: String)] {
        let (program, folder) = try start("tell")
        let ending = try program.wait(within: 120)
        #expect(ending == .exit(0), "\(program.transcript)")
        withExtendedLifetime(folder) {}
        return program.errors.lines.compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].hasPrefix("point "), let number = Int(parts[0].dropFirst(6)) else { return nil }
            return (number, parts[1].trimmingCharacters(in: .whitespaces))
        }
    }

    private func start(_ order: String) throws -> (Program, TemporaryFolder) {
        let folder = try TemporaryFolder(in: Self.memory)
        if FileManager.default.fileExists(atPath: original) { try copyStore(original, to: folder("shop.store")) }
        return (try Program(product, arguments(folder("shop.store")), launcher: ["/usr/bin/env", "STORE_POINTS=\(order)"]), folder)
    }

    /// The memory file system where there is one: thousands of stores are made and thrown away.
    static let memory = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()

    private static func changes(_ point: String) -> Bool {
        let word = point.prefix { !$0.isWhitespace }
        let questions = [
            "SELECT", "open", "read", "stat", "lstat", "fstat", "statfs", "eventfd", "epoll_create1", "epoll_ctl", "socket", "getrandom",
        ]
        return !questions.contains(String(word)) && !(word == "PRAGMA" && !point.contains("="))
    }
}
#endif
