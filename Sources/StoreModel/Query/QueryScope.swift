/// One FROM clause while it is being written: its source, and the to-one rows joined to it.
///
/// A join never multiplies rows, since it goes by primary key; the same reference is joined once.
final class QueryScope {
    private struct Join {
        let id: SQLFragment
        let alias: String
        let sql: SQLFragment
    }

    let source: SQLFragment
    private let condition: SQLFragment?
    private var joins: [Join] = []

    /// - Parameter condition: ties the source to a row outside, such as the owner of a relationship.
    init(source: SQLFragment, condition: SQLFragment? = nil) {
        self.source = source
        self.condition = condition
    }

    /// The alias of the row that `reference` names, joined if it is not in scope yet.
    func row(of reference: ModelTerm, named alias: () -> String) -> String {
        if let row = reference.row { return row }
        if let join = joins.first(where: { $0.id == reference.id }) { return join.alias }
        let alias = alias()
        let table = SQLFragment.identifier(reference.entity.table)
        joins.append(
            Join(
                id: reference.id, alias: alias,
                sql: " LEFT JOIN \(table) AS \(raw: alias) ON \(raw: alias).\(raw: EntityTable.identifierColumn) = \(reference.id)"))
        return alias
    }

    /// The FROM clause with its joins, from after the word FROM.
    var clause: SQLFragment {
        var clause = source
        for join in joins { clause.append(join.sql) }
        return clause
    }

    /// `(SELECT what FROM … WHERE …)`.
    func select(_ what: SQLFragment, where conditions: [SQLFragment]) -> SQLFragment {
        let all = (condition.map { [$0] } ?? []) + conditions
        guard !all.isEmpty else { return "(SELECT \(what) FROM \(clause))" }
        return "(SELECT \(what) FROM \(clause) WHERE \(all.inOrder))"
    }
}
