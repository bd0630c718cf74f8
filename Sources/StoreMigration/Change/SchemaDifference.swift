import StoreSQLite

/// What distinguishes two schemas, named by table and column, for people.
package struct SchemaDifference: Sendable {
    /// One line a difference, empty when the schemas are equal.
    package let lines: [String]

    /// - Parameters:
    ///   - actual: what the store has.
    ///   - expected: what it should have.
    package init(actual: RelationalSchema, expected: RelationalSchema, frontEnd: FrontEnd) {
        var lines: [String] = []
        for table in expected.tables {
            guard let other = actual.table(table.name) else {
                lines.append("table \(table.name) is missing")
                continue
            }
            lines += Self.differences(other, table, frontEnd)
        }
        for table in actual.tables where expected.table(table.name) == nil { lines.append("table \(table.name) is unknown") }
        lines += Self.objects(
            "virtual table", actual.virtualTables.map { ($0.name, $0.normalForm) }, expected.virtualTables.map { ($0.name, $0.normalForm) })
        lines += Self.objects("index", actual.indexes.map { ($0.name, $0.normalForm) }, expected.indexes.map { ($0.name, $0.normalForm) })
        lines += Self.objects("view", actual.views.map { ($0.name, $0.normalForm) }, expected.views.map { ($0.name, $0.normalForm) })
        lines += Self.objects(
            "trigger", actual.triggers.map { ($0.name, $0.normalForm) }, expected.triggers.map { ($0.name, $0.normalForm) })
        self.lines = lines
    }

    private static func differences(_ actual: TableDefinition, _ expected: TableDefinition, _ frontEnd: FrontEnd) -> [String] {
        guard actual.normalForm(frontEnd) != expected.normalForm(frontEnd) else { return [] }
        let table = "table \(expected.name)"
        var lines: [String] = []
        if !SQLName.isIdentical(actual.name, expected.name) { lines.append("\(table) is called \(actual.name)") }
        for column in expected.columns {
            guard let other = actual.column(column.name) else {
                lines.append("\(table): column \(column.name) is missing")
                continue
            }
            let (is_, should) = (other.normalForm(frontEnd), column.normalForm(frontEnd))
            if is_ != should { lines.append("\(table): column \(column.name) is declared as \(is_), not as \(should)") }
        }
        for column in actual.columns where expected.column(column.name) == nil {
            lines.append("\(table): column \(column.name) is unknown")
        }
        let (has, wants) = (Set(actual.constraints.map(\.normalForm)), Set(expected.constraints.map(\.normalForm)))
        lines += wants.subtracting(has).sorted(by: ExactText.precedes).map { "\(table): \($0) is missing" }
        lines += has.subtracting(wants).sorted(by: ExactText.precedes).map { "\(table): \($0) is unknown" }
        if actual.isStrict != expected.isStrict || actual.isWithoutRowid != expected.isWithoutRowid {
            lines.append("\(table): its options STRICT and WITHOUT ROWID differ")
        }
        if lines.isEmpty { lines.append("\(table): the order of its columns differs") }
        return lines
    }

    private static func objects(_ kind: String, _ actual: [(String, ExactText)], _ expected: [(String, ExactText)]) -> [String] {
        let has = Dictionary(actual.map { (SQLName.folded($0.0), $0.1) }, uniquingKeysWith: { first, _ in first })
        let wants = Dictionary(expected.map { (SQLName.folded($0.0), $0.1) }, uniquingKeysWith: { first, _ in first })
        var lines: [String] = []
        for (name, _) in expected {
            switch has[SQLName.folded(name)] {
            case nil: lines.append("\(kind) \(name) is missing")
            case wants[SQLName.folded(name)]: break
            default: lines.append("\(kind) \(name) differs")
            }
        }
        for (name, _) in actual where wants[SQLName.folded(name)] == nil { lines.append("\(kind) \(name) is unknown") }
        return lines
    }
}
