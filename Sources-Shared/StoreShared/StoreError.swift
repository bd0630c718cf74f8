import StoreSQLite

/// Why something about a store could not be done: what failed, on which path, and what to do about it.
public struct StoreError: Error, Sendable {
    /// The kind of failure. More may be added; compare with the constants.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the kind, as its constant has it.
        public let rawValue: String

        /// A kind of any name, for programs that throw errors of this type themselves.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There is no store at the path.
        public static let absent = Code(rawValue: "absent")
        /// The file cannot be opened or is no database: permission, a folder, a text.
        public static let unreadable = Code(rawValue: "unreadable")
        /// An SQLite database that is no store of ours.
        public static let foreign = Code(rawValue: "foreign")
        /// The schema in the store is not the one that it recorded, or no version of the plan has it.
        public static let drifted = Code(rawValue: "drifted")
        /// The store is at an older version and nobody is migrating it.
        public static let outdated = Code(rawValue: "outdated")
        /// The store is newer than the program.
        public static let storeTooNew = Code(rawValue: "storeTooNew")
        /// An owner is migrating the store now.
        public static let migrating = Code(rawValue: "migrating")
        /// A migration failed; the store is whole at its previous version.
        public static let migrationFailed = Code(rawValue: "migrationFailed")
        /// A plan cannot be carried out on this store; nothing was changed.
        public static let planRefused = Code(rawValue: "planRefused")
        /// The record and the store disagree.
        public static let disagreement = Code(rawValue: "disagreement")
        /// Another process owns the store.
        public static let ownedByAnother = Code(rawValue: "ownedByAnother")
        /// This owner lost its lock file to somebody else and may not write any more.
        public static let fenced = Code(rawValue: "fenced")
        /// A deadline passed.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The caller cancelled, or a signal came.
        public static let cancelled = Code(rawValue: "cancelled")
        /// A read took longer than its budget and was interrupted.
        public static let budgetExceeded = Code(rawValue: "budgetExceeded")
        /// Used after it was closed.
        public static let closed = Code(rawValue: "closed")
        /// The place is unsuitable: file system, hard links, no folder.
        public static let unsuitablePlace = Code(rawValue: "unsuitablePlace")
        /// A system call failed.
        public static let system = Code(rawValue: "system")
        /// The caller asked for what the interface forbids.
        public static let misuse = Code(rawValue: "misuse")
    }

    /// The kind of failure.
    public var code: Code
    /// What failed, naming the object and the path. One sentence without a full stop.
    public var message: String
    /// What to do about it. One sentence without a full stop; may be empty.
    public var remedy: String
    /// The store, or the file beside it, that this is about.
    public var path: String?
    /// What lies beneath.
    public var cause: (any Error)?
    /// The process that owns the store, when this is about another owner.
    public var ownerPID: Int32?
    /// The version that the store has.
    public var storeVersion: SchemaVersion?
    /// The version that was asked for.
    public var wantedVersion: SchemaVersion?

    /// An error as a whole: each argument is what the property of its name says.
    public init(
        _ code: Code, _ message: String, remedy: String = "", path: String? = nil, cause: (any Error)? = nil,
        ownerPID: Int32? = nil, storeVersion: SchemaVersion? = nil, wantedVersion: SchemaVersion? = nil
    ) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.path = path
        self.cause = cause
        self.ownerPID = ownerPID
        self.storeVersion = storeVersion
        self.wantedVersion = wantedVersion
    }
}

extension StoreError: CustomStringConvertible {
    /// One line: the message with the path, the cause, the remedy; nothing of it twice.
    public var description: String {
        (remedy.isEmpty ? told : "\(told); \(remedy)").onOneLine
    }

    /// All but the remedy.
    private var told: String {
        var text = message
        if let path, !message.contains(path) { text = "\(path): \(text)" }
        switch cause {
        case nil, is any ToldByItsCarrier: break
        // Its remedy is that of the error that carries it, unless that one has only general advice.
        case let cause as SQLiteError where remedy.contains(cause.remedy): text += " (\(cause.told))"
        case let cause as StoreError:
            if !message.contains(cause.message) { text += " (\(remedy.contains(cause.remedy) ? cause.told : cause.description))" }
        case let cause?: text += " (\(cause))"
        }
        return text
    }
}

/// A cause whose reasons stand in the message of the error that carries it, so that it is not written out a second time.
package protocol ToldByItsCarrier: Error {}
