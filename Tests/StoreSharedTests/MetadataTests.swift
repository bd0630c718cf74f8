import StoreSQLite
import StoreShared
import Testing

@Suite struct MetadataTests {
    private let connection: Connection
    private let metadata: StoreMetadata

    init() throws {
        connection = try Connection.inMemory()
        for statement in StoreMetadata.createStatements { try connection.execute(statement) }
        metadata = StoreMetadata(
            storeID: try StoreMetadata.newStoreID(), frontEnd: "models", version: SchemaVersion(1, 0, 0),
            fingerprint: Fingerprint(of: "one"),
            shape: Fingerprint(of: "shape"),
            readableBy: [SchemaIdentity(version: SchemaVersion(1, 0, 0), fingerprint: Fingerprint(of: "one"))],
            epoch: 3, generation: 5, target: SchemaIdentity(version: SchemaVersion(2, 0, 0), fingerprint: Fingerprint(of: "two")), stage: 1,
            cursor: "42")
    }

    @Test func metadataIsReadAsItWasWritten() throws {
        #expect(try StoreMetadata.read(connection) == nil)
        try connection.writing { try metadata.write(connection) }
        #expect(try StoreMetadata.read(connection) == metadata)
        #expect(try connection.scalar("PRAGMA user_version") == 5)
        #expect(try connection.scalar("PRAGMA application_id") == 0x534B_5052)
        var done = metadata
        done.target = nil
        done.stage = nil
        done.cursor = nil
        try connection.writing { try done.write(connection) }
        #expect(try StoreMetadata.read(connection) == done)
    }

    /// There is no store yet, or all of it: never an error, at whatever moment between two statements it is made.
    @Test func whoLooksWhileAStoreIsMadeSeesAllOfItOrNothing() throws {
        let folder = try TemporaryFolder()
        for round in 0..<50 {
            let path = folder.path + "/\(round).store"
            let made = try Connection(path: path, access: .create)
            defer { made.close() }
            try made.execute("PRAGMA journal_mode = WAL")
            let reader = try Connection(path: path, access: .readOnly)
            defer { reader.close() }
            #expect(try StoreMetadata.read(reader) == nil)
            let thread = try WorkerThread("maker") { [metadata] in
                #expect(throws: Never.self) {
                    let writer = try Connection(path: path, access: .readWrite)
                    defer { writer.close() }
                    try writer.execute("PRAGMA synchronous = OFF")
                    try writer.writing {
                        for statement in StoreMetadata.createStatements { try writer.execute(statement) }
                        try metadata.write(writer)
                    }
                }
            }
            defer { thread.join() }
            while true {
                guard let found = try reader.reading({ try StoreMetadata.read(reader) }) else { continue }
                #expect(found == metadata)
                break
            }
        }
    }

    @Test func anotherDatabaseHasNoMetadata() throws {
        let other = try Connection.inMemory()
        #expect(try StoreMetadata.read(other) == nil)
    }

    @Test func damagedMetadataIsNamed() throws {
        try metadata.write(connection)
        try connection.run("UPDATE storekeeper_metadata SET value = 'two' WHERE key = 'version'")
        let error = #expect(throws: StoreError.self) { try StoreMetadata.read(connection) }
        #expect(error?.description.contains("version") == true)
        try metadata.write(connection)
        try connection.run("UPDATE storekeeper_metadata SET value = '9' WHERE key = 'format'")
        #expect(throws: StoreError.self) { try StoreMetadata.read(connection) }
    }

    @Test(
        "a generation that no store comes to is damage, and is not written",
        arguments: [-1, Int64(Int32.min), Int64(Int32.max)])
    func strangeGeneration(generation: Int64) throws {
        try metadata.write(connection)
        try connection.execute("PRAGMA user_version = \(generation)")
        let error = #expect(throws: StoreError.self) { try StoreMetadata.read(connection) }
        #expect(error?.code == .unreadable)
        #expect(error?.description.contains("generation (user_version) \(generation)") == true)
        #expect(error?.remedy == "restore a backup")
        var strange = metadata
        strange.generation = generation
        #expect(throws: StoreError.self) { try strange.write(connection) }
    }

    @Test func theLastGenerationHasNoneAboveIt() throws {
        var last = metadata
        last.generation = Int64(Int32.max) - 1
        try last.write(connection)
        #expect(try StoreMetadata.read(connection) == last)
        #expect(try StoreMetadata.generation(above: 7, last.generation - 1, of: "s") == last.generation)
        let error = #expect(throws: StoreError.self) { try StoreMetadata.generation(above: 7, last.generation, of: "s") }
        #expect(error?.code == .planRefused)
    }

    @Test(
        "a table of ours of another form is named",
        arguments: [
            ("storekeeper_metadata", "x"), ("storekeeper_metadata", "key, value"), ("storekeeper_history", "x"),
            ("storekeeper_schema", "x"), ("storekeeper_history", "id INTEGER PRIMARY KEY, to_version TEXT NOT NULL"),
        ])
    func otherForm(name: String, columns: String) throws {
        try metadata.write(connection)
        try connection.execute(
            "CREATE TEMP TABLE kept AS SELECT * FROM \(name); DROP TABLE \(name); CREATE TABLE \(name)(\(columns))")
        if columns.contains("value") { try connection.execute("INSERT INTO \(name) SELECT * FROM kept") }
        let error = #expect(throws: StoreError.self) { try StoreMetadata.read(connection) }
        #expect(error?.code == .unreadable)
        #expect(error?.message.contains("table \(name) of another form") == true)
        #expect(error?.remedy.isEmpty == false)
    }

    @Test func aTableThatWasRenamedAndBackIsOurs() throws {
        try metadata.write(connection)
        for name in ["storekeeper_metadata", "storekeeper_history", "storekeeper_schema"] {
            try connection.execute("ALTER TABLE \(name) RENAME TO away; ALTER TABLE away RENAME TO \(name)")
        }
        #expect(try StoreMetadata.read(connection) == metadata)
    }

    @Test func theHistoryKnowsWhatTheStoreHasLeft() throws {
        let one = Fingerprint(of: "one")
        let entry = HistoryEntry(
            from: SchemaVersion(1, 0, 0), to: SchemaVersion(1, 0, 0), outcome: .applied, startedAt: .now, seconds: 0.5, rows: 10, epoch: 2,
            owner: "notesd 12", fingerprintBefore: one, fingerprintAfter: Fingerprint(of: "two"))
        var failed = entry
        failed.outcome = .failed
        failed.reason = "no room"
        failed.fingerprintBefore = Fingerprint(of: "never left")
        try entry.insert(connection)
        try failed.insert(connection)
        #expect(try HistoryEntry.all(connection) == [entry, failed])
        #expect(try HistoryEntry.hasLeft(SchemaVersion(1, 0, 0), one, connection))
        #expect(try !HistoryEntry.hasLeft(SchemaVersion(2, 0, 0), one, connection))
        #expect(try !HistoryEntry.hasLeft(SchemaVersion(1, 0, 0), Fingerprint(of: "never left"), connection))
    }

    @Test func theSnapshotOfTheSchemaIsKeptInOrder() throws {
        let schema = StoredSchema(
            identity: metadata.identity, frontEnd: "models", statements: (0..<12).map { "CREATE TABLE t\($0)(a)" }, annotations: ["t0": "x"]
        )
        try schema.write(connection)
        try schema.write(connection)
        #expect(try StoredSchema.read(connection, metadata.identity) == schema)
        #expect(try StoredSchema.read(connection, SchemaIdentity(version: SchemaVersion(9, 0, 0))) == nil)
    }
}
