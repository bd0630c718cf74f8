import Foundation
import ProcessHarness

/// Measures what Storekeeper promises, with the programs beside it, and prints each figure with its budget.
///
/// Called by `scripts/bench`, which builds everything first; and by itself for each store that is made and each stage that is measured,
/// which are processes of their own.
@main struct StoreBench {
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == "--host" { try CrowdHost.run(Array(arguments.dropFirst())) }
            if arguments.count == 4, arguments[0] == "--make", let stage = MeasuredStage(rawValue: arguments[1]),
                let rows = Int(arguments[2])
            {
                try stage.make(arguments[3], rows: rows)
                print("made")
            } else if arguments.count == 4, arguments[0] == "--migrate", let stage = MeasuredStage(rawValue: arguments[1]) {
                print(try stage.migrate(arguments[3], withBackup: arguments[2] == "backup").line)
            } else {
                exit(try measure(arguments) ? 0 : 1)
            }
        } catch {
            FileHandle.standardError.write(Data("store-bench: \(error)\n".utf8))
            exit(2)
        }
    }

    /// - Returns: whether every figure is within its budget.
    private static func measure(_ arguments: [String]) throws -> Bool {
        let programs = arguments.filter { !$0.hasPrefix("--") }
        guard programs.count == 2, programs.allSatisfy(FileManager.default.isExecutableFile(atPath:)) else {
            throw HarnessError("usage: store-bench [--quick|--stages|--crowd] PATH-OF-notes-migration PATH-OF-stages: run scripts/bench")
        }
        // The script that calls this removes it, whatever happens.
        let folder = try TemporaryFolder()
        let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ").first ?? "unknown"
        write("in \(folder.path), \(ProcessInfo.processInfo.activeProcessorCount) processors, load \(load)")
        var isOver = false
        func report(_ figures: [Figure]) {
            for figure in figures {
                write(figure.line)
                isOver = isOver || figure.isOver
            }
        }
        if !arguments.contains("--stages") { try crowdFigures(in: folder, report) }
        if arguments.contains("--crowd") { return !isOver }
        if !arguments.contains("--stages") {
            let notes = try NotesFixture(in: folder, count: 300)
            report(try wakeUpFigures(notes))
            report(try shellFigures(notes))
            report(try versionCheckFigures(notes))
            report(try migrationFigures(in: folder, handwritten: programs[0], isQuick: arguments.contains("--quick")))
        }
        if !arguments.contains("--quick") {
            for stage in MeasuredStage.allCases { report(try stageFigures(stage, in: folder, handwritten: programs[1])) }
        }
        return !isOver
    }

    private static func write(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
