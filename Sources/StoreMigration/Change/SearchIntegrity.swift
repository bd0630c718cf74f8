import StoreSQLite

/// Whether the index of an FTS table says what the rows say; `PRAGMA integrity_check` does not look.
enum SearchIntegrity {
    /// What is wrong with a search.
    enum Damage: Hashable {
        /// It misses rows or finds wrong ones.
        case differs
        /// It cannot be asked, for this reason of SQLite's.
        case unusable(String)

        /// In words, for a message.
        var reason: String {
            switch self {
            case .differs: "its index does not say what its rows say: searches miss rows or find wrong ones"
            case .unusable(let reason): "its index cannot be checked: \(reason)"
            }
        }
    }

    /// The modules that can be asked.
    static let modules: Set<String> = ["fts3", "fts4", "fts5"]

    /// Asks one FTS table. It is written as an INSERT, which changes nothing but needs the right to write.
    ///
    /// - Returns: nil for one that is sound, and for one that has nothing to be compared with.
    /// - Throws: `SQLiteError` where the question was not answered: interrupted, no memory, no room.
    static func damage(of table: VirtualTableDefinition, _ connection: Connection) throws -> Damage? {
        guard modules.contains(table.module) else { return nil }
        let name = SQLName.quoted(table.name)
        // FTS4 compares with a text, of which a contentless table has none.
        if table.module != "fts5", table.externalContent?.isEmpty == true { return nil }
        // With rank 1 FTS5 compares with content that lies elsewhere, too.
        let comparesContent = table.module == "fts5" && table.externalContent?.isEmpty == false
        do {
            try connection.run(
                comparesContent
                    ? "INSERT INTO main.\(name) (\(name), rank) VALUES ('integrity-check', 1)"
                    : "INSERT INTO main.\(name) (\(name)) VALUES ('integrity-check')")
            return nil
        } catch let error as SQLiteError where error.code.primary == .corrupt {
            return .differs
        } catch let error as SQLiteError where error.code.primary == .error {
            return .unusable(error.message)
        }
    }

    /// The FTS tables that cannot be asked at all, whatever their rows, by `virtual table name`, with SQLite's reason.
    static func unusable(_ schema: RelationalSchema, _ connection: Connection) throws -> [String: String] {
        var found: [String: String] = [:]
        for table in schema.virtualTables {
            if case .unusable(let reason) = try damage(of: table, connection) { found["virtual table \(table.name)"] = reason }
        }
        return found
    }
}

/// The FTS tables that a stage can put out of step, asked before it touches them and before its commit: only new damage fails.
struct SearchWatch {
    private let connection: Connection
    /// Told of damage that was there before.
    private let warn: (String) -> Void
    /// Folded names of the tables that the stage changes or writes, as the old and as the new version call them; nil for any.
    private var touched: Set<String>? = []
    /// Folded names of the FTS tables that were asked, and of those that were damaged then.
    private var asked: Set<String> = []
    private var damaged: Set<String> = []

    init(_ connection: Connection, warn: @escaping (String) -> Void) {
        self.connection = connection
        self.warn = warn
    }

    /// Asks the searches over some tables, before these are changed or written.
    ///
    /// - Parameters:
    ///   - names: folded; nil where it is not known what is written.
    ///   - refilled: searches that the change fills again: what they are like now does not matter.
    mutating func look(at names: Set<String>?, refilled: Set<String> = [], _ schema: RelationalSchema) throws {
        note(names)
        for table in schema.searches(touchedBy: names) {
            guard !refilled.contains(SQLName.folded(table.name)), asked.insert(SQLName.folded(table.name)).inserted,
                let damage = try SearchIntegrity.damage(of: table, connection)
            else { continue }
            damaged.insert(SQLName.folded(table.name))
            warn("virtual table \(table.name) was damaged before the stage, which goes on: \(damage.reason)")
        }
    }

    /// Notes that the stage changes or writes some tables, without asking anything.
    mutating func note(_ names: Set<String>?) {
        touched = names.flatMap { touched?.union($0) }
    }

    /// One refusal for each search that the stage has damaged.
    func newDamage(_ schema: RelationalSchema) throws -> [Refusal] {
        try schema.searches(touchedBy: touched).compactMap { table in
            guard !damaged.contains(SQLName.folded(table.name)), let damage = try SearchIntegrity.damage(of: table, connection) else {
                return nil
            }
            let name = SQLName.quoted(table.name)
            return Refusal(
                object: "virtual table \(table.name)", reason: "after the stage \(damage.reason)",
                remedy:
                    "Keep it in step by triggers, or run INSERT INTO \(name)(\(name)) VALUES ('rebuild') at the end of the stage's code.")
        }
    }
}

extension RelationalSchema {
    /// The FTS tables that are among some tables, by folded name, or whose text comes from them, also through views; nil gives all.
    func searches(touchedBy names: Set<String>?) -> [VirtualTableDefinition] {
        let all = virtualTables.filter { SearchIntegrity.modules.contains($0.module) }
        guard let names, !all.isEmpty else { return all }
        let touched = withViews(over: names)
        return all.filter { table in
            touched.contains(SQLName.folded(table.name)) || table.externalContent.map { touched.contains(SQLName.folded($0)) } ?? false
        }
    }
}
