/// One pair of `renames` in `stage.json`: a table, or a column with its table, as both versions call it.
struct PlanRename: Sendable, Hashable {
    let from: PlanName
    let to: PlanName

    /// Nil for what cannot be read as names, or pairs a table with a column.
    init?(from: String, to: String) {
        guard let from = PlanName(from), let to = PlanName(to), (from.column == nil) == (to.column == nil) else { return nil }
        self.from = from
        self.to = to
    }

    var rename: Rename {
        if let column = from.column, let newColumn = to.column {
            .column(table: to.table, from: column, to: newColumn)
        } else {
            .table(from: from.table, to: to.table)
        }
    }
}
