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

    fileprivate init(_ fragment: SQLFragment) {
        sql = fragment.text
        bindings = fragment.bindings
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

    /// Translates a fetch of `entity`, whose model is `T`.
    ///
    /// - Parameters:
    ///   - store: the identifier of the store, so that identifiers of another one match nothing; nil: not looked at.
    ///   - limit: the most rows; nil or a negative number: all.
    ///   - offset: how many of the rows are left out at the start.
    /// - Throws: `QueryError` naming the expression, the key path or the sort descriptor that has no form in SQL.
    package init<T>(
        of entity: EntityTable, in catalog: EntityCatalog, where predicate: Predicate<T>? = nil,
        sortedBy descriptors: [SortDescriptor<T>] = [],
        limit: Int? = nil, offset: Int? = nil, store: String? = nil
    ) throws {
        self.entity = entity
        self.limit = limit.flatMap { $0 < 0 ? nil : $0 }
        self.offset = offset.flatMap { $0 <= 0 ? nil : $0 }
        let scope = QueryScope(source: "\(identifier: entity.table) AS \(raw: Self.row)")
        self.scope = scope
        let translator = PredicateTranslator(catalog: catalog, store: store, scope: scope)
        let root = ModelTerm(
            entity: entity, id: "\(raw: Self.row).\(raw: EntityTable.identifierColumn)", row: Self.row, scope: scope, canBeNull: false)
        var conditions: [SQLFragment] = []
        if let classes = entity.classCondition(row: Self.row) { conditions.append(classes) }
        if let predicate { conditions.append(try translator.condition(of: predicate, for: root)) }
        condition = conditions.isEmpty ? nil : conditions.joined(" AND ")
        order = try descriptors.map { try translator.order($0, of: root) }
    }

    /// The rows: `storekeeper_id`, then `columns` of the entity's table in the order given.
    ///
    /// Rows that the sort calls equal come by `storekeeper_id`. Without a sort the order is SQLite's, so that an index can be followed,
    /// unless a part of the rows is asked for.
    package func select(columns: [String] = []) -> FetchStatement {
        select(SelectList(columns: columns))
    }

    /// The rows, with the columns of a list that is kept.
    package func select(_ list: SelectList) -> FetchStatement {
        var sql: SQLFragment = "\(raw: list.text)\(scope.clause)"
        if let condition { sql.append(" WHERE \(condition)") }
        if !order.isEmpty || limit != nil || offset != nil {
            sql.append(" ORDER BY \((order + ["\(raw: Self.row).\(raw: EntityTable.identifierColumn)"]).joined(", "))")
        }
        return FetchStatement("\(sql)\(window)")
    }

    /// How many rows there are, limit and offset taken into account: one row of one integer.
    package func count() -> FetchStatement {
        var rows: SQLFragment = " FROM \(scope.clause)"
        if let condition { rows.append(" WHERE \(condition)") }
        guard limit != nil || offset != nil else { return FetchStatement("SELECT COUNT(*)\(rows)") }
        return FetchStatement("SELECT COUNT(*) FROM (SELECT 1\(rows)\(window))")
    }

    private var window: SQLFragment {
        switch (limit, offset) {
        case (nil, nil): ""
        case (let limit?, nil): " LIMIT \(.parameter(.integer(Int64(limit))))"
        case (let limit, let offset?): " LIMIT \(.parameter(.integer(Int64(limit ?? -1)))) OFFSET \(.parameter(.integer(Int64(offset))))"
        }
    }
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
            func translate<E: PredicateExpression<Bool>>(_ expression: E) throws -> SQLFragment { try condition(expression).sql }
            return try translate(predicate.expression)
        }
    }
}
