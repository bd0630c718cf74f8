import Foundation
import ProcessHarness

/// One kind of stage beside the same SQL in C, in turns, and its memory at ten times as many rows.
func stageFigures(_ stage: MeasuredStage, in folder: TemporaryFolder, handwritten: String) throws -> [Figure] {
    let bench = StageBench(stage: stage, folder: folder, handwritten: handwritten)
    let (ratios, peak) = try bench.speed()
    return ratios + [try bench.memory(peak)]
}

/// The measures of one kind of stage.
private struct StageBench {
    let stage: MeasuredStage
    let folder: TemporaryFolder
    let handwritten: String

    /// Rows of the table whose speed is measured.
    private var rows: Int { stage == .typed ? 100_000 : 1_000_000 }

    private let rounds = 5

    private var title: String {
        switch stage {
        case .addColumn: "ADD COLUMN and UPDATE, \(rows) rows"
        case .rebuild: "rebuild with three indexes, \(rows) rows"
        case .typed: "typed didMigrate, \(rows) rows"
        }
    }

    private var budget: Double {
        switch stage {
        case .addColumn: 1.1
        case .rebuild: 1.25
        case .typed: 1.5
        }
    }

    /// - Returns: the ratios, and the peaks of memory by rows.
    func speed() throws -> (ratios: [Figure], peak: Double) {
        var inC: [StageCost] = []
        var ours: [StageCost] = []
        var backed: [StageCost] = []
        try withStore(rows: rows) { original in
            for _ in 0..<rounds {
                inC.append(try run(original) { [handwritten, stage.rawValue, $0] })
                ours.append(try migrate(original))
                backed.append(try migrate(original, withBackup: true))
            }
        }
        func ratio(_ name: String, _ costs: [StageCost], budget: Double?) -> Figure {
            let wall = median(costs.map(\.wall))
            let work = median(costs.map(\.work))
            let (wallInC, workInC) = (median(inC.map(\.wall)), median(inC.map(\.work)))
            return Figure(
                name: name, value: wall / wallInC, budget: budget, unit: "times",
                note: "\(short(wall)) s against \(short(wallInC)); of the processors \(short(work / workInC)) times, "
                    + "\(short(work)) s against \(short(workInC)); medians of \(rounds)")
        }
        return (
            [ratio("\(title): against C", ours, budget: budget), ratio("\(title), with backup: against C", backed, budget: nil)],
            ours.map(\.peak).max() ?? .nan
        )
    }

    func memory(_ peak: Double) throws -> Figure {
        let other = rows == 1_000_000 ? 100_000 : 1_000_000
        let otherPeak = try withStore(rows: other) { try migrate($0).peak }
        let (few, many) = rows == 1_000_000 ? (otherPeak, peak) : (peak, otherPeak)
        return Figure(
            name: "\(stage.rawValue): peak memory at 1000000 rows over 100000", value: many - few, budget: 16, unit: "MB",
            note: "\(short(many)) MB against \(short(few))")
    }

    private func withStore<T>(rows: Int, _ body: (String) throws -> T) throws -> T {
        let place = try TemporaryFolder(in: folder.path)
        defer { place.remove() }
        let store = place("original.store")
        _ = try firstLine(of: [CommandLine.arguments[0], "--make", stage.rawValue, "\(rows)", store])
        return try body(store)
    }

    private func migrate(_ original: String, withBackup: Bool = false) throws -> StageCost {
        try run(original) { [CommandLine.arguments[0], "--migrate", stage.rawValue, withBackup ? "backup" : "plain", $0] }
    }

    /// Runs a command on a copy of the store.
    private func run(_ original: String, _ command: (String) -> [String]) throws -> StageCost {
        let copies = try TemporaryFolder(in: folder.path)
        defer { copies.remove() }
        try copyStore(original, to: copies("copy.store"))
        return try StageCost(line: firstLine(of: command(copies("copy.store"))))
    }
}
