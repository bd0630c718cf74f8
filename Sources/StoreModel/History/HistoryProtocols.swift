import Foundation

/// One transaction of a store's history.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
    associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    var timestamp: Date { get }
    var changes: [HistoryChange] { get }
    var token: Self.TokenType { get }
    var transactionIdentifier: Self.TransactionIdentifier { get }
    var storeIdentifier: String { get }
    var author: String? { get }
}

/// A place in a store's history.
public protocol HistoryToken: Comparable, Decodable, Encodable, Hashable, Identifiable, Sendable {
    associatedtype TokenType: Decodable, Encodable, Hashable, Sendable
    var tokenValue: Self.TokenType? { get }
}

/// A model that a transaction inserted.
public protocol HistoryInsert<Model>: Sendable {
    associatedtype Model: PersistentModel
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    var changeIdentifier: Self.ChangeIdentifier { get }
    var transactionIdentifier: Self.TransactionIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A model that a transaction changed.
public protocol HistoryUpdate<Model>: Sendable {
    associatedtype Model: PersistentModel
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    typealias PropertyUpdate = PartialKeyPath<Self.Model> & Sendable
    var changeIdentifier: Self.ChangeIdentifier { get }
    var transactionIdentifier: Self.TransactionIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
    var updatedAttributes: [any PartialKeyPath<Self.Model> & Sendable] { get }
}

/// A model that a transaction deleted.
public protocol HistoryDelete<Model>: Sendable {
    associatedtype Model: PersistentModel
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    var changeIdentifier: Self.ChangeIdentifier { get }
    var transactionIdentifier: Self.TransactionIdentifier { get }
    var changedPersistentIdentifier: PersistentIdentifier { get }
    var tombstone: HistoryTombstone<Self.Model> { get }
}

/// One change of a transaction.
public enum HistoryChange: Sendable {
    case insert(any HistoryInsert)
    case update(any HistoryUpdate)
    case delete(any HistoryDelete)

    /// The model that was inserted, changed or deleted.
    public var changedPersistentIdentifier: PersistentIdentifier {
        switch self {
        case .insert(let change): change.changedPersistentIdentifier
        case .update(let change): change.changedPersistentIdentifier
        case .delete(let change): change.changedPersistentIdentifier
        }
    }
}

/// A store that keeps a history.
public protocol HistoryProviding {
    associatedtype HistoryType: HistoryTransaction
    static var historyType: Self.HistoryType.Type { get }
    func fetchHistory(_ descriptor: HistoryDescriptor<Self.HistoryType>) throws -> [Self.HistoryType]
    func deleteHistory(_ descriptor: HistoryDescriptor<Self.HistoryType>) throws
}

/// Which transactions of a history, in which order.
public struct HistoryDescriptor<TransactionType> where TransactionType: HistoryTransaction {
    /// Nil: every transaction.
    public var predicate: Predicate<TransactionType>?
    /// The most transactions; 0: all.
    public var fetchLimit: UInt64 = 0
    /// Without one, in the order in which they were committed.
    public var sortBy: [SortDescriptor<TransactionType>]

    /// In the order in which they were committed.
    public init(predicate: Predicate<TransactionType>? = nil) {
        self.predicate = predicate
        sortBy = []
    }

    /// In an order of one's own.
    public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}
