import StoreSQLite
import StoreShared

/// What an error of SQLite means to one who only reads.
struct ReadFailure {
    let error: SQLiteError

    init(_ error: SQLiteError) {
        self.error = error
    }

    /// Whether it passes by itself within a moment: another process recovers, closes or switches.
    var passes: Bool {
        switch error.code {
        case .readOnlyRecovery, .readOnlyCannotInitialize: true
        default: [ResultCode.busy, .lockingProtocol].contains(error.code.primary)
        }
    }

    /// Tries until it succeeds or fails for good.
    ///
    /// - Parameters:
    ///   - patience: how long after the first failure it is tried again.
    ///   - mayRepeat: whether the attempt that has just failed can be made once more.
    ///   - failed: what to do about a failure that stays.
    static func retrying<T>(
        within patience: Duration, pause: Duration = .milliseconds(10), mayRepeat: () -> Bool = { true }, _ attempt: () throws -> T,
        failed: (ReadFailure) throws -> T
    ) throws -> T {
        var end: Deadline?
        while true {
            do {
                return try attempt()
            } catch let error as SQLiteError where mayRepeat() {
                let failure = ReadFailure(error)
                let deadline = end ?? .after(patience)
                end = deadline
                guard failure.passes, !deadline.hasPassed else { return try failed(failure) }
                System.sleep(pause)
            }
        }
    }

    /// Whether only an owner can mend it, and will when it comes.
    private var waitsForOwner: Bool {
        error.code == .readOnlyDirectory || error.code == .readOnlyRollback
    }

    /// A journal that a killed program left must be undone before anything can be read: the store is there, and nobody can tell what it is.
    private var isHalfWritten: Bool { error.code == .readOnlyRollback }

    /// EMFILE and ENFILE: SQLite says "cannot open" for these too.
    private var isOutOfDescriptors: Bool { error.systemError == 23 || error.systemError == 24 }

    /// EACCES and EPERM.
    private var isDenied: Bool { error.systemError == 13 || error.systemError == 1 }

    /// The failure as what the store is.
    ///
    /// - Throws: `StoreError.system` when this process has run out of descriptors: that says nothing of the store.
    func sight(of location: StoreLocation) throws -> StoreSight {
        let problem = storeError(location)
        if problem.code == .system { throw problem }
        if waitsForOwner { return StoreSight(state: isHalfWritten ? .unreadable : .empty, problem: problem, waitsForOwner: true) }
        // It was there a moment ago.
        if error.code.primary == .cannotOpen, error.systemError == 2, (try? System.stat(location.store)) == nil {
            return StoreSight(state: .absent, problem: problem)
        }
        return StoreSight(state: .unreadable, problem: problem)
    }

    /// The failure as an error that names the path and the remedy.
    func storeError(_ location: StoreLocation) -> StoreError {
        let path = location.store
        func failure(_ code: StoreError.Code, _ message: String, _ remedy: String) -> StoreError {
            StoreError(code, message, remedy: remedy, path: path, cause: error)
        }
        if isOutOfDescriptors {
            return failure(.system, "\(path) cannot be opened: this process has too many open files", "raise its limit of open files")
        }
        if error.code == .readOnlyDirectory {
            return failure(.absent, "\(path) has no write-ahead log yet", "start its owner, which makes it")
        }
        if isHalfWritten {
            return failure(.unreadable, "\(path) was left half-written by a program that was killed", "start its owner, which undoes that")
        }
        if passes {
            return failure(
                .unreadable, "\(path) is locked by another process\(lockHolder(location))", "find out why it does not go on, then try again"
            )
        }
        switch error.code.primary {
        case .notADatabase:
            return failure(.unreadable, "\(path) is not a database", "check the path")
        case .corrupt:
            return failure(.unreadable, "\(path) is damaged", "restore a backup")
        default:
            return isDenied
                ? failure(.unreadable, "no permission to read \(path) or the files beside it", "ask its owner for read permission")
                : failure(.unreadable, "\(path) cannot be read", "see the cause")
        }
    }

    /// Who rebuilds the index of the log: byte 120 to 122 of the -shm file.
    private func lockHolder(_ location: StoreLocation) -> String {
        guard let facts = try? System.stat(location.store + "-shm") else { return "" }
        let holders = KernelLocks.read().filter { $0.isOn(facts) && $0.isWrite && $0.pid > 0 && $0.end >= 120 && $0.start <= 122 }
        return holders.first.map { " (process \($0.pid))" } ?? ""
    }
}
