import StoreMigration
import StoreReader
import StoreSQLite
import StoreShared

/// `storectl schema`: of the store as it is, or of any version that it remembers.
extension Command {
    func printSchema() throws -> Int32 {
        try answering { location in
            let (schema, identity) = try StoreSight.read(location) { connection, metadata in
                guard let version, version != metadata.version else {
                    return (try RelationalSchema.read(connection), metadata.identity)
                }
                return try remembered(version, connection)
            }
            switch output == .json ? .json : format {
            // Byte by byte for a program; a terminal must not obey what stands in a name.
            case .sql: say(System.isTerminal(1) ? schema.script.forTerminal : schema.script)
            case .mermaid: say(schema.diagram.forTerminal)
            case .json: show(SchemaAnswer(schema, identity))
            }
            return 0
        }
    }

    private func remembered(_ version: SchemaVersion, _ connection: Connection) throws -> (RelationalSchema, SchemaIdentity) {
        let known = try StoredSchema.identities(connection)
        // Of a version that was edited the last form counts.
        guard let identity = known.last(where: { $0.version == version }), let stored = try StoredSchema.read(connection, identity),
            let snapshot = try SchemaSnapshot(stored)
        else {
            let list = known.map(\.version.description).joined(separator: ", ")
            throw StoreError(
                .planRefused, "\(connection.path) does not remember the schema of version \(version)", remedy: "it remembers \(list)",
                path: connection.path)
        }
        return (snapshot.schema, identity)
    }
}

/// A schema as data.
private struct SchemaAnswer: Encodable {
    struct Schema: Encodable {
        let version: String
        let fingerprint: String?
        let tables: [Table]
        let virtualTables: [Object]
        let views: [Object]
    }

    struct Table: Encodable {
        let name: String
        let columns: [Column]
        let foreignKeys: [Key]
        let indexes: [Object]
        let triggers: [Object]
        let withoutRowid: Bool
        let strict: Bool
        let sql: String
    }

    struct Column: Encodable {
        let name: String
        let type: String
        let notNull: Bool
        let primaryKey: Bool
        let defaultValue: String?
        let generated: Bool

        private enum Keys: String, CodingKey { case name, type, notNull, primaryKey, defaultValue = "default", generated }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(name, forKey: .name)
            try container.encode(type, forKey: .type)
            try container.encode(notNull, forKey: .notNull)
            try container.encode(primaryKey, forKey: .primaryKey)
            try container.encode(defaultValue, forKey: .defaultValue)
            try container.encode(generated, forKey: .generated)
        }
    }

    struct Key: Encodable {
        let columns: [String]
        let references: String
    }

    struct Object: Encodable {
        let name: String
        let sql: String
    }

    let schema: Schema

    init(_ schema: RelationalSchema, _ identity: SchemaIdentity) {
        self.schema = Schema(
            version: identity.version.description, fingerprint: identity.fingerprint?.hex,
            tables: schema.tables.map { table in
                let key = Set(table.primaryKey.compactMap(\.name))
                return Table(
                    name: table.name,
                    columns: table.columns.map { column in
                        Column(
                            name: column.name, type: column.type, notNull: column.isNotNull, primaryKey: key.contains(column.name),
                            defaultValue: column.defaultValue, generated: column.generated != .none)
                    },
                    foreignKeys: table.foreignKeys.map { Key(columns: $0.columns, references: $0.parent) },
                    indexes: schema.indexes(of: table.name).map { Object(name: $0.name, sql: $0.sql) },
                    triggers: schema.triggers(of: table.name).map { Object(name: $0.name, sql: $0.sql) },
                    withoutRowid: table.isWithoutRowid, strict: table.isStrict, sql: table.sql)
            },
            virtualTables: schema.virtualTables.map { Object(name: $0.name, sql: $0.sql) },
            views: schema.views.map { Object(name: $0.name, sql: $0.sql) })
    }
}
