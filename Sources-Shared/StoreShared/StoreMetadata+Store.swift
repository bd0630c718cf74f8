import StoreSQLite

/// Reading and writing the metadata in the store itself.
extension StoreMetadata {
    /// The statements that make our tables in a new store.
    package static let createStatements = [
        "CREATE TABLE storekeeper_metadata(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID",
        HistoryEntry.createStatement,
        StoredSchema.createStatement,
    ]

    private static let tableNames = ["storekeeper_metadata", "storekeeper_history", "storekeeper_schema"]
    private static let nameList = tableNames.map { "'\($0)'" }.joined(separator: ", ")
    private static let ourTables = "FROM sqlite_schema WHERE type = 'table' AND name IN (\(nameList))"

    /// Reads the metadata, in two statements; inside a read transaction all of it is of one snapshot.
    ///
    /// - Parameters:
    ///   - generation: of this snapshot, where it has been read.
    ///   - name: how errors call the database; nil for its path.
    /// - Returns: nil when the database holds no metadata of ours: it is empty or foreign.
    /// - Throws: `StoreError.unreadable` when there is metadata that cannot be understood, or a table of ours is missing or has another
    ///   form; `SQLiteError`.
    package static func read(_ connection: Connection, generation: Int64? = nil, as name: String? = nil) throws -> StoreMetadata? {
        let path = name ?? connection.path
        var (values, forms) = ([String: String](), String?.none)
        do {
            (values, forms) = try pairs(connection)
        } catch let error as SQLiteError where error.code.primary == .error {
            guard try hasAllTables(connection, path) else { return nil }
            // A statement that does not compile takes no snapshot. All our tables are there in our form now, so the store was made between
            // the two, and is in the snapshot that the second has taken.
            (values, forms) = try pairs(connection)
        }
        guard let forms else { return nil }
        if forms != expectedForms, try !hasAllTables(connection, path) { return nil }
        return try StoreMetadata(values, generation: generation ?? self.generation(of: connection), path: path)
    }

    /// The pairs of the metadata, and the texts of our tables in one value: what makes tables of that text finds ours.
    private static func pairs(_ connection: Connection) throws -> (values: [String: String], forms: String?) {
        let statement = try connection.statement(
            "SELECT key, value, (SELECT group_concat(sql, ';') FROM (SELECT sql \(ourTables) ORDER BY name)) FROM storekeeper_metadata")
        defer { statement.reset() }
        var (values, forms) = ([String: String](), String?.none)
        while try statement.step() {
            values[statement.text(0)] = statement.text(1)
            forms = forms ?? statement.text(2)
        }
        return (values, forms)
    }

    /// Our statements in the order of the tables' names.
    private static let expectedForms = [HistoryEntry.createStatement, createStatements[0], StoredSchema.createStatement].joined(
        separator: ";")

    /// Whether a table has the form that we gave it: the same statement, however its name is quoted since somebody renamed it and back.
    private static func isForm(_ sql: String?, of statement: String) -> Bool {
        func bare(_ text: String) -> String { String(text.lowercased().filter { !$0.isWhitespace && !"\"'`[]".contains($0) }) }
        return sql.map { bare($0) == bare(statement) } ?? false
    }

    /// Makes our tables, within the transaction of the caller. Those that are there and have our form stay as they are; whatever else has
    /// their names is dropped.
    package static func makeTables(_ connection: Connection) throws {
        for (name, statement) in zip(tableNames, createStatements) {
            let found = try connection.row(
                "SELECT type, name, sql FROM sqlite_schema WHERE type <> 'trigger' AND name = ? COLLATE NOCASE", .text(name))
            if let found, let type = found[0].text {
                if type == "table", found[1].text == name, isForm(found[2].text, of: statement) { continue }
                connection.finalizeStatements()
                try connection.run("DROP \(type) \(name)")
            }
            try connection.run(statement)
        }
    }

    /// Whether a database is, or once was, a store: it has the mark of one, or one of our tables.
    package static func hasTraces(in connection: Connection) throws -> Bool {
        try connection.scalar("PRAGMA application_id")?.integer == applicationID
            || connection.scalar("SELECT 1 \(ourTables) LIMIT 1") != nil
    }

    /// Our tables that a database lacks.
    package static func missingTables(in connection: Connection) throws -> [String] {
        let tables = Set(try connection.rows("SELECT name \(ourTables)").compactMap { $0[0].text })
        return tableNames.filter { !tables.contains($0) }
    }

    /// Whether our tables are there; false where the one that makes a database a store is not.
    ///
    /// - Throws: `StoreError.unreadable` naming another one that is missing, or one that has another form than ours.
    private static func hasAllTables(_ connection: Connection, _ path: String) throws -> Bool {
        let missing = try missingTables(in: connection)
        if missing.contains(tableNames[0]) { return false }
        func damaged(_ what: String) -> StoreError {
            StoreError(
                .unreadable, "\(path) \(what)", remedy: "restore a backup, or adopt it with its plan", path: path)
        }
        if let missing = missing.first { throw damaged("has lost its table \(missing)") }
        for (name, statement) in zip(tableNames, createStatements) {
            let sql = try connection.scalar("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", .text(name))?.text
            guard isForm(sql, of: statement) else {
                throw damaged("has a table \(name) of another form than the one that it was made with")
            }
        }
        return true
    }

    /// `PRAGMA user_version`; as a first statement it takes the snapshot of a read transaction.
    package static func generation(of connection: Connection) throws -> Int64 {
        try connection.scalar("PRAGMA user_version")?.integer ?? 0
    }

    /// `PRAGMA schema_version`, another number after every change of the schema.
    package static func cookie(of connection: Connection) throws -> Int64 {
        try connection.scalar("PRAGMA schema_version")?.integer ?? 0
    }

    /// The epoch alone; nil when the database holds no metadata of ours.
    package static func epoch(of connection: Connection) throws -> Int64? {
        try connection.scalar("SELECT value FROM storekeeper_metadata WHERE key = 'epoch'")?.text.flatMap { Int64($0) }
    }

    /// Writes every key, the generation and the application's id, within the transaction of the caller.
    ///
    /// - Throws: `StoreError.unreadable` for a generation that no store can have, `SQLiteError`.
    package func write(_ connection: Connection) throws {
        guard Self.generations.contains(generation) else { throw Self.strange(generation, connection.path) }
        let values: [(String, String?)] = [
            ("format", String(format)), ("store_id", storeID), ("front_end", frontEnd), ("version", version.description),
            ("fingerprint", fingerprint.hex), ("shape", shape.hex), ("readable_by", SchemaIdentity.list(readableBy)),
            ("epoch", String(epoch)), ("target", target?.description), ("stage", stage.map(String.init)), ("cursor", cursor),
            ("tolerated", tolerated), ("adopted_user_version", adoptedUserVersion.map(String.init)),
            ("adopted_application_id", adoptedApplicationID.map(String.init)),
        ]
        for (key, value) in values {
            if let value {
                try connection.run(
                    "INSERT INTO storekeeper_metadata(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
                    .text(key), .text(value))
            } else {
                try connection.run("DELETE FROM storekeeper_metadata WHERE key = ?", .text(key))
            }
        }
        // Pragmas take no parameters; both are integers.
        try connection.execute("PRAGMA user_version = \(generation); PRAGMA application_id = \(Self.applicationID)")
    }

    private static func strange(_ generation: Int64, _ path: String) -> StoreError {
        StoreError(
            .unreadable, "\(path) has the generation (user_version) \(generation), which no store comes to",
            remedy: "restore a backup", path: path)
    }

    private init(_ values: [String: String], generation: Int64, path: String) throws {
        func read<Value>(_ key: String, _ make: (String) -> Value?) throws -> Value {
            guard let text = values[key], let value = make(text) else {
                throw StoreError(
                    .unreadable, "the metadata of \(path) has no \(key) that can be read",
                    remedy: "open it with the release that made it, or restore a backup", path: path)
            }
            return value
        }
        func optional<Value>(_ key: String, _ make: (String) -> Value?) throws -> Value? {
            values[key] == nil ? nil : try read(key, make)
        }
        let format = try read("format") { Int64($0) }
        guard format <= Self.currentFormat else {
            throw StoreError(
                .storeTooNew, "\(path) has the layout \(format) of a newer release", remedy: "use that release of Storekeeper", path: path)
        }
        guard Self.generations.contains(generation) else { throw Self.strange(generation, path) }
        self.init(
            format: format, storeID: try read("store_id") { $0 }, frontEnd: try read("front_end") { $0 },
            version: try read("version") { SchemaVersion($0) }, fingerprint: try read("fingerprint") { Fingerprint(hex: $0) },
            shape: try read("shape") { Fingerprint(hex: $0) }, readableBy: try read("readable_by") { SchemaIdentity.parseList($0) },
            epoch: try read("epoch") { Int64($0).flatMap { (0...Self.highestEpoch).contains($0) ? $0 : nil } }, generation: generation,
            target: try optional("target") { SchemaIdentity($0) },
            stage: try optional("stage") { Int($0) }, cursor: values["cursor"], tolerated: values["tolerated"],
            adoptedUserVersion: try optional("adopted_user_version") { Int64($0) },
            adoptedApplicationID: try optional("adopted_application_id") { Int64($0) })
    }
}
