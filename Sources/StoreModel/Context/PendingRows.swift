/// The rows of some models with pending changes, in their order, parted where the entity changes: what depends on the entity is looked
/// up once for each part.
struct PendingRows {
    /// Rows of one entity.
    struct Part {
        let table: RowTable
        let layout: EntityLayout
        let rows: [ModelRow]

        var entity: EntityMapping { table.entity }
    }

    private(set) var parts: [Part] = []

    /// - Parameter state: of the rows that count: a model's row says whether it still belongs among those pending.
    init(_ models: [any PersistentModel], _ state: ModelRow.State, in core: ContextCore) {
        var rows: [ModelRow] = []
        var current: RowTable?
        for model in models {
            guard let row = model._$modelRow, row.state == state else { continue }
            if !row.isIn(current) {
                close(&rows, current, core)
                current = row.table
            }
            if rows.isEmpty { rows.reserveCapacity(parts.isEmpty ? models.count : 8) }
            rows.append(row)
        }
        close(&rows, current, core)
    }

    private mutating func close(_ rows: inout [ModelRow], _ table: RowTable?, _ core: ContextCore) {
        guard let table, !rows.isEmpty else { return }
        parts.append(Part(table: table, layout: core.layout(of: table.entity), rows: rows))
        rows = []
    }

    var isEmpty: Bool { parts.isEmpty }

    var count: Int { parts.reduce(0) { $0 + $1.rows.count } }

    /// The rows of all parts.
    var rows: [ModelRow] { parts.flatMap(\.rows) }

    var entityNames: [String] { parts.map(\.entity.name) }

    /// The identifiers that they have now.
    func identifiers(in core: ContextCore) -> [PersistentIdentifier] {
        var identifiers: [PersistentIdentifier] = []
        for part in parts {
            identifiers.reserveCapacity(identifiers.count + part.rows.count)
            for row in part.rows { identifiers.append(core.identifier(row.id, of: part.entity)) }
        }
        return identifiers
    }
}
