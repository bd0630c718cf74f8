import Foundation
import StoreMigration
import StoreShared
import StoreSQLite

/// A schema as the relational engine knows it: CREATE statements, and what they do not say but counts.
struct SchemaStatements {
    private(set) var statements: [String] = []
    private(set) var annotations: [String: String] = [:]

    init(_ mapping: SchemaMapping) throws {
        for entity in mapping.entities {
            if entity.parent == nil { statements.append(Self.table(entity)) }
            statements += try Self.indexes(entity)
            if let parent = entity.parent { annotations[entity.name] = "superentity=\(parent.name)" }
            for property in entity.ownProperties {
                annotations["\(entity.name).\(property.name)"] = Self.annotation(property, isOfSubclass: entity.parent != nil)
                if property.kind == .json, let composite = property.attribute as? Schema.CompositeAttribute {
                    annotations.merge(composite.annotations(below: "\(entity.name).\(property.name)")) { first, _ in first }
                }
                if let side = property.sideTable {
                    statements.append("CREATE TABLE \(quoted(side)) (storekeeper_id INTEGER PRIMARY KEY, data BLOB NOT NULL)")
                }
                if let pairs = property.pairs, pairs.isNamedAfterThis { statements += Self.pairTable(pairs) }
            }
        }
    }

    private static func table(_ entity: EntityMapping) -> String {
        var columns = ["storekeeper_id INTEGER PRIMARY KEY AUTOINCREMENT"]
        // Rows that are older than the first subclass are of the class that there was.
        if entity.isInHierarchy { columns.append("storekeeper_class TEXT NOT NULL DEFAULT \(textLiteral(entity.name))") }
        for property in entity.tableColumns {
            var column = "\(quoted(property.name)) \(property.columnType)"
            // Rows of the other classes have nothing in a subclass's column.
            if !property.isOptional, property.entityName == entity.name { column += " NOT NULL" }
            if let value = defaultLiteral(property) { column += " DEFAULT \(value)" }
            columns.append(column)
        }
        return "CREATE TABLE \(quoted(entity.name)) (\(columns.joined(separator: ", ")))"
    }

    /// Unique constraints, declared indexes, and one for each to-one that the other side reads by.
    private static func indexes(_ entity: EntityMapping) throws -> [String] {
        func list(_ properties: [PropertyMapping]) throws -> String {
            if let property = properties.first(where: \.isToMany) {
                throw SwiftDataError.load(
                    "\(entity.name).\(property.name) is a to-many relationship and cannot be unique or indexed",
                    remedy: "take it out of the constraint")
            }
            if let property = properties.first(where: { !$0.hasColumn }) {
                throw SwiftDataError.load(
                    "\(entity.name).\(property.name) has no column of its own and cannot be unique or indexed",
                    remedy: "take it out of the constraint, or drop .externalStorage or .ephemeral")
            }
            return properties.map { quoted($0.name) }.joined(separator: ", ")
        }
        func name(_ properties: [PropertyMapping], _ kind: String) -> String {
            quoted(([entity.name] + properties.map(\.name) + [kind]).joined(separator: "_"))
        }
        var statements: [String] = []
        // Of rows of other classes in the table, a subclass's constraint says nothing.
        let scope = entity.parent == nil ? "" : " WHERE \(entity.classCondition)"
        for constraint in Set(entity.ownUniqueness).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let properties = constraint.map { entity.properties[$0] }
            statements.append(
                "CREATE UNIQUE INDEX \(name(properties, "unique")) ON \(quoted(entity.tableName)) (\(try list(properties)))\(scope)")
        }
        for index in Set(entity.indexes).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let properties = index.map { entity.properties[$0] }
            statements.append("CREATE INDEX \(name(properties, "index")) ON \(quoted(entity.tableName)) (\(try list(properties)))")
        }
        for property in entity.ownProperties where !property.isToMany && property.inverse?.isToMany == true {
            statements.append("CREATE INDEX \(name([property], "inverse")) ON \(quoted(entity.tableName)) (\(quoted(property.name)))")
        }
        return statements
    }

    private static func pairTable(_ pairs: PairTable) -> [String] {
        let table = quoted(pairs.table)
        return [
            "CREATE TABLE \(table) (source INTEGER NOT NULL, target INTEGER NOT NULL, PRIMARY KEY (source, target)) WITHOUT ROWID",
            "CREATE INDEX \(quoted(pairs.table + "_target")) ON \(table) (target, source)",
        ]
    }

    // MARK: Defaults

    /// The declared default as SQL, so that existing rows get it when the property is new. Not part of the fingerprint.
    static func defaultLiteral(_ property: PropertyMapping) -> String? {
        guard let kind = property.kind, let value = property.defaultValue,
            let stored = try? StoredValue.encode(value, as: kind)
        else { return nil }
        switch stored {
        case .null: return nil
        case .integer(let value): return String(value)
        case .real(let value) where value.isNaN: return nil
        // Beyond what a number of eight bytes holds.
        case .real(let value): return value.isFinite ? String(value) : value < 0 ? "-9e999" : "9e999"
        // A literal ends at a zero byte, and with it the statement.
        case .text(let text) where text.utf8.contains(0): return "(CAST(X'\(hexadecimal(Array(text.utf8)))' AS TEXT))"
        case .text(let text): return textLiteral(text)
        // An integer that no column holds.
        case .blob where kind == .integer: return nil
        case .blob(let bytes): return "X'\(hexadecimal(bytes))'"
        }
    }

    /// The rows of all side tables.
    static func initialValues(_ mapping: SchemaMapping) -> [InitialValues] {
        mapping.entities.flatMap { entity in entity.ownProperties.compactMap { initialValues($0, of: entity, in: entity.family) } }
    }

    /// The rows of a property's side table: its declared default for each model that has none; nil where there is no such table or default.
    ///
    /// - Parameter classes: whose rows are meant, of those in the entity's table.
    static func initialValues(_ property: PropertyMapping, of entity: EntityMapping, in classes: [EntityMapping]) -> InitialValues? {
        guard let side = property.sideTable, let data = property.defaultValue as? Data else { return nil }
        let names = classes.map { textLiteral($0.name) }.joined(separator: ", ")
        let condition = entity.isInHierarchy ? " WHERE \(EntityTable.classColumn) IN (\(names))" : ""
        return InitialValues(
            table: side,
            statement: "INSERT OR IGNORE INTO \(quoted(side)) SELECT storekeeper_id, X'\(hexadecimal(Array(data)))' "
                + "FROM \(quoted(entity.tableName))\(condition)")
    }

    static func textLiteral(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    private static func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02X", $0) }.joined() }

    // MARK: Annotations

    private static func annotation(_ property: PropertyMapping, isOfSubclass: Bool) -> String {
        var parts: [String] = []
        if isOfSubclass, !property.isOptional, property.hasColumn { parts.append("required") }
        if let kind = property.kind {
            parts.append("storage=\(kind)")
        } else if property.isExternal {
            parts.append("storage=external\(property.isOptional ? "" : ";required")")
        } else if property.isEphemeral {
            parts.append("storage=none")
        } else {
            parts.append("\(property.isToMany ? "toMany" : "toOne")=\(property.destination?.name ?? "")")
            parts.append("deleteRule=\(property.deleteRule.rawValue)")
            parts.append("inverse=\(property.inverse?.name ?? "")")
            parts.append("count=\(property.relationship?.minimumModelCount ?? 0)...\(property.relationship?.maximumModelCount ?? 0)")
        }
        if let modifier = property.hashModifier { parts.append("hashModifier=\(modifier)") }
        return parts.joined(separator: ";")
    }
}

extension SchemaMapping {
    /// The schema as one version of a plan.
    ///
    /// - Throws: `StoreError.planRefused` where SQLite does not take it.
    func snapshot() throws -> SchemaSnapshot {
        let made = try SchemaStatements(self)
        return try SchemaSnapshot(
            version: schema.version.number, frontEnd: .models, statements: made.statements, annotations: made.annotations)
    }
}

extension Schema.Version {
    /// The number as the layers beneath know it.
    var number: SchemaVersion { SchemaVersion(major, minor, patch) }
}
