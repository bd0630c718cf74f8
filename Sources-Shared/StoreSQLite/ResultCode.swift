import CStoreSQLite

/// A result code of SQLite with its extended part, as `sqlite3_extended_errcode` gives it.
///
/// Source: sqlite.org/rescode.html.
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// The number, its extended part in the bits from 8 on.
    public let rawValue: Int32

    /// A code of any number, also one that has no constant here.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The code without its extended part: `busy` for `busySnapshot`.
    public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

    /// The call succeeded.
    public static let ok = ResultCode(rawValue: SQLITE_OK)
    /// Something is wrong for which SQLite has no code of its own: mostly the SQL itself.
    public static let error = ResultCode(rawValue: SQLITE_ERROR)
    /// The access mode that was asked for could not be given to a new database.
    public static let permission = ResultCode(rawValue: SQLITE_PERM)
    /// A callback asked for the end, or the transaction was rolled back under a statement that was running.
    public static let abort = ResultCode(rawValue: SQLITE_ABORT)
    /// Another connection's lock is in the way, and the time to wait for it was over.
    public static let busy = ResultCode(rawValue: SQLITE_BUSY)
    /// Another process is recovering the write-ahead log.
    public static let busyRecovery = ResultCode(rawValue: 261)
    /// A read transaction was to become a writing one, but others have written since its snapshot: it has to begin again.
    public static let busySnapshot = ResultCode(rawValue: 517)
    /// The same connection, or one that shares its cache, is in the way: a statement that is still running, mostly.
    public static let locked = ResultCode(rawValue: SQLITE_LOCKED)
    /// No memory could be got.
    public static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
    /// A write to a database that may only be read.
    public static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    /// The write-ahead log needs recovery, and who only reads cannot do it.
    public static let readOnlyRecovery = ResultCode(rawValue: 264)
    /// A hot journal has to be rolled back first, and who only reads cannot do it.
    public static let readOnlyRollback = ResultCode(rawValue: 776)
    /// The shared memory of the write-ahead log (`-shm`) is not there or cannot be used, and may not be made.
    public static let readOnlyCannotInitialize = ResultCode(rawValue: 1288)
    /// The journal cannot be made: the folder may not be written.
    public static let readOnlyDirectory = ResultCode(rawValue: 1544)
    /// The statement was interrupted.
    public static let interrupted = ResultCode(rawValue: SQLITE_INTERRUPT)
    /// The operating system reported a failure of reading or writing.
    public static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
    /// The file of the database is damaged.
    public static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    /// What a virtual table keeps is damaged: the index of a search, as a rule.
    public static let corruptVirtualTable = ResultCode(rawValue: 267)
    /// The file system has no room for the write.
    public static let full = ResultCode(rawValue: SQLITE_FULL)
    /// A file could not be opened.
    public static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    /// The locks of the write-ahead log could not be got in a race with others.
    public static let lockingProtocol = ResultCode(rawValue: SQLITE_PROTOCOL)
    /// The schema changed, and the statement could not be prepared anew.
    public static let schemaChanged = ResultCode(rawValue: SQLITE_SCHEMA)
    /// A constraint was violated; the extended codes say of which kind.
    public static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    /// A CHECK constraint.
    public static let constraintCheck = ResultCode(rawValue: 275)
    /// A foreign key without the row that it names.
    public static let constraintForeignKey = ResultCode(rawValue: 787)
    /// NULL in a NOT NULL column.
    public static let constraintNotNull = ResultCode(rawValue: 1299)
    /// A primary key that is there already; that of a row id has a code of its own (2579).
    public static let constraintPrimaryKey = ResultCode(rawValue: 1555)
    /// A value of a UNIQUE constraint or index that is there already.
    public static let constraintUnique = ResultCode(rawValue: 2067)
    /// A value of the wrong type, such as a text for a row id.
    public static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
    /// A text, a blob or a statement beyond the limit of the connection.
    public static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
    /// The library was called in a way that it forbids.
    public static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
    /// The authorizer refused a statement.
    public static let notAuthorized = ResultCode(rawValue: SQLITE_AUTH)
    /// A parameter or a column with a number that the statement does not have.
    public static let outOfRange = ResultCode(rawValue: SQLITE_RANGE)
    /// The file is no SQLite database.
    public static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
}
