import StoreSQLite

/// What a row of the store had before a new model with the same unique value took its place.
struct FormerValues {
    /// A row in no context.
    let row: ModelRow
    /// The targets of each to-many, by property.
    let targets: [Int: [Int64]]

    /// Reads a row within the save that is about to write it.
    init(of id: Int64, _ entity: EntityMapping, _ core: ContextCore, _ connection: Connection) throws {
        let layout = core.layout(of: entity)
        let row = entity.rowType.init()
        let statement = try connection.statement(layout.selectByID)
        try statement.bind(id, at: 1)
        if try statement.step() {
            let member = layout.members?[entity.name]
            var cursor = RowCursor(statement, from: member == nil ? 1 : 2, starts: member?.starts)
            withExtendedLifetime(member) { core.load(row, &cursor, entity) }
        }
        statement.reset()
        self.row = row
        for property in entity.externals { row.holdExternal(try layout.bytes(of: property, id, connection), at: property.index) }
        targets = try Self.targets(of: id, entity, layout, connection)
    }

    private static func targets(
        of id: Int64, _ entity: EntityMapping, _ layout: EntityLayout, _ connection: Connection
    ) throws -> [Int: [Int64]] {
        var targets: [Int: [Int64]] = [:]
        for property in entity.relationships where property.isToMany && property.destination != nil {
            let statement = try connection.statement(layout.related(property))
            defer { statement.reset() }
            try statement.bind(id, at: 1)
            var numbers: [Int64] = []
            while try statement.step() { numbers.append(statement.int64(0)) }
            targets[property.index] = numbers
        }
        return targets
    }
}
