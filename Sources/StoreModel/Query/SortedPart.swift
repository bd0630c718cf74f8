import Foundation
import StoreSQLite

/// A sort into a `Codable` value: `\Book.details.year`.
///
/// Foundation gives no way to see what a key path consists of, and the value lies in its column as JSON: the key path is followed in a
/// model that is made of nothing but that value, by `storekeeper_path`, row by row.
struct SortedPart {
    private let keyPath: AnyKeyPath
    private let entity: EntityTable
    private let property: EntityTable.Property
    private let column: String

    /// Nil for a key path that is no part of exactly one of the entity's `Codable` values.
    init?(_ keyPath: AnyKeyPath, of entity: EntityTable) {
        let steps = KeyPathText.steps(of: keyPath)
        // A property of the model itself that is computed is nobody's part, and is not run to see.
        guard steps.count > 1, let first = steps.first else { return nil }
        var candidates = entity.properties.compactMap { path, property -> (step: String, property: EntityTable.Property, column: String)? in
            guard case .column(let column, .json) = property.storage, let step = KeyPathText.steps(of: path).first else { return nil }
            return KeyPathText.type(of: step) == KeyPathText.type(of: first) ? (step, property, column) : nil
        }
        // The address is that of the module where the key path was written.
        if candidates.count > 1 { candidates = candidates.filter { $0.step == first } }
        guard candidates.count == 1, let (_, property, column) = candidates.first else { return nil }
        (self.keyPath, self.entity, self.property, self.column) = (keyPath, entity, property, column)
    }

    /// The value as it is sorted by.
    func key(of root: ModelTerm, in translator: PredicateTranslator) throws -> (sql: SQLFragment, kind: StorageKind)? {
        let kind = StorageKind(of: type(of: keyPath).valueType)
        guard kind.hasOrder, let type = entity.modelType as? any PersistentModel.Type,
            let number = SwiftFunctions.number(of: keyPath, through: property.name, of: type)
        else { return nil }
        let value = translator.column(column, of: root)
        return ("storekeeper_path(\(.parameter(.integer(number))), \(value))", kind)
    }
}
