import ProcessHarness
import StoreSQLite
import Testing

/// A store with everything in it that a rebuild can lose, taken to its next version by the daemon.
@Suite struct LibraryTests {
    private func library() throws -> PlanStore {
        let store = try PlanStore()
        try store.make([LibraryPlan.one])
        try store.load(LibraryPlan.rows)
        return store
    }

    @Test(arguments: ["plan", "stage"]) func aRebuildKeepsEverything(atomicity: String) throws {
        let store = try library()
        let generation = try store.value("PRAGMA user_version")?.integer ?? 0
        let outcome = try store.migrate([LibraryPlan.one, LibraryPlan.two], "--atomicity", atomicity)
        #expect(outcome.ending == .exit(0), "\(outcome)")
        for (question, answer) in LibraryPlan.questionsAtTwo { #expect(try store.value(question) == .text(answer), "\(question)") }
        #expect(try store.value("PRAGMA user_version") == .integer(generation + 1))
        // Indexes byte for byte, partial and descending.
        for text in [
            "CREATE UNIQUE INDEX book_title ON book(title) WHERE price > 0", "CREATE INDEX author_name ON author(name DESC, born)",
        ] {
            #expect(try store.value("SELECT count(*) FROM sqlite_schema WHERE sql = '\(text)'") == 1)
        }
        // All of it works on: ids go on where they were, each trigger fires once, the view takes rows, keys cascade, the search finds.
        try store.load(
            """
            PRAGMA foreign_keys = ON; INSERT INTO shelf(name) VALUES ('Eve'); INSERT INTO page(text) VALUES ('a plum');
            DELETE FROM loan; DELETE FROM author WHERE name = 'BO';
            """)
        #expect(try store.rows("SELECT id FROM author WHERE name = 'eve'") == [[10]])
        #expect(try store.rows("SELECT what FROM log ORDER BY rowid") == [["gone More notes"], ["gone Songs"], ["gone Draft"]])
        #expect(try store.rows("SELECT rowid FROM page_search WHERE page_search MATCH 'plum'") == [[13]])
        #expect(throws: SQLiteError.self) { try store.load("INSERT INTO author(name) VALUES ('ADA')") }
        #expect(throws: SQLiteError.self) { try store.load("INSERT INTO book(title, price) VALUES ('Free', -1)") }
        #expect(try store.rows("PRAGMA integrity_check") == [["ok"]])
    }

    @Test func aColumnThatAViewAndATriggerUseIsNotDropped() throws {
        let store = try library()
        var two = LibraryPlan.two
        two["2.0.0/schema.sql"] = LibraryPlan.one["1.0.0/schema.sql", default: ""].replacing(
            "name TEXT COLLATE NOCASE, born TEXT", with: "born TEXT"
        )
        .replacing("author(name DESC, born)", with: "author(born)")
        two["2.0.0/stage.json"] = #"{"allowLoss": ["author.name"]}"#
        two["2.0.0/will.sql"] = nil
        two["2.0.0/did.sql"] = nil
        let outcome = try store.migrate([LibraryPlan.one, two])
        #expect(outcome.ending == .exit(7))
        #expect(outcome.errors.first?.contains("shelf") == true, "\(outcome)")
        #expect(try store.version == "1.0.0")
        #expect(try store.value("SELECT group_concat(name) FROM (SELECT name FROM author ORDER BY id)") == "Ada,ADA,Bo")
    }

    /// The version that the store has is not among those of the plan.
    @Test func aPlanWithoutTheStoresVersionNamesIt() throws {
        let store = try library()
        let outcome = try store.migrate([LibraryPlan.three])
        #expect(outcome.ending == .exit(8), "\(outcome)")
        #expect(outcome.errors.first?.contains("1.0.0") == true, "\(outcome)")
        #expect(try store.version == "1.0.0")
    }
}
