import Foundation
import StoreSQLite

/// One fetch in a context: the rows that the store gives, put together with what is pending.
struct FetchOperation<T: PersistentModel> {
    let core: ContextCore
    private let descriptor: FetchDescriptor<T>
    let table: RowTable
    /// What is pending in the context, where it counts.
    private let overlay: PendingOverlay?

    init(_ core: ContextCore, _ descriptor: FetchDescriptor<T>) throws {
        self.core = core
        self.descriptor = descriptor
        guard let table = core.table(for: T.self) else {
            throw SwiftDataError(
                .unknownSchema, "\(T.self) is not part of the schema of this container", remedy: "add it to the container's schema")
        }
        self.table = table
        overlay = descriptor.includePendingChanges ? PendingOverlay(core) : nil
    }

    /// The model of a row of this entity's table, which is of this class or of one below it.
    @inline(__always)
    static func typed(_ model: any PersistentModel) -> T? {
        type(of: model) == T.self ? unsafeDowncast(model as AnyObject, to: T.self) : model as? T
    }

    private var isAlone: Bool { overlay?.touches(table.entity) != true }

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
        try read(statement) { prepared in
            // The rows are all different: where none is known before the first, none is known at the last.
            let isNew = table.isEmpty
            while try prepared.step() {
                guard let model = Self.typed(core.model(prepared, table, isNew: isNew)) else { continue }
                if !leftOut.isEmpty, let row = model._$modelRow, row.state == .clean { row.missing = leftOut }
                list.append(model)
            }
        }
        let found = list.take()
        if !relationships.isEmpty { try core.prefetch(relationships, of: found) }
        return found
    }

    /// The attributes whose values the descriptor does not ask for; none where it asks for none.
    func leftOut() throws -> PropertySet {
        var leftOut = PropertySet()
        guard descriptor.propertiesToFetch.count != 0 else { return leftOut }
        let wanted = try Set(descriptor.propertiesToFetch.map { try property($0).index })
        for property in table.entity.columns where property.kind != nil && !wanted.contains(property.index) {
            leftOut.insert(property.index)
        }
        return leftOut
    }

    /// The relationships to prefetch.
    func relationships() throws -> [PropertyMapping] {
        guard descriptor.relationshipKeyPathsForPrefetching.count != 0 else { return [] }
        return try descriptor.relationshipKeyPathsForPrefetching.map { keyPath in
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
        try read(try statement(.count)) { prepared in try prepared.step() ? Int(prepared.int64(0)) : 0 }
    }

    func rowNumbers() throws -> RowNumbers {
        let statement = try statement(.numbers)
        // Counted first: an array that grows holds its old and its new place at once.
        let count = try count()
        return try read(statement) { prepared in
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
        do {
            let statement = try core.layout.translations.statement(
                result, of: entity, in: core.layout.catalog, where: descriptor.predicate, sortedBy: descriptor.sortBy,
                limit: descriptor.fetchLimit, offset: descriptor.fetchOffset, store: core.storeIdentifier,
                pending: overlay?.shape ?? PendingTables(), columns: { columns(result) })
            return overlay?.laid(over: statement, of: entity.table) ?? statement
        } catch let error as QueryError {
            throw SwiftDataError(error)
        }
    }

    private func columns(_ result: FetchResultKind) -> SelectList {
        guard case .models(let leftOut) = result else { return SelectList() }
        let names = leftOut.isEmpty ? [] : table.entity.columns.filter { leftOut.contains($0.index) }.map(\.name)
        return SelectList(columns: core.layout(of: table.entity).selectColumns, leavingOut: Set(names))
    }

    private func read<Result>(_ statement: FetchStatement, _ body: (Statement) throws -> Result) throws -> Result {
        do {
            return try core.openStorage().read { connection in
                let prepared = try statement.prepared(on: connection)
                defer { prepared.reset() }
                guard let overlay else { return try body(prepared) }
                return try PendingOverlay.$current.withValue(overlay) { try body(prepared) }
            }
        } catch let error as SQLiteError {
            let computes = descriptor.predicate != nil || descriptor.sortBy.count != 0
            if computes, error.code.primary == .error, let found = UndecodableSearch(core).error(in: statement.tables, cause: error) {
                throw found
            }
            throw SwiftDataError(error, fetching: table.entity.name)
        }
    }
}

extension SwiftDataError {
    /// What SQLite could not do in a fetch: with the statement, or with the store.
    fileprivate init(_ error: SQLiteError, fetching entity: String) {
        switch error.code.primary {
        case .error, .tooBig, .outOfRange, .mismatch:
            self.init(
                .unsupportedPredicate, "\(entity) cannot be fetched so: \(error.message.shortened)",
                remedy: "make the predicate or the sort simpler, or repair the stored value that it says", cause: error)
        default:
            self.init(.loadIssueModelContainer, "\(entity) could not be fetched", remedy: error.remedy, cause: error)
        }
    }

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
