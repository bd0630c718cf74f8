import Foundation
import StoreModel
import Storekeeper

/// What going through a whole store of models takes of memory, however many there are.
///
/// Each is measured in a process of its own, which does nothing else: the peak of a process never falls.
struct EnumerationPeak {
    /// Bytes that 1,000,000 rows may take more than 100,000.
    static let budget = 16 << 20

    let store: URL
    let count: Int

    /// The child's part: goes through the store of `count` models in two ways, and prints the peak of its memory in bytes.
    static func run(store: URL) throws {
        let container = try ModelContainer(for: Item.self, configurations: ModelConfiguration(url: store))
        defer { container.close() }
        var sum = 0
        try ModelContext(container).enumerate(FetchDescriptor<Item>()) { sum += $0.title.utf8.count }
        let chosen = FetchDescriptor<Item>(predicate: #Predicate { $0.rating >= 0 }, sortBy: [SortDescriptor(\.rank)])
        try ModelContext(container).enumerate(chosen) { sum += $0.count }
        FileHandle.standardOutput.write(Data("\(try peak()) \(sum)\n".utf8))
    }

    /// Bytes.
    func measure() throws -> Int {
        try fill()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--enumerate", store.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0, let word = String(decoding: data, as: UTF8.self).split(separator: " ").first,
            let bytes = Int(word)
        else { throw BenchError("the enumeration of \(count) models ended with \(process.terminationStatus)") }
        return bytes
    }

    private func fill() throws {
        let container = try ModelContainer(for: Item.self, configurations: ModelConfiguration(url: store))
        defer { container.close() }
        for start in stride(from: 0, to: count, by: 20_000) {
            let context = ModelContext(container)
            for number in start..<min(start + 20_000, count) { context.insert(Item(number: number)) }
            try context.save()
        }
    }

    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let line, let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0.filter(\.isNumber)) }) else {
            throw BenchError("the peak of the process is not known")
        }
        return kilobytes << 10
    }
}
