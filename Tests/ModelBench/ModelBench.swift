import Foundation

/// Measures models against the same work in C, medians of five, and prints each with its budget, its allocations and its statements.
///
/// Usage: model-bench [--counts] PATH-OF-models-by-hand. With `--counts` one small run, and only what does not depend on the machine.
/// Ends with 1 when something takes more times what C takes than it may.
@main struct ModelBench {
    /// The work, how many times the C program's time it may take, and how many allocations for each row and statements prepared, which do
    /// not depend on the machine.
    private static let budgets: [(name: String, what: String, times: Double, allocations: Double, prepared: Int)] = [
        ("insert", "insert and save of all", 2.0, 18, 10),
        ("fetch", "fetch of all, every property read", 3.0, 4, 12),
        ("sorted", "fetch of all by a predicate, sorted", 2.5, 5, 3),
        ("model-for", "10,000 by model(for:)", 2.0, 9.5, 2),
        ("predicate", "10,000 by a predicate over the key", 2.0, 25, 3),
        ("save-changed", "save of 10,000 changed of all", 2.0, 5.5, 2),
    ]

    static func main() {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            if arguments.first == "--enumerate", let store = arguments.last {
                try EnumerationPeak.run(store: URL(fileURLWithPath: store))
                exit(0)
            }
            let isCounting = arguments.contains("--counts")
            guard let program = arguments.last, isCounting || FileManager.default.isExecutableFile(atPath: program) else {
                throw BenchError("usage: model-bench [--counts] PATH-OF-models-by-hand: run scripts/bench")
            }
            exit(try measure(isCounting ? nil : program, count: isCounting ? 20_000 : 100_000) ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("model-bench: \(error)\n".utf8))
            exit(2)
        }
    }

    /// - Parameter program: the C program; nil where only counts are wanted.
    /// - Returns: whether everything is within its budget.
    private static func measure(_ program: String?, count: Int) throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("model-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var swift: [[String: ModelWork.Piece]] = []
        var hand: [[String: BenchTime]] = []
        for round in 0..<(program == nil ? 1 : 5) {
            let place = folder.appendingPathComponent("\(round)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            if let program {
                hand.append(try Handwritten(program, store: place.appendingPathComponent("hand.store").path, count: count).times)
            }
            let work = try ModelWork(store: place.appendingPathComponent("model.store"), count: count)
            try work.run()
            swift.append(work.pieces)
            try FileManager.default.removeItem(at: place)
        }
        FileHandle.standardOutput.write(Data("\(count) models\n".utf8))
        var isWithin = true
        for budget in budgets {
            guard let piece = swift.last?[budget.name] else { throw BenchError("\(budget.name) was not run") }
            let rows = ["model-for", "predicate", "save-changed"].contains(budget.name) ? min(count, 10_000) : count
            let allocations = Double(piece.allocations) / Double(rows)
            var isOver = allocations > budget.allocations || piece.prepared > budget.prepared
            var line = budget.what.padding(toLength: 42, withPad: " ", startingAt: 0)
            if program != nil {
                let models = swift.compactMap { $0[budget.name]?.time }, byHands = hand.compactMap { $0[budget.name] }
                let seconds = median(models.map(\.wall)), byHand = median(byHands.map(\.wall))
                let processor = median(models.map(\.processor)) / median(byHands.map(\.processor))
                isOver = isOver || seconds / byHand > budget.times
                line += String(
                    format: "%8.1f ms  C %8.1f ms  %5.2f times (%.1f), of the processor %5.2f", seconds * 1000, byHand * 1000,
                    seconds / byHand, budget.times, processor)
            }
            line += String(
                format: "  %6.2f allocations each (%.1f)  %d statements prepared (%d)  ", allocations, budget.allocations, piece.prepared,
                budget.prepared)
            isWithin = isWithin && !isOver
            FileHandle.standardOutput.write(Data("\(line)\(isOver ? "OVER" : "ok")\n".utf8))
        }
        let isFlat = try program == nil || measureEnumeration(folder)
        return isWithin && isFlat
    }

    /// - Returns: whether 1,000,000 rows take as little memory as they may.
    private static func measureEnumeration(_ folder: URL) throws -> Bool {
        let peaks = try [100_000, 1_000_000].map { count in
            try EnumerationPeak(store: folder.appendingPathComponent("\(count).store"), count: count).measure()
        }
        let isOver = peaks[1] - peaks[0] > EnumerationPeak.budget
        let megabytes = peaks.map { Double($0) / 1_048_576 }
        let line = String(
            format: "enumerate: peak %.1f MB of 100,000 models, %.1f MB of 1,000,000: %.1f more (16)  ", megabytes[0], megabytes[1],
            megabytes[1] - megabytes[0])
        FileHandle.standardOutput.write(Data("\(line)\(isOver ? "OVER" : "ok")\n".utf8))
        return !isOver
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }
}
