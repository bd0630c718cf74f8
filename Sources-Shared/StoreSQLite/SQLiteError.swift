/// What SQLite could not do: the extended result code, on which file, with which statement, and what helps.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// The extended result code.
    public let code: ResultCode
    /// SQLite's own words, one line.
    public let message: String
    /// The text of the statement, without the values bound to it; nil outside of statements.
    public let statement: String?
    /// The database file, `:memory:` for one in memory.
    public let path: String
    /// `errno` of the last failed system call, where it decides what the code means; nil where there was none.
    public let systemError: Int32?

    package init(code: ResultCode, message: String, statement: String? = nil, path: String, systemError: Int32? = nil) {
        self.code = code
        self.message = message
        self.statement = statement
        self.path = path
        self.systemError = systemError
    }

    /// What a person can do about it, one sentence.
    public var remedy: String {
        if code.primary == .cannotOpen || code.primary == .inputOutput, let errno = systemError, let remedy = SystemRemedy.of(errno) {
            return remedy
        }
        switch code {
        case .readOnlyDirectory:
            return "Start the owner once, so that the -wal and -shm files exist, or allow writing in the folder."
        case .readOnlyRollback:
            return "Start the owner: it undoes what a killed program left half-written."
        default: break
        }
        switch code.primary {
        case .busy, .locked: return "Try again when the other program has finished with the store."
        case .readOnly: return "Check who owns the store's files and whether they may be written."
        case .full: return "Make room on the file system, then start again; nothing was lost."
        case .corrupt: return "Restore a backup; run the integrity check to see how far the damage goes."
        case .notADatabase: return "Check the path: the file is not an SQLite database."
        case .cannotOpen: return "Check that the file and its folder exist and may be read."
        case .constraint: return "Correct the rows that break the rule, then try again."
        case .interrupted: return "Start it again; what was not committed has been undone."
        default: return "See sqlite.org/rescode.html for the code."
        }
    }

    /// Whether the machine as it is now stood in the way, and neither what is in the file nor the statement.
    package var isOfTheMoment: Bool {
        switch code.primary {
        case .full, .inputOutput, .outOfMemory, .busy, .lockingProtocol, .permission, .readOnly: true
        case .cannotOpen: systemError.map(SystemRemedy.isOfTheMoment) ?? false
        default: false
        }
    }

    public var description: String { told + ". " + remedy }

    /// All but the remedy.
    package var told: String {
        var text = "\(path): \(message.shortened) (SQLite code \(code.rawValue)"
        if let systemError { text += ", errno \(systemError)" }
        text += ")"
        if let statement { text += " in: \(statement.shortened)" }
        return text
    }
}

extension String {
    /// The text, or the start of one that nobody would read to its end.
    package var shortened: String {
        let most = 1_000
        return utf8.count > most ? "\(prefix(most))… (\(utf8.count) bytes)" : self
    }
}

/// What helps against the system errors that SQLite folds into one code.
private enum SystemRemedy {
    /// EPERM, EIO, ENOMEM, EACCES, ENFILE, EMFILE, ENOSPC, EROFS, EDQUOT.
    static func isOfTheMoment(_ errno: Int32) -> Bool { [1, 5, 12, 13, 23, 24, 28, 30, 122].contains(errno) }

    static func of(_ errno: Int32) -> String? {
        switch errno {
        case 1, 13: "Check the permissions of the file and of every folder above it."
        case 2: "Check the path: the file or its folder does not exist."
        case 20, 21: "Check the path: a folder stands where a file should, or the other way round."
        case 23, 24: "Raise the limit of open files."
        case 27: "Raise the limit of the size of files."
        case 28, 122: "Make room on the file system."
        case 30: "The file system is mounted read-only."
        case 40: "Check the path: too many symbolic links."
        default: nil
        }
    }
}
