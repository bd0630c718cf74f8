/// What a stage may lose.
package enum LossPolicy: Sendable, Hashable {
    /// Anything that the plan's versions imply.
    case allowed
    /// Only what is named: `table`, or `table.column`, as the version before or this version calls it.
    case named(Set<String>)

    /// Nothing at all.
    package static let none = LossPolicy.named([])

    func allows(table: String) -> Bool {
        switch self {
        case .allowed: true
        case .named(let names): names.contains { SQLName.same($0, table) }
        }
    }

    func allows(table: String, column: String) -> Bool {
        switch self {
        case .allowed: true
        case .named(let names): names.contains { SQLName.same($0, "\(table).\(column)") || SQLName.same($0, table) }
        }
    }
}
