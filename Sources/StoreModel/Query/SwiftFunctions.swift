import Foundation
import StoreSQLite
import Synchronization

/// Parts of predicates that only Swift can compute, by number, so that a statement's text does not depend on them.
///
/// SQL calls `storekeeper_path(number, value)` and `storekeeper_equal(number, a, b)`. The table only grows, by one entry for each key path
/// and each type that the program's predicates use so.
package enum SwiftFunctions {
    /// A key path of a predicate.
    ///
    /// `@unchecked Sendable`: key paths are immutable, and the builders of `#Predicate` take Sendable ones only.
    private struct Path: Hashable, @unchecked Sendable {
        let keyPath: AnyKeyPath
    }

    private struct State {
        var pathNumbers: [Path: Int64] = [:]
        var paths: [@Sendable (Value) throws -> Value] = []
        var equalityNumbers: [ObjectIdentifier: Int64] = [:]
        var equalities: [@Sendable (Value, Value) throws -> Bool] = []
        var codableKeys: [Path: String?] = [:]
    }

    private static let state = Mutex(State())

    /// The number of the function that decodes a `root`, follows `path` from it, and encodes what is there.
    ///
    /// Nil when the end of the path is not a value that can be held in SQL.
    static func number(of path: AnyKeyPath, root: Any.Type) -> Int64? {
        let output = type(of: path).valueType
        guard StorageKind(of: output) != .json || output is any Encodable.Type else { return nil }
        let path = Path(keyPath: path)
        return state.withLock { state in
            if let known = state.pathNumbers[path] { return known }
            state.paths.append { value in
                guard let base = try StoredValue.decode(value, as: root) else { return .null }
                guard let end = follow(path.keyPath, from: base, of: root) else { return .null }
                return try StoredValue.encode(end, as: StorageKind(of: output))
            }
            let number = Int64(state.paths.count - 1)
            state.pathNumbers[path] = number
            return number
        }
    }

    /// The number of the function that decodes the value of a property of a model, follows `path` from the model to a part of that value,
    /// and encodes what is there; nil where the model has no such property.
    static func number(of path: AnyKeyPath, through property: String, of type: any PersistentModel.Type) -> Int64? {
        guard let index = type.schemaMetadata.firstIndex(where: { $0.name == property }), let rowType = type._$rowType else { return nil }
        let kind = StorageKind(of: Swift.type(of: path).valueType)
        let path = Path(keyPath: path)
        return state.withLock { state in
            if let known = state.pathNumbers[path] { return known }
            state.paths.append { value in
                guard case .text(let text) = value else { return .null }
                let row = rowType.init()
                var visitor = WriteStored(value: .text(text))
                row._visit(index, &visitor)
                guard let end = follow(path.keyPath, from: row._makeModel()) else { return .null }
                return try StoredValue.encode(end, as: kind)
            }
            let number = Int64(state.paths.count - 1)
            state.pathNumbers[path] = number
            return number
        }
    }

    private static func follow<M: PersistentModel>(_ path: AnyKeyPath, from model: M) -> Any? {
        (path as? PartialKeyPath<M>).map { model[keyPath: $0] }
    }

    private static func follow<Root>(_ path: AnyKeyPath, from base: Any, of root: Root.Type) -> Any? {
        guard let base = base as? Root, let path = path as? PartialKeyPath<Root> else { return nil }
        return base[keyPath: path]
    }

    /// The number of the function that tells whether two JSON texts are equal as values of `type`; nil when they cannot be decoded.
    static func equalityNumber(of type: Any.Type) -> Int64? {
        guard let type = type as? any (Decodable & Equatable).Type else { return nil }
        return state.withLock { state in
            if let known = state.equalityNumbers[ObjectIdentifier(type)] { return known }
            state.equalities.append(equality(of: type))
            let number = Int64(state.equalities.count - 1)
            state.equalityNumbers[ObjectIdentifier(type)] = number
            return number
        }
    }

    private static func equality<T: Decodable & Equatable>(of type: T.Type) -> @Sendable (Value, Value) throws -> Bool {
        { a, b in
            guard case .text(let first) = a, case .text(let second) = b else { return a == b }
            return try first == second || CodableText.decode(T.self, from: first) == CodableText.decode(T.self, from: second)
        }
    }

    /// The key under which the end of a one-step `path` stands in the JSON of its root, found by `search` the first time.
    static func codableKey(of path: AnyKeyPath, search: () -> String?) -> String? {
        let path = Path(keyPath: path)
        if let known = state.withLock({ $0.codableKeys[path] }) { return known }
        let key = search()
        state.withLock { $0.codableKeys[path] = .some(key) }
        return key
    }

    static func path(_ number: Int64, _ value: Value) throws -> Value {
        let function = state.withLock { state in state.paths.indices.contains(Int(number)) ? state.paths[Int(number)] : nil }
        guard let function else { throw QueryError(.unsupportedPredicate, "No key path has the number \(number)") }
        return try function(value)
    }

    static func areEqual(_ number: Int64, _ a: Value, _ b: Value) throws -> Bool {
        let function = state.withLock { state in state.equalities.indices.contains(Int(number)) ? state.equalities[Int(number)] : nil }
        guard let function else { throw QueryError(.unsupportedPredicate, "No type has the number \(number)") }
        return try function(a, b)
    }
}
