import Foundation

/// A place in the histories of stores: for each, the number of a transaction.
public struct DefaultHistoryToken: HistoryToken, Comparable, Hashable, Identifiable, Sendable, Codable {
    public typealias TokenType = [String: Int64]
    public typealias ID = Int

    /// By the identifier of each store, the number of a transaction.
    public var tokenValue: TokenType?

    init(_ value: TokenType) { tokenValue = value }

    /// The highest number of a transaction in it; 0 where there is none.
    public var id: Int { Int(tokenValue?.values.max() ?? 0) }

    /// Earlier in one store at least, and later in none.
    public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
        let (left, right) = (lhs.tokenValue ?? [:], rhs.tokenValue ?? [:])
        var isEarlier = false
        for store in Set(left.keys).union(right.keys) {
            let (mine, theirs) = (left[store] ?? 0, right[store] ?? 0)
            if mine > theirs { return false }
            if mine < theirs { isEarlier = true }
        }
        return isEarlier
    }
}

/// One save of a store of ours.
public struct DefaultHistoryTransaction: HistoryTransaction {
    public typealias TransactionIdentifier = Int64
    public typealias TokenType = DefaultHistoryToken
    public typealias ID = Int64

    /// The number of the transaction.
    public var id: Int64 { transactionIdentifier }
    /// When it was saved, by the wall clock of the process that saved.
    public let timestamp: Date
    /// Deletions, then updates, then insertions.
    public let changes: [HistoryChange]
    /// The place of this transaction: what came after it has a greater token.
    public let token: DefaultHistoryToken
    /// Its number in the store, from 1, which is never used again.
    public let transactionIdentifier: Int64
    /// The identity of the store.
    public let storeIdentifier: String
    /// The name of the program that saved: a program on Linux has no bundle.
    public let bundleIdentifier: String
    /// The number of the process that saved, in decimal digits.
    public let processIdentifier: String
    /// The `author` of the context that saved.
    public let author: String?

    public static func == (lhs: DefaultHistoryTransaction, rhs: DefaultHistoryTransaction) -> Bool { lhs.token == rhs.token }
    public func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

/// One model that a save inserted. Two are equal if they are the same change of the same store.
public struct DefaultHistoryInsert<Model>: HistoryInsert, Hashable where Model: PersistentModel {
    public typealias TransactionIdentifier = Int64
    public typealias ChangeIdentifier = Int64
    /// Unique in the store, and grows with the order of the changes.
    public let changeIdentifier: Int64
    /// The number of the transaction, from 1.
    public let transactionIdentifier: Int64
    /// The model that was inserted.
    public let changedPersistentIdentifier: PersistentIdentifier
}

/// One model that a save changed. Two are equal if they are the same change of the same store.
public struct DefaultHistoryUpdate<Model>: HistoryUpdate, Hashable where Model: PersistentModel {
    public typealias TransactionIdentifier = Int64
    public typealias ChangeIdentifier = Int64
    public typealias PropertyUpdate = PartialKeyPath<Model> & Sendable
    /// Unique in the store, and grows with the order of the changes.
    public let changeIdentifier: Int64
    /// The number of the transaction, from 1.
    public let transactionIdentifier: Int64
    /// The model that was changed.
    public let changedPersistentIdentifier: PersistentIdentifier
    private let attributes: Uncompared<[any PartialKeyPath<Model> & Sendable]>

    init(
        changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier,
        updatedAttributes: [any PartialKeyPath<Model> & Sendable]
    ) {
        self.changeIdentifier = changeIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.changedPersistentIdentifier = changedPersistentIdentifier
        attributes = Uncompared(updatedAttributes)
    }

    /// The properties that the transaction changed, relationships among them.
    public var updatedAttributes: [any PartialKeyPath<Model> & Sendable] { attributes.value }

    /// Whether the transaction changed that property.
    public func containsAttribute(_ attribute: any PartialKeyPath<Model> & Sendable) -> Bool {
        updatedAttributes.contains { $0 as AnyKeyPath == attribute as AnyKeyPath }
    }
}

/// One model that a save deleted. Two are equal if they are the same change of the same store.
public struct DefaultHistoryDelete<Model>: HistoryDelete, Hashable where Model: PersistentModel {
    public typealias TransactionIdentifier = Int64
    public typealias ChangeIdentifier = Int64
    /// Unique in the store, and grows with the order of the changes.
    public let changeIdentifier: Int64
    /// The number of the transaction, from 1.
    public let transactionIdentifier: Int64
    /// The model that was deleted.
    public let changedPersistentIdentifier: PersistentIdentifier
    private let kept: Uncompared<HistoryTombstone<Model>>

    init(
        changeIdentifier: Int64, transactionIdentifier: Int64, changedPersistentIdentifier: PersistentIdentifier,
        tombstone: HistoryTombstone<Model>
    ) {
        self.changeIdentifier = changeIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.changedPersistentIdentifier = changedPersistentIdentifier
        kept = Uncompared(tombstone)
    }

    /// The values of its attributes with `.preserveValueOnDeletion`.
    public var tombstone: HistoryTombstone<Model> { kept.value }
}

/// A part of a value that says nothing about which one it is, and mostly cannot be compared.
private struct Uncompared<Value: Sendable>: Hashable, Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (_: Uncompared, _: Uncompared) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
