import SwiftData
import Testing

@testable import StoreModel

@Model private final class Hull {
    var n = 0
    @Relationship(deleteRule: .cascade, inverse: \Engine.hull) var engine: Engine?
    @Relationship(deleteRule: .nullify, inverse: \Berth.hull) var berth: Berth?
    @Relationship(deleteRule: .deny, inverse: \Pilot.hull) var pilot: Pilot?
    init() {}
}

@Model private final class Engine {
    var hull: Hull?
    init() {}
}

@Model private final class Berth {
    var hull: Hull?
    init() {}
}

@Model private final class Pilot {
    var hull: Hull?
    init() {}
}

/// The partners that another context has given to what is deleted follow the delete rules.
@Suite struct DeletedPartnerTests {
    private let container: ModelContainer
    private let (here, there): (ModelContext, ModelContext)
    private let hull: Hull
    private let twin: Hull

    enum Knowledge: CaseIterable { case unread, read, changed }
    enum Order: CaseIterable { case beforeDeletion, afterDeletion }

    init() throws {
        container = try ModelContainer(
            for: Schema([Hull.self, Engine.self, Berth.self, Pilot.self]), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
        (here, there) = (ModelContext(container), ModelContext(container))
        hull = Hull()
        here.insert(hull)
        try here.save()
        twin = try #require(there.model(for: hull.persistentModelID) as? Hull)
    }

    private func delete(_ knowledge: Knowledge, _ order: Order, _ link: () -> Void) throws {
        switch knowledge {
        case .unread: break
        case .read: #expect(hull.engine == nil && hull.berth == nil && hull.pilot == nil)
        case .changed: hull.n = 4
        }
        if order == .afterDeletion { here.delete(hull) }
        link()
        try there.save()
        if order == .beforeDeletion { here.delete(hull) }
        try here.save()
    }

    private func left<M: PersistentModel>(_ predicate: Predicate<M>? = nil) throws -> Int {
        try ModelContext(container).fetchCount(FetchDescriptor<M>(predicate: predicate))
    }

    @Test(arguments: Knowledge.allCases, Order.allCases) func cascadeReachesThem(knowledge: Knowledge, order: Order) throws {
        try delete(knowledge, order) { twin.engine = Engine() }
        #expect(try left(#Predicate<Hull> { _ in true }) == 0 && left(#Predicate<Engine> { _ in true }) == 0)
    }

    @Test(arguments: Knowledge.allCases, Order.allCases) func nullifyEmptiesThem(knowledge: Knowledge, order: Order) throws {
        try delete(knowledge, order) { twin.berth = Berth() }
        #expect(try left(#Predicate<Hull> { _ in true }) == 0 && left(#Predicate<Berth> { $0.hull == nil }) == 1)
    }

    @Test(arguments: Knowledge.allCases, Order.allCases) func denyDenies(knowledge: Knowledge, order: Order) throws {
        let error = #expect(throws: SwiftDataError.self) { try delete(knowledge, order) { twin.pilot = Pilot() } }
        #expect(error?.description.contains("pilot") == true, "\(error as Any)")
        here.rollback()
        #expect(try left(#Predicate<Hull> { $0.pilot != nil }) == 1 && left(#Predicate<Pilot> { $0.hull != nil }) == 1)
        #expect(hull.pilot != nil)
    }
}
