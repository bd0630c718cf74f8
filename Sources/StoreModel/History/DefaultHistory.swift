import Foundation

/// A place in the histories of stores: for each, the number of a transaction.
public struct DefaultHistoryToken: HistoryToken, Comparable, Hashable, Identifiable, Sendable, Codable {
    public typealias TokenType = [String: Int64]
    public typealias ID = Int

    public var tokenValue: TokenType?

    init(_ value: TokenType) { tokenValue = value }

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

    public var id: Int64 { transactionIdentifier }
    public let timestamp: Date
    public let changes: [HistoryChange]
    public let token: DefaultHistoryToken
    public let transactionIdentifier: Int64
    public let storeIdentifier: String
    /// The name of the program that saved: a program on Linux has no bundle.
    public let bundleIdentifier: String
    public let processIdentifier: String
    public let author: String?

    public static func == (lhs: DefaultHistoryTransaction, rhs: DefaultHistoryTransaction) -> Bool {
        lhs.transactionIdentifier == rhs.transactionIdentifier && lhs.storeIdentifier == rhs.storeIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(transactionIdentifier)
        hasher.combine(storeIdentifier)
    }
}

public struct DefaultHistoryInsert<Model>: HistoryInsert where Model: PersistentModel {
    public typealias TransactionIdentifier = Int64
    public typealias ChangeIdentifier = Int64
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier

    public static func == (lhs: DefaultHistoryInsert<Model>, rhs: DefaultHistoryInsert<Model>) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(changeIdentifier) }
}

extension DefaultHistoryInsert: Hashable {}

/// Key paths are immutable, and those of a model's metadata capture nothing, so that the values can be shared.
public struct DefaultHistoryUpdate<Model>: HistoryUpdate where Model: PersistentModel {
    public typealias TransactionIdentifier = Int64
    public typealias ChangeIdentifier = Int64
    public typealias PropertyUpdate = PartialKeyPath<Model> & Sendable
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    public let updatedAttributes: [any PartialKeyPath<Model> & Sendable]

    /// Whether the transaction changed that property.
    public func containsAttribute(_ attribute: any PartialKeyPath<Model> & Sendable) -> Bool {
        updatedAttributes.contains { $0 as AnyKeyPath == attribute as AnyKeyPath }
    }

    public static func == (lhs: DefaultHistoryUpdate<Model>, rhs: DefaultHistoryUpdate<Model>) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(changeIdentifier) }
}

extension DefaultHistoryUpdate: Hashable {}

public struct DefaultHistoryDelete<Model>: HistoryDelete where Model: PersistentModel {
    public typealias TransactionIdentifier = Int64
    public typealias ChangeIdentifier = Int64
    public let changeIdentifier: Int64
    public let transactionIdentifier: Int64
    public let changedPersistentIdentifier: PersistentIdentifier
    public let tombstone: HistoryTombstone<Model>

    public static func == (lhs: DefaultHistoryDelete<Model>, rhs: DefaultHistoryDelete<Model>) -> Bool {
        lhs.changeIdentifier == rhs.changeIdentifier && lhs.changedPersistentIdentifier == rhs.changedPersistentIdentifier
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(changeIdentifier) }
}

extension DefaultHistoryDelete: Hashable {}
