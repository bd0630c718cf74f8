import Foundation

/// The programs of this package, built together with the tests and found beside them.
package enum Product: String, Sendable {
    case notesd
    case reader = "notes-reader"
    case storectl
    case storekeeperd
    case bench = "store-bench"
    case bookmarksOwner = "bookmarks-owner"
    case bookmarksReader = "bookmarks-reader"
    case bookmarksWatcher = "bookmarks-watcher"
    case faultActor = "fault-actor"

    /// Where it is; throws when it was not built.
    package var path: String {
        get throws {
            let path = "\(Product.folder)/\(rawValue)"
            guard access(path, X_OK) == 0 else {
                throw HarnessError("\(path) is not there: build all products with 'swift build --build-tests' first")
            }
            return path
        }
    }

    private static let folder: String = {
        let itself = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: itself).deletingLastPathComponent().path
    }()
}

/// Runs a product to its end.
package func run(
    _ product: Product, _ arguments: String..., launcher: [String] = [], within seconds: Double = 60
) throws -> Outcome {
    try run(product, arguments, launcher: launcher, within: seconds)
}

/// Runs a product to its end.
package func run(
    _ product: Product, _ arguments: [String], launcher: [String] = [], within seconds: Double = 60
) throws -> Outcome {
    let program = try Program(product, arguments, launcher: launcher)
    let ending = try program.wait(within: seconds)
    return Outcome(ending: ending, output: program.output.lines, errors: program.errors.lines)
}

/// What a program that ran to its end left.
package struct Outcome: CustomStringConvertible {
    package var ending: Ending
    package var output: [String]
    package var errors: [String]

    /// For messages of tests.
    package var description: String {
        (["\(ending)"] + output.map { "  | " + $0 } + errors.map { "  ! " + $0 }).joined(separator: "\n")
    }
}
