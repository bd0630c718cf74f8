import StoreSQLite

/// Whether ALTER TABLE alone can turn one table into another, with the same result for an empty and a full table.
struct TableAlteration {
    enum Result {
        case steps([SchemaChange.Step])
        /// With the reason, for people.
        case needsRebuild(String)
    }

    private let source: TableDefinition
    private let target: TableDefinition
    private let frontEnd: FrontEnd

    /// DROP COLUMN rewrites every row each time: more than this many cost more than one rebuild.
    private static let mostDrops = 2

    init(from source: TableDefinition, to target: TableDefinition, frontEnd: FrontEnd) {
        self.source = source
        self.target = target
        self.frontEnd = frontEnd
    }

    /// Tries the steps on a copy of the schema and leaves it as it was.
    func result(on trial: Connection) -> Result {
        if source.isStrict != target.isStrict || source.isWithoutRowid != target.isWithoutRowid {
            return .needsRebuild("its options STRICT and WITHOUT ROWID change")
        }
        for column in target.columns {
            guard let before = source.column(column.name) else {
                if let reason = obstacle(to: column) { return .needsRebuild("column \(column.name) \(reason)") }
                continue
            }
            if before.normalForm(frontEnd) != column.normalForm(frontEnd) {
                return .needsRebuild("the declaration of column \(column.name) changes")
            }
        }
        let dropped = source.columns.filter { target.column($0.name) == nil }
        if dropped.count > Self.mostDrops { return .needsRebuild("\(dropped.count) columns go") }
        let steps =
            dropped.map { SchemaChange.Step.dropColumn(table: target.name, column: $0.name) }
            + target.columns.filter { source.column($0.name) == nil }
            .map { SchemaChange.Step.addColumn(table: target.name, definition: $0.sql) }
        return reaches(target, by: steps, on: trial)
            ? .steps(steps) : .needsRebuild("its constraints or the order of its columns change, which ALTER TABLE cannot do")
    }

    /// Why ADD COLUMN cannot add it to a table with rows, or would do so with another result than to an empty one; nil if it can.
    private func obstacle(to column: ColumnDefinition) -> String? {
        for constraint in column.constraints {
            switch constraint.kind {
            case .primaryKey, .unique: return "is a key"
            case .check: return "has a CHECK that the rows must pass"
            case .generated where constraint.isStored: return "is generated and stored"
            default: break
            }
        }
        if let value = column.defaultValue {
            if column.constraint(.references) != nil { return "refers to another table and has a default" }
            let tokens = SQLTokenizer.tokens(of: value)
            let literals: Set<SQLToken.Kind> = [.number, .string, .blob]
            let isConstant =
                tokens.last.map { literals.contains($0.kind) || ["TRUE", "FALSE"].contains(SQLName.capitals($0.text)) } == true
                && (tokens.count == 1 || tokens.count == 2 && tokens[0].kind == .symbol)
            if !isConstant { return "has a default that is no constant" }
        } else if column.isNotNull {
            return "must have a value and has no default"
        }
        return nil
    }

    private func reaches(_ target: TableDefinition, by steps: [SchemaChange.Step], on trial: Connection) -> Bool {
        struct Undo: Error {}
        var isReached = false
        let executor = ChangeExecutor(connection: trial, progress: .silent)
        do {
            try trial.savepoint {
                for step in steps { try executor.apply(step) }
                let sql = try trial.scalar("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", .text(target.name))?.text
                isReached = try TableParser.parse(sql ?? "").normalForm(frontEnd) == target.normalForm(frontEnd)
                throw Undo()
            }
        } catch {
            // An error of SQLite says that ALTER TABLE cannot do it, which is an answer.
        }
        return isReached
    }
}

extension TableDefinition {
    /// Whether an expression in the table names its own columns with the table's name before them.
    var qualifiesItsColumns: Bool {
        let tokens = SQLTokenizer.tokens(of: sql).filter { $0.range.lowerBound > nameRange.upperBound }
        return tokens.indices.dropLast().contains { SQLName.same(tokens[$0].name ?? "", name) && tokens[$0 + 1].isSymbol(".") }
    }

    /// The statement with another name for the table, also where the name stands before one of its columns.
    func sqlForWork(named workName: String) -> String {
        guard qualifiesItsColumns else { return sql(named: workName) }
        let tokens = SQLTokenizer.tokens(of: sql).filter { $0.range.lowerBound > nameRange.upperBound }
        var text = sql
        for index in tokens.indices.dropLast().reversed()
        where SQLName.same(tokens[index].name ?? "", name) && tokens[index + 1].isSymbol(".") {
            text = text.replacing(tokens[index].range, with: SQLName.quoted(workName))
        }
        return text.replacing(nameRange, with: SQLName.quoted(workName))
    }
}
