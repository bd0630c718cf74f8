/// The names that models give to tables and columns.
enum SchemaNames {
    private static let reserved = ["storekeeper_", "sqlite_"]

    /// - Throws: `SwiftDataError.loadIssueModelContainer` naming the model, or the property, whose table or column has a name that is
    ///   reserved or that another one has. SQLite's names do not tell case.
    static func check(_ mapping: SchemaMapping) throws {
        var tables: [String: String] = [:]
        func take(_ table: String, for owner: String, remedy: String) throws {
            if let other = tables.updateValue(owner, forKey: table.lowercased()) {
                throw SwiftDataError.load("\(owner) and \(other) would both have the table \(table)", remedy: remedy)
            }
        }
        for entity in mapping.entities {
            if let prefix = prefix(of: entity.name) {
                throw SwiftDataError.load(
                    "the model \(entity.name) cannot have a table of its name: names that begin with \(prefix) are reserved",
                    remedy: "rename the class")
            }
            for property in entity.ownColumns where property.name.lowercased().hasPrefix("storekeeper_") {
                throw SwiftDataError.load(
                    "\(entity.name).\(property.name) cannot have a column of its name: names that begin with storekeeper_ are reserved",
                    remedy: "rename the property")
            }
            try take(entity.name, for: "the model \(entity.name)", remedy: "rename one of the classes: names of tables do not tell case")
        }
        for entity in mapping.entities {
            for property in entity.ownProperties {
                if let side = property.sideTable {
                    try take(side, for: "the bytes of \(entity.name).\(property.name)", remedy: "rename the class or the property")
                }
                guard let pairs = property.pairs, pairs.isNamedAfterThis else { continue }
                try take(
                    pairs.table, for: "the to-many relationship \(entity.name).\(property.name)", remedy: "rename the class or the property"
                )
            }
        }
    }

    private static func prefix(of name: String) -> String? { reserved.first { name.lowercased().hasPrefix($0) } }
}
