import StoreSQLite
import StoreShared

/// Makes the stage that leads to a version from its files, and checks it against both schemas.
struct PlanStageReader {
    private let files: PlanFolder.Version
    private let description: StageDescription
    private let from: SchemaSnapshot
    private let to: SchemaSnapshot
    private let earlier: [SchemaSnapshot]

    init(
        _ files: PlanFolder.Version, _ description: StageDescription, from: SchemaSnapshot, to: SchemaSnapshot, earlier: [SchemaSnapshot]
    ) {
        self.files = files
        self.description = description
        self.from = from
        self.to = to
        self.earlier = earlier
    }

    /// - Throws: `StoreError.planRefused` naming the file, and in SQL the line and the statement.
    func stage() throws -> PlannedStage {
        let will = files.will.map(PlanScript.init(file:))
        let did = files.did.map(PlanScript.init(file:))
        let renames = try renames()
        let batches = try batches(did)
        let readableBy = try readableBy()
        if batches != nil { try checkReadable(readableBy, renames) }
        let written = try check(will, did, in: batches)
        // The last script in the first commit takes the temporary tables away.
        let isAlone = did == nil || batches != nil
        let before = isAlone ? will?.lastCode : will?.code
        let after = batches == nil ? did?.lastCode : nil
        return PlannedStage(
            from: from.version, to: to.version, kind: before == nil && after == nil ? .lightweight : .custom(will: before, did: after),
            renames: renames.map(\.rename), losses: .named(try losses()), readableBy: readableBy, isExclusive: description.exclusive,
            batches: batches, reverse: try reverse(), written: written)
    }

    // MARK: Scripts

    /// - Returns: folded names of the tables whose rows the scripts change.
    private func check(_ will: PlanScript?, _ did: PlanScript?, in batches: StageBatches?) throws -> Set<String> {
        guard will != nil || did != nil else { return [] }
        let old = try PlanTrial(from, and: to)
        let before = try will.map { try old.check($0).written } ?? []
        guard let did else { return before }
        let new = try PlanTrial(to, and: from)
        try new.takeOver(from: old)
        let use = try new.check(did, batches: batches)
        guard batches == nil || use.parameters == PlanScript.batchParameters else {
            throw did.file.refusal(
                "it runs in batches, but does not use both :after and :until",
                remedy: "bound its statements, such as WHERE id > :after AND id <= :until")
        }
        return before.union(use.written)
    }

    private func reverse() throws -> ReverseStep? {
        if let name = description.reverse, name != "reverse.sql" || files.reverse == nil {
            throw refusal(
                name == "reverse.sql" ? "the key \"reverse\" names reverse.sql, which is missing" : "the key \"reverse\" names \(name)",
                remedy: "write the step back into reverse.sql")
        }
        guard let file = files.reverse else { return nil }
        try PlanTrial(to, and: from).check(PlanScript(file: file))
        return ReverseStep(
            name: file.name, script: file.text,
            renames: Dictionary(description.renames.map { ($0.to, $0.from) }, uniquingKeysWith: { first, _ in first }))
    }

    // MARK: stage.json

    /// The renames, each of which must apply.
    private func renames() throws -> [PlanRename] {
        let pairs = try description.renames.map { pair in
            guard let rename = PlanRename(from: pair.from, to: pair.to) else {
                throw refusal(
                    "the rename of \(pair.from) to \(pair.to) is not from a table to a table, or from table.column to table.column",
                    remedy: "quote names that need it as SQL does")
            }
            return rename
        }
        var sources: [PlanName: PlanName] = [:]
        for pair in pairs {
            if let other = sources.updateValue(pair.from, forKey: pair.to.folded) {
                throw refusal(
                    "\(other.description) and \(pair.from.description) are both renamed to \(pair.to.description)",
                    remedy: "keep one of them")
            }
        }
        for pair in pairs where pair.from.column != nil {
            let table = pairs.first { $0.from.column == nil && SQLName.same($0.from.table, pair.from.table) }?.to.table ?? pair.from.table
            guard SQLName.same(table, pair.to.table) else {
                throw refusal(
                    "\(pair.from.description) cannot become \(pair.to.description): its table becomes \(table)",
                    remedy: "move values between tables in will.sql or did.sql")
            }
        }
        do {
            _ = try ResolvedRenames(pairs.map(\.rename), from: from.schema, to: to.schema, lenient: false)
        } catch let error as MigrationRefusal {
            throw refusal(error.refusals.map { "\($0.object): \($0.reason)" }.joined(separator: "; "), remedy: "correct \"renames\"")
        }
        return pairs
    }

    private func losses() throws -> Set<String> {
        var names: Set<String> = []
        for text in description.allowLoss {
            guard let name = PlanName(text), name.exists(in: from.schema) || name.exists(in: to.schema) else {
                throw refusal(
                    "\"allowLoss\" names \(text), which neither \(from.version) nor \(to.version) has",
                    remedy: "name a table or table.column")
            }
            names.insert(name.column.map { "\(name.table).\($0)" } ?? name.table)
        }
        return names
    }

    private func readableBy() throws -> [SchemaIdentity] {
        try description.readableBy.map { text in
            if let version = SchemaVersion(text), let known = earlier.first(where: { $0.version == version }) { return known.identity }
            // A version that is no longer in the plan is named with its fingerprint.
            if let identity = SchemaIdentity(text), identity.fingerprint != nil { return identity }
            throw refusal(
                "\"readableBy\" names \(text), which is no earlier version of the plan",
                remedy: "name an earlier version, or one that the plan no longer has as version:fingerprint")
        }
    }

    private func batches(_ did: PlanScript?) throws -> StageBatches? {
        guard let batches = description.batches else { return nil }
        guard let did else {
            throw refusal("it has \"batches\", but there is no did.sql to run in them", remedy: "write did.sql, or take \"batches\" away")
        }
        guard !description.exclusive else {
            throw refusal("it has \"batches\", during which readers go on, and is \"exclusive\"", remedy: "take one of them away")
        }
        guard (1...1_000_000).contains(batches.size) else {
            throw refusal("\"batches\" has the size \(batches.size)", remedy: "use 1 to 1000000 keys")
        }
        guard let name = PlanName(batches.key), let columnName = name.column, let table = to.schema.table(name.table),
            let column = table.column(columnName)
        else {
            throw refusal("the key of \"batches\", \(batches.key), is no column of \(to.version)", remedy: "name it as table.column")
        }
        if let objection = BatchKey.objection(to: column, of: table, in: to.schema) {
            throw refusal(
                "the key of \"batches\", \(batches.key), cannot be one: \(objection)",
                remedy: "use a column of integers or texts that is unique and NOT NULL")
        }
        return StageBatches(size: batches.size, table: table.name, key: column.name, keyIsText: BatchKey.isText(column, table)) {
            try did.run($0, [":after": $1, ":until": $2])
        }
    }

    /// Until the last batch the store is the version before, in the new schema: readers of that version must be able to read it.
    private func checkReadable(_ readers: [SchemaIdentity], _ renames: [PlanRename]) throws {
        if readers.contains(where: { $0.matches(from.identity) }) { return }
        let change = try ChangePlanner.plan(
            from: from.schema, to: to.schema, frontEnd: .sql, renames: renames.map(\.rename), losses: .allowed, drops: .allowed)
        guard !change.isAdditive else { return }
        throw refusal(
            "it has \"batches\", during which readers of \(from.version) read the schema of \(to.version), and the change is not additive",
            remedy:
                "only add tables, indexes and columns at the end that may be NULL or have a default, or name \(from.version) in \"readableBy\""
        )
    }

    private func refusal(_ reason: String, remedy: String) -> StoreError {
        (files.stage ?? files.schema).refusal(reason, remedy: remedy)
    }
}

extension PlanName {
    /// The name with ASCII letters small, for finding equal ones.
    fileprivate var folded: PlanName { PlanName(table: SQLName.folded(table), column: column.map(SQLName.folded)) }
}
