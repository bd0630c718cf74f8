import Foundation
import StoreSQLite
import Synchronization

/// Fetches that have been put into SQL, by their shape: the next one of the same shape takes the text, and gives its own values.
///
/// It holds a bounded number; a program has as many shapes as places in its text that fetch.
final class TranslationCache: Sendable {
    /// What decides the text of a SELECT, apart from the predicate's words.
    struct Key: Hashable {
        let entity: String
        let result: FetchResultKind
        let hasLimit: Bool
        let hasOffset: Bool
        /// The type of the predicate's expression.
        let predicate: ObjectIdentifier?
        let words: [Int]
        /// The sort descriptors, where there are some.
        let sort: AnyHashable?
        let pending: PendingTables

        /// By what tells the fetches of a program apart; the rest is compared only.
        func hash(into hasher: inout Hasher) {
            hasher.combine(predicate)
            words.withUnsafeBytes { hasher.combine(bytes: $0) }
            if let sort { hasher.combine(sort) }
        }
    }

    private final class Entry {
        let template: FetchTemplate
        /// Their addresses are in the key.
        let keyPaths: [AnyKeyPath]

        init(_ template: FetchTemplate, _ keyPaths: [AnyKeyPath]) { (self.template, self.keyPaths) = (template, keyPaths) }
    }

    // Unchecked: key paths and sort descriptors never change.
    private struct Entries: @unchecked Sendable {
        var known: [Key: Entry] = [:]
    }

    private static let limit = 256
    private let entries = Mutex(Entries())

    /// How many are held.
    var count: Int { entries.withLock { $0.known.count } }

    func template(_ key: Key) -> FetchTemplate? { entries.withLock { $0.known[key]?.template } }

    func keep(_ template: FetchTemplate, for key: Key, holding keyPaths: [AnyKeyPath]) {
        entries.withLock { entries in
            if entries.known.count >= Self.limit { entries.known.removeAll(keepingCapacity: true) }
            entries.known[key] = Entry(template, keyPaths)
        }
    }
}

/// What a SELECT gives of the rows that it finds.
enum FetchResultKind: Hashable {
    /// Their values, but for these properties.
    case models(leavingOut: PropertySet)
    case numbers
    case count
}

/// The text of a SELECT, and where its parameters come from.
struct FetchTemplate: Sendable {
    let sql: String
    let parameters: [SQLParameter]
    /// The tables that it reads.
    let tables: Set<String>

    /// The SELECT with the values of another fetch of the same shape.
    ///
    /// - Throws: `QueryError` for a value that cannot be held in SQL.
    func statement(_ captures: [Captured], in catalog: EntityCatalog, store: String?) throws -> FetchStatement {
        FetchStatement(
            sql: sql,
            bindings: try parameters.map { parameter in
                guard let source = parameter.source else { return parameter.value }
                let value = captures[source.capture].value
                // The most common of all needs no look at what the value is.
                if source.encoding == .value(.text), let text = value as? String { return .text(text) }
                return try source.encoding.encode(value, in: catalog, store: store)
            }, tables: tables)
    }
}
