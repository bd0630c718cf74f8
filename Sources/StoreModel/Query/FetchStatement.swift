import Foundation
import StoreSQLite

/// A SELECT with its parameters, ready for `Connection.statement`.
///
/// The same structure of predicate, sort and columns gives the same `sql`, whatever the captured values are, so that prepared statements are
/// found again. The connection must have `QueryFunctions`.
package struct FetchStatement: Hashable, Sendable {
    package let sql: String
    /// The values of the parameters, in order.
    package let bindings: [Value]
    /// The tables that it reads.
    let tables: Set<String>

    init(sql: String, bindings: [Value], tables: Set<String>) {
        self.sql = sql
        self.bindings = bindings
        self.tables = tables
    }

    /// The statement of `connection`, with its parameters bound.
    package func prepared(on connection: Connection) throws -> Statement {
        let statement = try connection.statement(sql)
        for (index, value) in bindings.enumerated() {
            try statement.bind(value, at: Int32(index + 1))
        }
        return statement
    }
}

/// The columns of a SELECT, written out once for many statements.
package struct SelectList: Sendable {
    fileprivate let text: String

    /// `storekeeper_id`, then `columns` of the entity's table in the order given; NULL for those that are left out.
    package init(columns: [String] = [], leavingOut leftOut: Set<String> = []) {
        text =
            "SELECT "
            + ([EntityTable.identifierColumn] + columns).map { column in
                leftOut.contains(column) ? "NULL" : "\(FetchTranslation.row).\(SQLFragment.identifier(column).text)"
            }.joined(separator: ", ") + " FROM "
    }
}

/// One fetch in SQL: the rows of an entity that a predicate matches, in an order.
package struct FetchTranslation {
    fileprivate static let row = "t0"

    private let entity: EntityTable
    private let scope: QueryScope
    private let condition: SQLFragment?
    private let order: [SQLFragment]
    private let limit: Int?
    private let offset: Int?
    private let captureCount: Int
    private let tables: Set<String>
    /// Orders rows that the sort calls equal.
    private let last: SQLFragment
    /// Whether the SQL is the same for other values of the shape's captures, of which these are the types.
    let capturedTypes: [ObjectIdentifier]?

    /// Translates a fetch of `entity`, whose model is `T`.
    ///
    /// - Parameters:
    ///   - store: the identifier of the store, so that identifiers of another one match nothing; nil: not looked at.
    ///   - limit: the most rows; nil or a negative number: all.
    ///   - offset: how many of the rows are left out at the start.
    ///   - pending: the tables before which those of a context's pending changes are going to stand.
    /// - Throws: `QueryError` naming the expression, the key path or the sort descriptor that has no form in SQL.
    package init<T>(
        of entity: EntityTable, in catalog: EntityCatalog, where predicate: Predicate<T>? = nil,
        sortedBy descriptors: [SortDescriptor<T>] = [],
        limit: Int? = nil, offset: Int? = nil, store: String? = nil, pending: PendingTables = PendingTables()
    ) throws {
        self.entity = entity
        self.limit = limit.flatMap { $0 < 0 ? nil : $0 }
        self.offset = offset.flatMap { $0 <= 0 ? nil : $0 }
        let scope = QueryScope(source: "\(identifier: entity.table) AS \(raw: Self.row)")
        self.scope = scope
        let translator = PredicateTranslator(of: entity.name, catalog: catalog, store: store, scope: scope, pending: pending)
        translator.tables.insert(entity.table)
        let root = ModelTerm(
            entity: entity, id: "\(raw: Self.row).\(raw: EntityTable.identifierColumn)", row: Self.row, scope: scope, canBeNull: false)
        var conditions: [SQLFragment] = []
        if let classes = entity.classCondition(row: Self.row) { conditions.append(classes) }
        if let predicate { conditions.append(try translator.condition(of: predicate, for: root)) }
        condition = conditions.isEmpty ? nil : conditions.joined(" AND ")
        order = try descriptors.map { try translator.order($0, of: root) }
        let id: SQLFragment = "\(raw: Self.row).\(raw: EntityTable.identifierColumn)"
        // New models have negative numbers, the first of them the highest.
        last = pending.filled.contains(entity.table) ? "\(id) < 0, abs(\(id))" : id
        tables = translator.tables
        captureCount = translator.capturedTypes.count
        capturedTypes = translator.isReusable ? translator.capturedTypes : nil
    }

    /// The rows: `storekeeper_id`, then `columns` of the entity's table in the order given.
    ///
    /// Rows that the sort calls equal come by `storekeeper_id`. Without a sort the order is SQLite's, so that an index can be followed,
    /// unless a part of the rows is asked for.
    package func select(columns: [String] = []) -> FetchStatement {
        select(SelectList(columns: columns)).statement
    }

    /// The rows, with the columns of a list that is kept.
    func select(_ list: SelectList) -> FetchTemplate {
        var sql: SQLFragment = "\(raw: list.text)\(scope.clause)"
        if let condition { sql.append(" WHERE \(condition)") }
        if !order.isEmpty || limit != nil || offset != nil {
            sql.append(" ORDER BY \((order + [last]).joined(", "))")
        }
        return template("\(sql)\(window)")
    }

    /// How many rows there are, limit and offset taken into account: one row of one integer.
    package func count() -> FetchStatement { countTemplate().statement }

    func countTemplate() -> FetchTemplate {
        var rows: SQLFragment = " FROM \(scope.clause)"
        if let condition { rows.append(" WHERE \(condition)") }
        guard limit != nil || offset != nil else { return template("SELECT COUNT(*)\(rows)") }
        return template("SELECT COUNT(*) FROM (SELECT 1\(rows)\(window))")
    }

    private func template(_ sql: SQLFragment) -> FetchTemplate { FetchTemplate(sql: sql.text, parameters: sql.parameters, tables: tables) }

    /// A number of the window, which stands behind what the predicate has captured.
    private func number(_ value: Int, _ place: Int) -> SQLFragment {
        let source = SQLParameter.Source(capture: captureCount + place, encoding: .value(.integer))
        return .parameter(SQLParameter(.integer(Int64(value)), from: source))
    }

    private var window: SQLFragment {
        switch (limit, offset) {
        case (nil, nil): ""
        case (let limit?, nil): " LIMIT \(number(limit, 0))"
        case (let limit, let offset?): " LIMIT \(number(limit ?? -1, 0)) OFFSET \(number(offset, 1))"
        }
    }
}

extension FetchTemplate {
    /// With the values that it was made with.
    fileprivate var statement: FetchStatement { FetchStatement(sql: sql, bindings: parameters.map(\.value), tables: tables) }
}

extension EntityTable {
    /// The condition that a row is of this entity, in a table that it shares with others.
    func classCondition(row: String) -> SQLFragment? {
        guard let classNames else { return nil }
        let names = classNames.map { SQLFragment.parameter(.text($0)) }.joined(", ")
        return "\(raw: row).\(raw: EntityTable.classColumn) IN (\(names))"
    }
}

extension PredicateTranslator {
    /// The condition of `predicate` on the row `root`.
    func condition<T>(of predicate: Predicate<T>, for root: ModelTerm) throws -> SQLFragment {
        try binding(predicate.variable, to: .model(root)) {
            func translate<E: PredicateExpression<Bool>>(_ expression: E) throws -> SQLFragment { try condition(expression).whole }
            return try translate(predicate.expression)
        }
    }
}
