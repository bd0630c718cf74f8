import AllocationCount
import Foundation
import Glibc
import StoreModel
import StoreSQLite
import Storekeeper

/// One run of the work on a store of its own, each piece with its seconds, allocations and statements.
final class ModelWork {
    struct Piece {
        var time = BenchTime()
        var allocations = 0
        var prepared = 0
    }

    private(set) var pieces: [String: Piece] = [:]
    private let container: ModelContainer
    private let count: Int
    /// Keys of rows, in an order that is no order.
    private let keys: [Int]

    init(store: URL, count: Int) throws {
        self.count = count
        container = try ModelContainer(for: Item.self, configurations: ModelConfiguration(url: store))
        keys = (0..<10_000).map { ($0 &* 7919 &+ 13) % count }
    }

    func run() throws {
        defer { container.close() }
        try measure("insert") {
            let context = ModelContext(container)
            for number in 0..<count { context.insert(Item(number: number)) }
            try context.save()
        }
        var sum = 0.0
        try measure("fetch") {
            for item in try ModelContext(container).fetch(FetchDescriptor<Item>()) { sum += Self.read(item) }
        }
        try measure("sorted") {
            let descriptor = FetchDescriptor<Item>(
                predicate: #Predicate { $0.rating >= 0 }, sortBy: [SortDescriptor(\.rank), SortDescriptor(\.created, order: .reverse)])
            for item in try ModelContext(container).fetch(descriptor) { sum += Self.read(item) }
        }
        let identifiers = try ModelContext(container).fetchIdentifiers(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.count)]))
        try measure("model-for") {
            let context = ModelContext(container)
            for key in keys { if let item = context.model(for: identifiers[key]) as? Item { sum += Self.read(item) } }
        }
        try measure("predicate") {
            let context = ModelContext(container)
            for key in keys {
                let key = "item-\(key)"
                for item in try context.fetch(FetchDescriptor<Item>(predicate: #Predicate { $0.key == key })) { sum += Self.read(item) }
            }
        }
        let context = ModelContext(container)
        let items = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.count)]))
        for index in stride(from: 0, to: count, by: max(count / 10_000, 1)) { items[index].title = "Another title \(index)" }
        try measure("save-changed") { try context.save() }
        guard sum.isFinite else { throw BenchError("nothing was read") }
    }

    private func measure(_ name: String, _ body: () throws -> Void) throws {
        let statements = container.statementCounts.prepared
        let allocations = allocation_count()
        let wall = Self.seconds(CLOCK_MONOTONIC), processor = Self.seconds(CLOCK_PROCESS_CPUTIME_ID)
        try body()
        pieces[name] = Piece(
            time: BenchTime(wall: Self.seconds(CLOCK_MONOTONIC) - wall, processor: Self.seconds(CLOCK_PROCESS_CPUTIME_ID) - processor),
            allocations: Int(allocation_count() - allocations), prepared: container.statementCounts.prepared - statements)
    }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Reads every property.
    @inline(never)
    private static func read(_ item: Item) -> Double {
        Double(item.key.utf8.count + item.title.utf8.count + (item.body?.utf8.count ?? 0) + item.count + item.rank) + item.rating
            + item.created.timeIntervalSinceReferenceDate + (item.isOpen ? 1 : 0)
    }
}
