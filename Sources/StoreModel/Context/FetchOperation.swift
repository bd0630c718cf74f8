import Foundation
import StoreSQLite

/// One fetch in a context: the rows that the store gives, put together with what is pending.
struct FetchOperation<T: PersistentModel> {
    let core: ContextCore
    private let descriptor: FetchDescriptor<T>
    let table: RowTable
    /// Models of this entity with pending changes, whose rows in the store say nothing about them.
    private let pending: [T]
    /// The rows of those, and of deleted models.
    private let hidden: Set<Int64>

    init(_ core: ContextCore, _ descriptor: FetchDescriptor<T>) throws {
        self.core = core
        self.descriptor = descriptor
        guard let table = core.table(for: T.self) else {
            throw SwiftDataError(
                .unknownSchema, "\(T.self) is not part of the schema of this container", remedy: "add it to the container's schema")
        }
        self.table = table
        guard descriptor.includePendingChanges, core.hasChanges else {
            pending = []
            hidden = []
            return
        }
        let changed = core.pending(core.changed, .changed).compactMap { $0 as? T }
        let deleted = core.pending(core.deleted, .deleted).compactMap { $0 as? T }
        pending = changed + core.pending(core.inserted, .inserted).compactMap { $0 as? T }
        hidden = Set((changed + deleted).map(\._rowID))
    }

    /// The model of a row of this entity's table, which is of this class or of one below it.
    @inline(__always)
    static func typed(_ model: any PersistentModel) -> T? {
        type(of: model) == T.self ? unsafeDowncast(model as AnyObject, to: T.self) : model as? T
    }

    private var isAlone: Bool { pending.isEmpty && hidden.isEmpty }

    /// Whether it is of the rows of a whole table, in any order, with nothing pending.
    var takesEveryRow: Bool {
        isAlone && descriptor.predicate == nil && descriptor.sortBy.isEmpty && descriptor.fetchLimit == nil
            && descriptor.fetchOffset == nil && descriptor.propertiesToFetch.isEmpty
            && core.layout.catalog.entity(named: table.entity.name)?.classNames == nil
    }

    func models() throws -> [T] {
        let leftOut = try leftOut(), relationships = try relationships()
        let statement = try statement(.models(leavingOut: leftOut))
        var list = ModelList<T>()
        try core.openStorage().read { connection in
            let prepared = try statement.prepared(on: connection)
            defer { prepared.reset() }
            // The rows are all different: where none is known before the first, none is known at the last.
            let isNew = table.isEmpty
            while try prepared.step() {
                if !hidden.isEmpty, hidden.contains(prepared.int64(0)) { continue }
                guard let model = Self.typed(core.model(prepared, table, isNew: isNew)) else { continue }
                if leftOut != 0, let row = model._$modelRow, row.state == .clean { row.missing = leftOut }
                list.append(model)
            }
        }
        let models = list.take()
        let found = isAlone ? models : window(try sorted(models + matching()))
        if !relationships.isEmpty { try core.prefetch(relationships, of: found) }
        return found
    }

    /// The attributes whose values the descriptor does not ask for; none where it asks for none.
    func leftOut() throws -> UInt64 {
        guard !descriptor.propertiesToFetch.isEmpty else { return 0 }
        let wanted = try Set(descriptor.propertiesToFetch.map { try property($0).index })
        // Of properties that share a bit all are fetched, or all are read when one is used.
        return table.entity.columns.reduce(0) { $1.kind == nil || wanted.contains($1.index) ? $0 : $0 | $1.mask }
    }

    /// The relationships to prefetch.
    func relationships() throws -> [PropertyMapping] {
        try descriptor.relationshipKeyPathsForPrefetching.map { keyPath in
            let property = try property(keyPath)
            guard property.destinationType != nil else {
                throw SwiftDataError(
                    .unsupportedKeyPath, "\(T.self).\(property.name) cannot be prefetched: it is no relationship",
                    remedy: "name it in propertiesToFetch")
            }
            return property
        }
    }

    private func property(_ keyPath: AnyKeyPath) throws -> PropertyMapping {
        if let property = table.entity.property(for: keyPath) { return property }
        let text = core.layout.catalog.entity(named: table.entity.name).map { KeyPathText.describe(keyPath, of: $0) } ?? "\(keyPath)"
        throw SwiftDataError(
            .unsupportedKeyPath, "\(T.self) cannot fetch \(text): it is not one of its stored properties",
            remedy: "name stored properties of the model itself")
    }

    func count() throws -> Int {
        guard isAlone else { return try models().count }
        let statement = try statement(.count)
        return try core.openStorage().read { connection in
            let prepared = try statement.prepared(on: connection)
            defer { prepared.reset() }
            return try prepared.step() ? Int(prepared.int64(0)) : 0
        }
    }

    func rowNumbers() throws -> RowNumbers {
        guard isAlone else {
            let models = try models()
            var numbers = RowNumbers(expecting: models.count)
            for model in models { numbers.append(model._rowID) }
            return numbers
        }
        let statement = try statement(.numbers)
        // Counted first: an array that grows holds its old and its new place at once.
        let count = try count()
        return try core.openStorage().read { connection in
            let prepared = try statement.prepared(on: connection)
            defer { prepared.reset() }
            var numbers = RowNumbers(expecting: count)
            while try prepared.step() { numbers.append(prepared.int64(0)) }
            return numbers
        }
    }

    func identifiers() throws -> [PersistentIdentifier] {
        if !isAlone, !descriptor.sortBy.isEmpty {
            throw SwiftDataError(
                .sortingPendingChangesWithIdentifiers, "identifiers cannot be sorted while there are pending changes",
                remedy: "save first, or fetch without a sort")
        }
        let numbers = try rowNumbers()
        return numbers[0..<numbers.count].map(identifier)
    }

    func identifier(of row: Int64) -> PersistentIdentifier {
        core.identifier(row, of: table.entity)
    }

    private func statement(_ result: FetchResultKind) throws -> FetchStatement {
        guard let entity = core.layout.catalog.entity(named: table.entity.name) else { throw SwiftDataError.unknownSchema }
        // With pending changes the window is cut afterwards: they move what lies before it.
        let query = FetchQuery(
            entity: entity, catalog: core.layout.catalog, predicate: descriptor.predicate, sort: descriptor.sortBy,
            limit: isAlone ? descriptor.fetchLimit : nil, offset: isAlone ? descriptor.fetchOffset : nil, store: core.storeIdentifier)
        do {
            return try query.statement(result, columns: { columns(result) }, from: core.layout.translations)
        } catch let error as QueryError {
            throw SwiftDataError(error)
        }
    }

    private func columns(_ result: FetchResultKind) -> SelectList {
        guard case .models(let leftOut) = result else { return SelectList() }
        let names = leftOut == 0 ? [] : table.entity.columns.filter { leftOut & $0.mask != 0 }.map(\.name)
        return SelectList(columns: core.layout(of: table.entity).selectColumns, leavingOut: Set(names))
    }

    // MARK: Pending changes

    private func matching() throws -> [T] {
        guard let predicate = descriptor.predicate else { return pending }
        return try pending.filter { try predicate.evaluate($0) }
    }

    private func sorted(_ models: [T]) -> [T] {
        guard !descriptor.sortBy.isEmpty else { return models }
        let order = PendingOrder(descriptor.sortBy)
        return models.enumerated().sorted { left, right in
            switch order.compare(left.element, right.element) {
            case .orderedAscending: true
            case .orderedDescending: false
            case .orderedSame: left.offset < right.offset
            }
        }.map(\.element)
    }

    private func window(_ models: [T]) -> [T] {
        let rest = models.dropFirst(max(descriptor.fetchOffset ?? 0, 0))
        guard let limit = descriptor.fetchLimit, limit >= 0 else { return Array(rest) }
        return Array(rest.prefix(limit))
    }
}

extension SwiftDataError {
    /// What the query layer could not put into SQL.
    init(_ error: QueryError) {
        let kind: Kind =
            switch error.kind {
            case .unsupportedPredicate: .unsupportedPredicate
            case .unsupportedKeyPath: .unsupportedKeyPath
            case .unsupportedSortDescriptor: .unsupportedSortDescriptor
            }
        self.init(kind, error.explanation, remedy: nil, cause: error)
    }
}
