import StoreMigration
import StoreSQLite
import StoreShared
import Synchronization

/// One pooled read-only connection and what it knows of the schema: used by one thread at a time.
final class Snapshot {
    let connection: Connection
    private let location: StoreLocation
    private let identity: SchemaIdentity
    private let lastChecked: LastCheckedShape
    /// Nil where there is nothing to pass.
    private let entrance: Entrance?
    private let readGeneration: Statement
    /// Gives the schema cookie. As long as it stands on its row it holds the snapshot, for all that is read meanwhile: BEGIN and COMMIT would
    /// be two statements more, and a failed one in between could end their transaction without a word.
    private let holder: Statement
    /// The last snapshot that was found readable.
    private var approved: Approved?

    private struct Approved {
        var generation: Int64
        var cookie: Int64
        /// What SQLite calls the content that this connection sees: while it is the same, so is everything in the store.
        var content: UInt32?
    }

    /// When the running read has used up its budget.
    private let budget = Budget()
    /// When it was last asked whether the file at the path is still the one that is open.
    private var askedAt = Deadline.now

    private final class Budget {
        var end = Deadline.never
    }

    /// Ends the read that runs, from any thread; also one that is between two statements, which SQLite's own interrupt passes by.
    struct Recall: Sendable {
        private final class Flag: Sendable {
            let isSet = Atomic(false)
        }

        private let flag = Flag()
        private let interrupter: Interrupter

        fileprivate init(_ interrupter: Interrupter) {
            self.interrupter = interrupter
        }

        fileprivate var isAsked: Bool { flag.isSet.load(ordering: .relaxed) }

        /// For the next read.
        func reset() { flag.isSet.store(false, ordering: .relaxed) }

        func ask() {
            flag.isSet.store(true, ordering: .relaxed)
            interrupter.interrupt()
        }
    }

    let recall: Recall

    /// - Parameter handed: a connection through which the store was just found to be readable with the schema that was checked last.
    init(
        _ location: StoreLocation, _ identity: SchemaIdentity, _ lastChecked: LastCheckedShape, own: OwnReaders?, handed: Connection? = nil
    ) throws {
        self.location = location
        self.lastChecked = lastChecked
        self.identity = identity
        connection = try handed ?? Connection(path: location.store, access: .readOnly)
        try connection.setBusyTimeout(.seconds(2))
        try connection.execute("PRAGMA query_only = ON; PRAGMA cache_size = -4000")
        entrance = own.map { .own($0) } ?? Gate(reader: location).map { .gate($0) }
        // Those that judging has compiled, where it has.
        readGeneration = try connection.statement("PRAGMA user_version")
        holder = try connection.statement("PRAGMA schema_version")
        connection.finalizeStatements()
        if handed != nil, let shape = lastChecked.shape {
            connection.generation = shape.metadata.generation
            approved = Approved(generation: shape.metadata.generation, cookie: shape.cookie)
        }
        recall = Recall(connection.interrupter)
        connection.onProgress(everySteps: 1000) { [budget, recall] in !budget.end.hasPassed && !recall.isAsked }
    }

    /// Whether another file stands at the path by now: this connection would read the old one for ever. Asked a few times a
    /// second at most.
    var hasMoved: Bool {
        guard askedAt.hasPassed else { return false }
        askedAt = .after(Pace.of(.milliseconds(250)))
        return connection.hasMoved
    }

    /// Runs `body` in one read transaction whose schema was found readable inside that very transaction.
    ///
    /// - Throws: what `body` throws; `StoreError` when the schema is not readable, or the budget was used up.
    func read<T>(budget duration: Duration?, _ body: (Connection) throws -> T) throws -> T {
        budget.end = duration.map { .after($0) } ?? .never
        defer { budget.end = .never }
        let passage = try enter(duration)
        defer { if passage != .nothing { entrance?.leave() } }
        do {
            let result = try body(connection)
            holder.reset()
            ReaderState.reading.note(.ended)
            // A statement that the body left in the middle of its rows would keep this snapshot for the reads that follow.
            if connection.holdsSnapshot { connection.resetStatements() }
            return result
        } catch {
            throw failed(error, duration, isApproved: true)
        }
    }

    /// Comes in and begins the transaction, once more where an exclusive stage began as this read came in unasked.
    ///
    /// - Throws: `StoreError` when the schema is not readable; then nothing is left open.
    private func enter(_ duration: Duration?) throws -> Passage {
        var patience: Deadline?
        while true {
            let passage = try passIn(&patience)
            do {
                try beginChecked()
                // Once more, with a snapshot in the hand: an owner says first that it works exclusively, and then looks who has one.
                if passage == .asked || entrance == nil || !isExclusive { return passage }
                holder.reset()
                ReaderState.reading.note(.interrupted)
            } catch {
                defer { if passage != .nothing { entrance?.leave() } }
                throw failed(error, duration, isApproved: false)
            }
            if passage != .nothing { entrance?.leave() }
        }
    }

    /// Ends the transaction of a read that failed.
    ///
    /// - Parameter isApproved: whether the schema had been found readable.
    /// - Returns: the error to throw.
    private func failed(_ error: any Error, _ duration: Duration?, isApproved: Bool) -> any Error {
        holder.reset()
        // What the body began itself.
        connection.rollback()
        if connection.holdsSnapshot { connection.resetStatements() }
        let isInterrupted = (error as? SQLiteError)?.code.primary == .interrupted
        let isOverBudget = isInterrupted && budget.end.hasPassed
        if isApproved {
            ReaderState.reading.note(isOverBudget ? .overBudget : isInterrupted ? .interrupted : .threw)
        } else {
            ReaderState.entering.note(error is StoreError ? .schemaRefused : .snapshotUnreadable)
        }
        guard isOverBudget else { return error }
        return StoreError(
            .budgetExceeded, "a read of \(location.store) took longer than \(duration.map { "\($0)" } ?? "its budget")",
            remedy: "read in smaller parts, or ask for a longer budget", path: location.store, cause: error)
    }

    /// How a read came in.
    private enum Passage {
        /// Let in.
        case asked
        /// Past an owner that let nobody in, and counted by it.
        case unasked
        /// With nothing to leave at the end.
        case nothing
    }

    /// Without the gate a read is as correct; only while an owner works exclusively it has to wait.
    ///
    /// - Parameter patience: until when it waits for the end of exclusive stages; set with the first.
    private func passIn(_ patience: inout Deadline?) throws -> Passage {
        guard let entrance else {
            ReaderState.ready.note(.gateMissed)
            return .nothing
        }
        while true {
            if entrance.enter(within: Pace.of(.milliseconds(250))) {
                ReaderState.ready.note(.gatePassed)
                return .asked
            }
            guard isExclusive else {
                ReaderState.ready.note(.gateMissed)
                return entrance.enterUnasked() ? .unasked : .nothing
            }
            let deadline = patience ?? min(budget.end, .after(Pace.of(.seconds(5))))
            patience = deadline
            if deadline.hasPassed {
                ReaderState.ready.note(.gateShut)
                throw StoreError(
                    .migrating, "\(location.store) is in an exclusive stage of its migration", remedy: "wait for it", path: location.store)
            }
        }
    }

    /// Whether an owner that lives says that it works with nobody inside.
    private var isExclusive: Bool {
        PublishedRecord.read(from: location).record?.exclusive == true && OwnerLock.probe(location) == .alive
    }

    /// Takes a snapshot and looks at the schema in it: a check in another one would say nothing of this.
    private func beginChecked() throws {
        #if STORE_FAULTS
        if Planted.versionCheckApart.isOrdered {
            try check()
            holder.reset()
            _ = try holder.step()
            return
        }
        #endif
        try check()
    }

    /// Reads the schema cookie, which also takes the snapshot, and the generation where anything was written, and looks closer when one moved.
    @inline(__always)
    private func check() throws {
        guard try holder.step() else { throw StoreError(.unreadable, "\(location.store) has no schema version", path: location.store) }
        let content = connection.contentVersion
        if let approved, approved.content == content, content != nil { return ReaderState.entering.note(.generationKnown) }
        let generation = try number(readGeneration), cookie = holder.int64(0)
        if let approved, approved.generation == generation, approved.cookie == cookie {
            ReaderState.entering.note(.generationKnown)
        } else {
            try inspect(generation: generation, cookie: cookie)
        }
        approved?.content = content
    }

    @inline(__always)
    private func number(_ statement: Statement) throws -> Int64 {
        defer { statement.reset() }
        return try statement.step() ? statement.int64(0) : 0
    }

    private func inspect(generation: Int64, cookie: Int64) throws {
        approved = nil
        // SQLite would compile an old statement again without a word, and return other columns.
        connection.finalizeStatements()
        connection.generation = generation
        let sight = try StoreSight.look(in: connection, for: identity, known: lastChecked.shape, generation: generation, cookie: cookie)
        guard sight.state == .readable else { throw refusal(sight) }
        lastChecked.shape = sight.shape
        approved = Approved(generation: generation, cookie: cookie)
        ReaderState.entering.note(.schemaReadable)
    }

    private func refusal(_ sight: StoreSight) -> StoreError {
        if let problem = sight.problem { return problem }
        let has = sight.metadata?.version
        let named = sight.metadata?.identity.description(beside: identity)
        let path = location.store
        let (wanted, asked) = (identity.version, identity.description(beside: sight.metadata?.identity))
        if sight.state == .newer {
            return StoreError(
                .storeTooNew,
                "\(path) is at \(named ?? "a newer version"), which a program built for \(asked) may not read",
                remedy: "use a program built for it", path: path, storeVersion: has, wantedVersion: wanted)
        }
        return StoreError(
            .outdated, "\(path) is at \(named ?? "an older version"), wanted is \(asked)",
            remedy: "start an owner built for \(asked), or wait for it", path: path, storeVersion: has, wantedVersion: wanted)
    }

    func close() {
        connection.close()
    }
}
