import Foundation

/// One transaction of a store's history.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
    /// The type of its place.
    associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
    /// The type of its number.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    /// When it was committed, by the wall clock of the process that saved.
    var timestamp: Date { get }
    /// What it changed, one entry for each model.
    var changes: [HistoryChange] { get }
    /// Its place in the history: what came later has a greater one.
    var token: Self.TokenType { get }
    /// Tells it from every other transaction of its store.
    var transactionIdentifier: Self.TransactionIdentifier { get }
    /// The store that it was saved in.
    var storeIdentifier: String { get }
    /// The `author` of the context that saved; nil where none was set.
    var author: String? { get }
}

/// A place in a store's history.
public protocol HistoryToken: Comparable, Decodable, Encodable, Hashable, Identifiable, Sendable {
    /// The type of what the place is made of.
    associatedtype TokenType: Decodable, Encodable, Hashable, Sendable
    /// What the place is made of, to be kept in a file or sent to another process.
    var tokenValue: Self.TokenType? { get }
}

/// A model that a transaction inserted.
public protocol HistoryInsert<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type of the number of its transaction.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    /// The type of its number.
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    /// Tells it from every other change of its store.
    var changeIdentifier: Self.ChangeIdentifier { get }
    /// The transaction that it is part of.
    var transactionIdentifier: Self.TransactionIdentifier { get }
    /// The model that was inserted.
    var changedPersistentIdentifier: PersistentIdentifier { get }
}

/// A model that a transaction changed.
public protocol HistoryUpdate<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type of the number of its transaction.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    /// The type of its number.
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    /// A key path of a property that changed.
    typealias PropertyUpdate = PartialKeyPath<Self.Model> & Sendable
    /// Tells it from every other change of its store.
    var changeIdentifier: Self.ChangeIdentifier { get }
    /// The transaction that it is part of.
    var transactionIdentifier: Self.TransactionIdentifier { get }
    /// The model that was changed.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The properties that changed, relationships among them.
    var updatedAttributes: [any PartialKeyPath<Self.Model> & Sendable] { get }
}

/// A model that a transaction deleted.
public protocol HistoryDelete<Model>: Sendable {
    /// The class of the model.
    associatedtype Model: PersistentModel
    /// The type of the number of its transaction.
    associatedtype TransactionIdentifier: Comparable, Hashable, Sendable
    /// The type of its number.
    associatedtype ChangeIdentifier: Comparable, Hashable, Sendable
    /// Tells it from every other change of its store.
    var changeIdentifier: Self.ChangeIdentifier { get }
    /// The transaction that it is part of.
    var transactionIdentifier: Self.TransactionIdentifier { get }
    /// The model that was deleted; no row has it any more.
    var changedPersistentIdentifier: PersistentIdentifier { get }
    /// The values of its attributes with `.preserveValueOnDeletion`.
    var tombstone: HistoryTombstone<Self.Model> { get }
}

/// One change of a transaction.
public enum HistoryChange: Sendable {
    /// A model that came.
    case insert(any HistoryInsert)
    /// A model that was there, with other values.
    case update(any HistoryUpdate)
    /// A model that went.
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
    /// The type of its transactions.
    associatedtype HistoryType: HistoryTransaction
    /// The type of its transactions.
    static var historyType: Self.HistoryType.Type { get }
    /// The transactions that a descriptor describes, in its order.
    func fetchHistory(_ descriptor: HistoryDescriptor<Self.HistoryType>) throws -> [Self.HistoryType]
    /// Deletes the transactions that a descriptor describes. A token of a place before them is of no use from then on.
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
