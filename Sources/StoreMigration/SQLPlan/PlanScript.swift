import StoreSQLite
import StoreShared

/// `will.sql`, `did.sql`, `seed.sql` or `reverse.sql`: any number of statements, which SQLite splits.
struct PlanScript: Sendable {
    /// What trying a script has shown.
    struct Use {
        /// The parameters that it uses, with their colon.
        let parameters: Set<String>
        /// Folded names of the store's tables whose rows it changes, also through triggers and keys.
        let written: Set<String>
    }

    let file: PlanFile

    /// Tries the script on an empty database that has the schema it will meet: statements that change the schema are run, the rest only
    /// compiled.
    ///
    /// - Parameters:
    ///   - storeNames: folded names of everything in the store before and after.
    ///   - batches: those that it runs in; `:after` and `:until` are bound then.
    /// - Throws: `StoreError.planRefused` naming file, line and statement, also for what no script may do (`ScriptRules`).
    @discardableResult
    func check(on connection: Connection, storeNames: Set<String>, batches: StageBatches? = nil) throws -> Use {
        let rules = ScriptRules(storeNames: storeNames, batches: batches)
        let parameters = batches == nil ? [] : Self.batchParameters
        try connection.authorize { rules.allows($0) }
        defer { try? connection.authorize(nil) }
        let reader = StatementReader(connection, script: file.text)
        var used: Set<String> = []
        while true {
            rules.forget()
            let part: StatementReader.Part
            do {
                guard let next = try reader.next() else { return Use(parameters: used, written: rules.written) }
                part = next
            } catch let error as SQLiteError {
                throw refusal(of: upcoming(reader.position), error, reader.errorPosition, rules)
            }
            let statement = PlanStatement(file, part.range)
            try checkKind(statement, within: parameters)
            used.formUnion(try checkParameters(of: part.statement, statement, parameters))
            guard Self.changesSchema(statement) else { continue }
            do {
                try part.statement.run()
            } catch let error as SQLiteError {
                throw refusal(of: statement, error, nil, rules)
            }
        }
    }

    /// What is bound in batches.
    static let batchParameters: Set<String> = [":after", ":until"]

    /// Runs the script in the transaction of a stage.
    ///
    /// - Throws: `StoreError.migrationFailed` naming file, line and statement; `.cancelled`; `SQLiteError` of an interruption.
    func run(_ context: StageContext, _ values: [String: Value] = [:]) throws {
        let reader = StatementReader(context.connection, script: file.text)
        while true {
            do {
                guard let part = try reader.next() else { return }
                for (name, value) in values {
                    if let index = part.statement.parameter(named: name) { try part.statement.bind(value, at: index) }
                }
                do {
                    try part.statement.run()
                } catch let error as SQLiteError where error.code.primary != .interrupted {
                    throw Self.failure(PlanStatement(file, part.range), error)
                }
            } catch let error as SQLiteError where error.code.primary != .interrupted {
                throw Self.failure(upcoming(reader.position), error, reader.errorPosition)
            }
            try context.advance(rows: 0)
        }
    }

    /// The script as the code of a stage.
    var code: PlannedStage.Script {
        { context in try run(context) }
    }

    /// The script as the last code of a stage: what the scripts made for themselves alone is gone afterwards.
    var lastCode: PlannedStage.Script {
        { context in
            try run(context)
            try Self.dropTemporaryObjects(context.connection)
        }
    }

    /// The marks of temporary AUTOINCREMENT tables lie in a table that only SQLite makes and drops.
    static let isNotInternal = "AND name NOT LIKE 'sqlite@_%' ESCAPE '@'"

    private static func dropTemporaryObjects(_ connection: Connection) throws {
        let objects = try connection.rows(
            "SELECT type, name FROM temp.sqlite_schema WHERE type IN ('trigger', 'view', 'table') "
                + "\(isNotInternal) ORDER BY type DESC")
        connection.finalizeStatements()
        for object in objects {
            guard let type = object[0].text, let name = object[1].text else { continue }
            try connection.run("DROP \(SQLName.capitals(type)) temp.\(SQLName.quoted(name))")
        }
    }

    private static func failure(_ statement: PlanStatement, _ error: SQLiteError, _ position: Int? = nil) -> StoreError {
        statement.error(
            "\(error.message) (SQLite code \(error.code.rawValue))", code: .migrationFailed,
            remedy: error.isOfTheMoment
                ? error.remedy
                : error.code == .corruptVirtualTable
                    ? "a search that the statement writes, also by a trigger, is damaged: storectl doctor names it; fill it again by "
                        + "INSERT INTO name(name) VALUES ('rebuild') before that statement"
                    : "correct the rows or the script, then start the owner again", cause: StatementFailure(error: error),
            errorPosition: position)
    }

    /// The statement at a position that could not be compiled, cut at the first semicolon.
    private func upcoming(_ position: Int) -> PlanStatement {
        let whole = PlanStatement(file, position..<file.text.utf8.count)
        guard let end = whole.tokens.first(where: { $0.isSymbol(";") }) else { return whole }
        return PlanStatement(file, position..<position + end.range.upperBound)
    }

    private func refusal(
        of statement: PlanStatement, _ error: SQLiteError, _ position: Int?, _ rules: ScriptRules
    ) -> StoreError {
        if let objection = rules.objection {
            return statement.error(
                "it \(objection), also by a trigger or a key: they would never end",
                remedy: "do that in will.sql, or go along another table")
        }
        if let refused = rules.refused {
            return statement.error(
                "\(refused) is not allowed in a script of a plan",
                remedy:
                    "take it out, or choose another name: the owner begins and ends the transaction, and keeps the settings and its own tables"
            )
        }
        return statement.error(error.message, remedy: "correct the statement", errorPosition: position)
    }

    private func checkKind(_ statement: PlanStatement, within parameters: Set<String>) throws {
        // VACUUM asks no authorizer and fails inside a transaction.
        if statement.verb == "VACUUM" {
            throw statement.error("VACUUM is not allowed in a script of a plan", remedy: "take it out")
        }
        if !parameters.isEmpty, Self.changesSchema(statement) {
            throw statement.error(
                "a script that runs in batches may not change the schema", remedy: "declare it in schema.sql, or do it in will.sql")
        }
    }

    private func checkParameters(of compiled: Statement, _ statement: PlanStatement, _ allowed: Set<String>) throws -> Set<String> {
        let used = Set(statement.tokens.filter { $0.kind == .parameter }.map(\.text))
        guard compiled.parameterCount > 0, let strange = used.subtracting(allowed).min(by: SQLName.precedes) else { return used }
        throw statement.error(
            "nothing is bound to the parameter \(strange)",
            remedy: allowed.isEmpty
                ? "write a value in its place; only did.sql under \"batches\" has :after and :until" : "use :after and :until only")
    }

    private static func changesSchema(_ statement: PlanStatement) -> Bool {
        ["CREATE", "DROP", "ALTER"].contains(statement.verb)
    }
}
