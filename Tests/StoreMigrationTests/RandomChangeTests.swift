import Foundation
import PlanHarness
import StoreShared
import StoreSQLite
import Testing

@testable import StoreMigration

/// Random schemas, changed at random: whatever the change, every value that both versions have must arrive.
@Suite("Random changes")
struct RandomChangeTests {
    @Test("every value arrives, ids and marks are kept, and the schema is the declared one", arguments: 0..<60)
    func arrive(seed: Int) throws {
        try check(seed) { bench, old, new, frontEnd in
            try bench.migrate(to: new.sql, frontEnd: frontEnd, renames: new.renames(from: old), losses: .allowed)
        }
    }

    @Test("so they do where old and new tables exist at once", arguments: 0..<30)
    func arriveMapped(seed: Int) throws {
        try check(seed) { bench, old, new, frontEnd in
            let snapshots = try [(SchemaVersion.one, old), (.two, new)].map {
                try SchemaSnapshot(version: $0, frontEnd: frontEnd, statements: $1.sql.components(separatedBy: ";\n"))
            }
            let stage = PlannedStage(
                from: .one, to: .two, kind: .mapped(rewriting: [], body: { _, _ in }), renames: new.renames(from: old), losses: .allowed)
            try bench.connection.writing {
                try StageRun(
                    connection: bench.connection, stage: stage, old: snapshots[0], new: snapshots[1], losses: .allowed, progress: .silent
                ).run(isChecked: false)
            }
        }
    }

    @Test("T45: the same schema by every way, through three versions that are changed at random", arguments: 0..<40)
    func threeWays(seed: Int) throws {
        var random = SplitMix(seed: UInt64(1000 + seed))
        var schemas = [RandomSchema(using: &random)]
        for _ in 1...2 {
            var next = schemas[schemas.count - 1]
            for _ in 0..<Int.random(in: 1...4, using: &random) { next.mutate(using: &random) }
            // A version that is as the one before is none.
            next.addTable(using: &random)
            schemas.append(next)
        }
        let frontEnd: FrontEnd = Bool.random(using: &random) ? .sql : .models
        let versions = try zip([SchemaVersion.one, .two, .three], schemas).map {
            try SchemaSnapshot(version: $0, frontEnd: frontEnd, statements: $1.sql.components(separatedBy: ";\n"))
        }
        func stage(_ from: Int, _ to: Int) -> PlannedStage {
            PlannedStage(
                from: versions[from].version, to: versions[to].version, renames: schemas[to].renames(from: schemas[from]), losses: .allowed)
        }
        try ThreeWays(MigrationPlan(versions: versions, stages: [stage(0, 1), stage(1, 2)])).check()
        try ThreeWays(MigrationPlan(versions: versions, stages: [stage(0, 1), stage(1, 2), stage(0, 2)])).check()
    }

    private func check(_ seed: Int, _ migrate: (Bench, RandomSchema, RandomSchema, FrontEnd) throws -> Void) throws {
        var random = SplitMix(seed: UInt64(seed))
        let old = RandomSchema(using: &random)
        var new = old
        for _ in 0..<Int.random(in: 1...6, using: &random) { new.mutate(using: &random) }
        let frontEnd: FrontEnd = Bool.random(using: &random) ? .sql : .models
        let bench = try Bench(old.sql)
        for table in old.tables {
            for row in 0..<20 { try bench.connection.run(table.insertion(row)) }
        }
        for table in old.tables.reversed() {
            try bench.connection.run(
                "DELETE FROM \(SQLName.quoted(table.name)) WHERE \(SQLName.quoted(table.columns[0].name)) IN (3, 17, 19)")
        }
        let values = try old.values(in: bench.connection)
        let mark =
            try bench.connection.scalar("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'") == 1
            ? bench.rows("SELECT name, seq FROM sqlite_sequence ORDER BY name") : []
        try migrate(bench, old, new, frontEnd)

        let arrived = try new.values(in: bench.connection)
        for (key, before) in values {
            guard let after = arrived[key] else { continue }
            #expect(after == before, "seed \(seed), \(key)")
        }
        #expect(try bench.column("PRAGMA integrity_check") == ["ok"])
        #expect(try bench.rows("PRAGMA foreign_key_check").isEmpty)
        for row in mark {
            guard let table = old.tables.first(where: { .text($0.name) == row[0] }),
                let now = new.tables.first(where: { $0.id == table.id })
            else { continue }
            #expect(try bench.scalar("SELECT seq FROM sqlite_sequence WHERE name = '\(now.name)'") == row[1], "seed \(seed)")
        }
        // The way there does not matter: nothing is left to do for a fresh copy of the declared schema.
        #expect(try bench.plan(to: new.sql, frontEnd: frontEnd).isEmpty)
    }
}

private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A schema whose tables and columns keep an identity through renames.
private struct RandomSchema {
    struct Column {
        let id: Int
        var name: String
        var type: String
        var suffix = ""
        var isGenerated = false
    }

    struct Table {
        let id: Int
        var name: String
        /// The first is the key.
        var columns: [Column]
        var key: String
        var options: String
        var parent: Int?
        var indexes: [Int: Int] = [:]
        var hasView = false
        var hasTrigger = false

        func insertion(_ row: Int) -> String {
            let stored = columns.filter { !$0.isGenerated }
            let values = stored.map { column in
                column.type == "TEXT" ? "'\((row * 7 + column.id) % 40)'" : "\(row * 7 % 40 + (column.id == columns[0].id ? row * 100 : 0))"
            }
            let named = stored.map { SQLName.quoted($0.name) }.joined(separator: ", ")
            return
                "INSERT INTO \(SQLName.quoted(name)) (\(named)) VALUES (\(([String(row + 1)] + values.dropFirst()).joined(separator: ", ")))"
        }
    }

    var tables: [Table] = []
    private var nextID = 0

    init(using random: inout SplitMix) {
        for _ in 0..<Int.random(in: 1...3, using: &random) { addTable(using: &random) }
    }

    private mutating func newID() -> Int {
        nextID += 1
        return nextID
    }

    private mutating func freshName(_ stem: String, using random: inout SplitMix) -> String {
        _ = newID()
        let styles = ["\(stem)\(nextID)", "\(stem) \(nextID)", "\(stem)\"\(nextID)", "order\(nextID)", "\(stem).\(nextID)"]
        return styles.randomElement(using: &random) ?? stem
    }

    mutating func addTable(using random: inout SplitMix) {
        let keys = [
            ("INTEGER PRIMARY KEY", ""), ("INTEGER PRIMARY KEY AUTOINCREMENT", ""), ("INTEGER", ""),
            ("INTEGER PRIMARY KEY", "WITHOUT ROWID"),
        ]
        let (key, options) = keys[Int.random(in: 0..<keys.count, using: &random)]
        let id = newID()
        var table = Table(
            id: id, name: freshName("t", using: &random), columns: [Column(id: newID(), name: "id", type: "")], key: key, options: options)
        for _ in 0..<Int.random(in: 1...4, using: &random) { table.columns.append(newColumn(using: &random)) }
        if let parent = tables.first(where: { $0.key.contains("PRIMARY") }), Bool.random(using: &random) { table.parent = parent.id }
        table.hasView = Bool.random(using: &random)
        table.hasTrigger = Bool.random(using: &random)
        if let column = table.columns.last { table.indexes[newID()] = column.id }
        tables.append(table)
    }

    private mutating func newColumn(using random: inout SplitMix) -> Column {
        let id = newID()
        var column = Column(
            id: id, name: freshName("c", using: &random), type: ["TEXT", "INTEGER", "REAL"].randomElement(using: &random) ?? "TEXT")
        let suffixes = ["", "NOT NULL DEFAULT 5", "DEFAULT (1 + 1)", "COLLATE NOCASE", "CHECK(1 > 0)"]
        column.suffix = suffixes.randomElement(using: &random) ?? ""
        return column
    }

    mutating func mutate(using random: inout SplitMix) {
        let at = Int.random(in: 0..<tables.count, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: addTable(using: &random)
        case 1 where tables.count > 1 && !tables.contains { $0.parent == tables[at].id }: tables.remove(at: at)
        case 2: tables[at].columns.insert(newColumn(using: &random), at: Int.random(in: 1...tables[at].columns.count, using: &random))
        case 3: tables[at].columns.append(newColumn(using: &random))
        case 4 where tables[at].columns.count > 2:
            let column = Int.random(in: 1..<tables[at].columns.count, using: &random)
            let id = tables[at].columns[column].id
            tables[at].columns.remove(at: column)
            tables[at].indexes = tables[at].indexes.filter { $0.value != id }
        case 5: tables[at].name = freshName("n", using: &random) + "x"
        case 6:
            let column = Int.random(in: 1..<tables[at].columns.count, using: &random)
            tables[at].columns[column].name = freshName("d", using: &random) + "y"
        case 7 where tables[at].columns.count > 2: tables[at].columns.swapAt(1, 2)
        case 8:
            let column = Int.random(in: 1..<tables[at].columns.count, using: &random)
            tables[at].columns[column].type = ["TEXT", "INTEGER", "REAL"].randomElement(using: &random) ?? "TEXT"
        case 9 where tables[at].columns.count > 2:
            (tables[at].columns[1].name, tables[at].columns[2].name) = (tables[at].columns[2].name, tables[at].columns[1].name)
        case 10 where tables.count > 1: (tables[0].name, tables[1].name) = (tables[1].name, tables[0].name)
        case 11:
            tables[at].hasView.toggle()
            tables[at].indexes[newID()] = tables[at].columns.randomElement(using: &random)?.id
        default: tables[at].hasTrigger.toggle()
        }
    }

    var sql: String {
        var statements: [String] = []
        for table in tables {
            let name = SQLName.quoted(table.name)
            var items = table.columns.map { column in
                "\(SQLName.quoted(column.name)) \(column.id == table.columns[0].id ? table.key : "\(column.type) \(column.suffix)")"
            }
            if let parent = table.parent.flatMap({ id in tables.first { $0.id == id } }) {
                items.append("FOREIGN KEY (\"id\") REFERENCES \(SQLName.quoted(parent.name)) (\"id\") ON DELETE CASCADE")
            }
            statements.append("CREATE TABLE \(name) (\(items.joined(separator: ", "))) \(table.options)")
        }
        for table in tables {
            let name = SQLName.quoted(table.name)
            for (id, column) in table.indexes.sorted(by: { $0.key < $1.key }) {
                guard let column = table.columns.first(where: { $0.id == column }) else { continue }
                let condition = id.isMultiple(of: 2) ? " WHERE \(SQLName.quoted(column.name)) <> 'x'" : ""
                statements.append("CREATE INDEX i\(id) ON \(name) (\(SQLName.quoted(column.name)) DESC)\(condition)")
            }
            if table.hasView {
                statements.append("CREATE VIEW v\(table.id) AS SELECT \(SQLName.quoted(table.columns[1].name)) AS x FROM \(name)")
            }
            if table.hasTrigger {
                let column = SQLName.quoted(table.columns[1].name)
                statements.append("CREATE TRIGGER g\(table.id) AFTER UPDATE OF \(column) ON \(name) BEGIN SELECT new.\(column); END")
            }
        }
        return statements.joined(separator: ";\n")
    }

    func renames(from old: RandomSchema) -> [Rename] {
        tables.flatMap { table -> [Rename] in
            guard let before = old.tables.first(where: { $0.id == table.id }) else { return [] }
            let columns = table.columns.compactMap { column -> Rename? in
                guard let older = before.columns.first(where: { $0.id == column.id }), older.name != column.name else { return nil }
                return .column(table: table.name, from: older.name, to: column.name)
            }
            return (before.name == table.name ? [] : [.table(from: before.name, to: table.name)]) + columns
        }
    }

    /// Of each column, by identities, its values as text in the order of the rows, with the rowid where there is one.
    func values(in connection: Connection) throws -> [String: [[Value]]] {
        var values: [String: [[Value]]] = [:]
        for table in tables {
            let rowid = table.options.isEmpty ? "rowid" : "\"id\""
            for column in table.columns {
                let rows = try connection.rows(
                    "SELECT \(rowid), CAST(CAST(\(SQLName.quoted(column.name)) AS REAL) AS TEXT) FROM \(SQLName.quoted(table.name)) ORDER BY 1"
                )
                values["\(table.id).\(column.id)"] = rows
            }
        }
        return values
    }
}
