import Testing

@testable import StoreSQLite

@Suite("A connection")
struct ConnectionTests {
    @Test func `binds and reads every kind of value unchanged`() throws {
        let connection = try Connection.inMemory()
        let values: [Value] = [.null, .integer(.min), .real(0.1), .text("a\0b'é"), .text(""), .blob([0, 255]), .blob([])]
        for value in values {
            #expect(try connection.row("SELECT ?", value) == [value])
        }
    }

    @Test func `compiles a statement once for each generation of the schema`() throws {
        let connection = try Connection.inMemory()
        for _ in 0..<3 { _ = try connection.scalar("SELECT 1") }
        #expect(connection.counts.prepared == 1)
        connection.generation = 2
        _ = try connection.scalar("SELECT 1")
        #expect(connection.counts.prepared == 2)
    }

    @Test func `takes two texts that look alike for two statements`() throws {
        let connection = try Connection.inMemory()
        defer { connection.close() }
        #expect(try connection.scalar("SELECT hex('\u{E9}')") == "C3A9")
        #expect(try connection.scalar("SELECT hex('e\u{301}')") == "65CC81")
        #expect(try connection.scalar("SELECT hex('\u{E9}')") == "C3A9")
    }

    @Test func `keeps no more statements than its cache holds`() throws {
        let connection = try Connection.inMemory()
        for number in 0..<200 { _ = try connection.scalar("SELECT \(number)") }
        _ = try connection.scalar("SELECT 199")
        #expect(connection.counts.prepared == 200)
        _ = try connection.scalar("SELECT 0")
        #expect(connection.counts.prepared == 201)
    }

    @Test func `hands out a second statement while the first of the same text is being stepped`() throws {
        let connection = try Connection.inMemory()
        let outer = try connection.statement("SELECT 1 UNION ALL SELECT 2")
        #expect(try outer.step())
        let inner = try connection.statement("SELECT 1 UNION ALL SELECT 2")
        #expect(try inner.step())
        #expect(inner !== outer)
        #expect(try outer.step())
    }

    @Test func `refuses a second statement in a text that should hold one`() throws {
        let connection = try Connection.inMemory()
        #expect(throws: SQLiteError.self) { try connection.run("SELECT 1; SELECT 2") }
        #expect(throws: SQLiteError.self) { try connection.run("  -- nothing") }
        try connection.run("SELECT 1; -- the rest is a comment")
    }

    @Test func `stops when a statement ends the transaction by itself`() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")
        #expect(throws: SQLiteError.self) {
            try connection.writing {
                try connection.run("INSERT INTO t VALUES (2)")
                try? connection.run("INSERT OR ROLLBACK INTO t VALUES (1)")
                try connection.run("CREATE TABLE late(a)")
            }
        }
        #expect(try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") == [["t"]])
        #expect(try connection.scalar("SELECT count(*) FROM t") == 1)
    }

    @Test func `undoes a savepoint alone`() throws {
        struct Stop: Error {}
        let connection = try Connection.inMemory()
        try connection.writing {
            try connection.execute("CREATE TABLE t(a)")
            #expect(throws: Stop.self) {
                try connection.savepoint {
                    try connection.run("INSERT INTO t VALUES (1)")
                    throw Stop()
                }
            }
            try connection.run("INSERT INTO t VALUES (2)")
        }
        #expect(try connection.rows("SELECT a FROM t") == [[2]])
    }

    @Test func `switches foreign keys inside a transaction, but not while violations stand`() throws {
        let connection = try Connection.inMemory()
        try connection.setForeignKeys(true)
        try connection.execute("CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p REFERENCES p DEFERRABLE INITIALLY DEFERRED)")
        #expect(throws: SQLiteError.self) {
            try connection.writing {
                try connection.setForeignKeys(false)
                try connection.setForeignKeys(true)
                try connection.run("INSERT INTO c VALUES (7)")
                try connection.setForeignKeys(false)
            }
        }
        #expect(try connection.scalar("PRAGMA foreign_keys") == 1)
    }

    @Test func `is interrupted by its progress handler`() throws {
        let connection = try Connection.inMemory()
        connection.onProgress(everySteps: 100) { false }
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        #expect { try connection.run(endless) } throws: { ($0 as? SQLiteError)?.code == .interrupted }
    }

    @Test func `asks the authorizer before a statement runs`() throws {
        let connection = try Connection.inMemory()
        try connection.authorize { $0.kind != .attach }
        #expect(throws: SQLiteError.self) { try connection.execute("ATTACH ':memory:' AS other") }
        try connection.authorize(nil)
        try connection.execute("ATTACH ':memory:' AS other")
    }

    @Test func `runs Swift code as functions and collations`() throws {
        let connection = try Connection.inMemory()
        try connection.register(function: "twice", arguments: 1) { [.text(($0[0].text ?? "") + ($0[0].text ?? ""))][0] }
        #expect(try connection.scalar("SELECT twice('ab')") == "abab")
        try connection.register(collation: "BYLENGTH") { $0.count - $1.count }
        #expect(
            try connection.rows("SELECT * FROM (VALUES ('bbb'), ('cc'), ('a')) ORDER BY 1 COLLATE BYLENGTH") == [["a"], ["cc"], ["bbb"]])
    }

    @Test(arguments: [Value.null, .integer(-1), .real(2.5), .text(""), .text("é\0x"), .blob([]), .blob([0])])
    func `gives back what a function in Swift gives`(value: Value) throws {
        let connection = try Connection.inMemory()
        try connection.register(function: "same", arguments: 1) { $0[0] }
        #expect(try connection.row("SELECT same(?)", value) == [value])
    }

    @Test func `names file, cause and remedy of what fails`() throws {
        #expect {
            try Connection(path: "/nowhere/at/all.store", access: .readOnly)
        } throws: { error in
            guard let error = error as? SQLiteError else { return false }
            return error.code.primary == .cannotOpen && error.systemError == 2 && error.description.contains("/nowhere/at/all.store")
                && error.remedy.contains("does not exist")
        }
    }

    @Test func `copies a whole database`() throws {
        let source = try Connection.inMemory()
        try source.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
        let copy = try Connection.inMemory()
        let backup = try Backup(from: source, to: copy)
        while try backup.step(pages: 1) {}
        #expect(try copy.rows("SELECT a FROM t") == [[1], [2]])
    }

    @Test func `throws after it was closed`() throws {
        let connection = try Connection.inMemory()
        let statement = try connection.prepare("SELECT 1")
        connection.close()
        #expect(throws: SQLiteError.self) { try statement.step() }
        #expect(throws: SQLiteError.self) { try connection.run("SELECT 1") }
        connection.close()
    }
}
