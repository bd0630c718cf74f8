import StoreSQLite

/// Carries links over a change of the schema, by way of temporary tables.
struct LinkCarrier {
    let connection: Connection
    let links: [CarriedLinks]
    let progress: MigrationProgress

    private func table(_ index: Int) -> String { "temp.storekeeper_links_\(index)" }

    /// Sets the links aside; to be called on the schema before.
    func setAside() throws {
        for (index, link) in links.enumerated() {
            try progress.check()
            let table = table(index)
            try connection.run(
                "CREATE TABLE \(table) (first INTEGER NOT NULL, second INTEGER NOT NULL, PRIMARY KEY (first, second)) WITHOUT ROWID")
            try connection.run("INSERT OR IGNORE INTO \(table) \(link.source)")
            if case .column(_, _, .second) = link.place {
                try connection.run("CREATE INDEX \(table)_second ON storekeeper_links_\(index) (second)")
            }
        }
    }

    /// Puts the links in their new place; to be called on the new schema.
    ///
    /// - Throws: `MigrationRefusal` naming the relationship for links that have no place there, since a column holds one value.
    func putDown() throws {
        var refusals: [Refusal] = []
        for (index, link) in links.enumerated() {
            try progress.check()
            if let refusal = try putDown(link, table(index)) { refusals.append(refusal) }
            try connection.run("DROP TABLE \(table(index))")
        }
        if !refusals.isEmpty { throw MigrationRefusal(refusals) }
    }

    private func putDown(_ link: CarriedLinks, _ links: String) throws -> Refusal? {
        switch link.place {
        case .pairs(let table, let first, let second):
            try connection.run(
                """
                INSERT OR IGNORE INTO \(SQLName.quoted(table)) (\(SQLName.quoted(first)), \(SQLName.quoted(second))) \
                SELECT first, second FROM \(links)
                """)
            return nil
        case .column(let table, let column, let end):
            let (table, column) = (SQLName.quoted(table), SQLName.quoted(column))
            let (own, other) = end == .first ? ("first", "second") : ("second", "first")
            try connection.run(
                """
                UPDATE \(table) SET \(column) = (SELECT \(other) FROM \(links) WHERE \(own) = storekeeper_id) \
                WHERE \(column) IS NULL AND storekeeper_id IN (SELECT \(own) FROM \(links))
                """)
            let left = "\(links) AS l JOIN \(table) AS t ON t.storekeeper_id = l.\(own) WHERE t.\(column) IS NOT l.\(other)"
            let count = try connection.scalar("SELECT count(*) FROM \(left)")?.integer ?? 0
            guard count > 0 else { return nil }
            let examples = try connection.rows("SELECT l.first, l.second FROM \(left) LIMIT 20").map { row in
                "\(row[0].integer ?? 0) to \(row[1].integer ?? 0)"
            }
            return Refusal(
                object: "relationship \(link.name)",
                reason: "links would be lost, since the new version holds one where the version before holds several",
                examples: examples, rows: Int(count),
                remedy: "Choose among them in willMigrate, or make the stage mapped, with both contexts.")
        }
    }
}
