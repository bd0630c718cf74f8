import CStoreSQLite

/// A result code of SQLite with its extended part, as `sqlite3_extended_errcode` gives it.
///
/// Source: sqlite.org/rescode.html.
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The code without its extended part: `busy` for `busySnapshot`.
    public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xff) }

    public static let ok = ResultCode(rawValue: SQLITE_OK)
    public static let error = ResultCode(rawValue: SQLITE_ERROR)
    public static let permission = ResultCode(rawValue: SQLITE_PERM)
    public static let abort = ResultCode(rawValue: SQLITE_ABORT)
    public static let busy = ResultCode(rawValue: SQLITE_BUSY)
    public static let busyRecovery = ResultCode(rawValue: 261)
    public static let busySnapshot = ResultCode(rawValue: 517)
    public static let locked = ResultCode(rawValue: SQLITE_LOCKED)
    public static let outOfMemory = ResultCode(rawValue: SQLITE_NOMEM)
    public static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
    public static let readOnlyRecovery = ResultCode(rawValue: 264)
    public static let readOnlyRollback = ResultCode(rawValue: 776)
    public static let readOnlyCannotInitialize = ResultCode(rawValue: 1288)
    public static let readOnlyDirectory = ResultCode(rawValue: 1544)
    public static let interrupted = ResultCode(rawValue: SQLITE_INTERRUPT)
    public static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
    public static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
    /// What a virtual table keeps is damaged: the index of a search, as a rule.
    public static let corruptVirtualTable = ResultCode(rawValue: 267)
    public static let full = ResultCode(rawValue: SQLITE_FULL)
    public static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
    public static let lockingProtocol = ResultCode(rawValue: SQLITE_PROTOCOL)
    public static let schemaChanged = ResultCode(rawValue: SQLITE_SCHEMA)
    public static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
    public static let constraintCheck = ResultCode(rawValue: 275)
    public static let constraintForeignKey = ResultCode(rawValue: 787)
    public static let constraintNotNull = ResultCode(rawValue: 1299)
    public static let constraintPrimaryKey = ResultCode(rawValue: 1555)
    public static let constraintUnique = ResultCode(rawValue: 2067)
    public static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
    public static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
    public static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
    public static let notAuthorized = ResultCode(rawValue: SQLITE_AUTH)
    public static let outOfRange = ResultCode(rawValue: SQLITE_RANGE)
    public static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
}
