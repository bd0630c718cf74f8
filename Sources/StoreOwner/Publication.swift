import StoreShared
import Synchronization

/// What an owner says of its store: the published record, and the same in memory, which the socket answers from.
///
/// The store is the truth. Whatever changes it commits first and is said here afterwards.
final class Publication: Sendable {
    private struct State {
        var record: PublishedRecord
        var metadata: StoreMetadata
        /// Schemas that the store once had and has left: their readers find a newer store, whatever its number.
        var left: [SchemaIdentity]
        /// Whether the record in memory is ahead of the file.
        var isDue = false
        /// Whether the last try to write the file failed.
        var wasRefused = false
        var published: Deadline = .now
        /// When the thread that migrates last said anything.
        var lastSign: Deadline = .now
    }

    private let location: StoreLocation
    private let lock: OwnerLock
    private let state: Mutex<State>
    /// Held while the file is written, so that an older record never replaces a newer one.
    private let file = SerialLock()

    /// How long the file may lag behind what only informs, such as the rows that are done.
    private static let pace = Pace.of(.milliseconds(500))
    /// How long a migration may be silent and the heartbeat still move: a DROP TABLE of many rows is one step of SQLite.
    private static let patience: Duration = .seconds(10)

    /// Whether the path still leads to the file whose lock makes this the owner.
    var holdsLock: Bool { lock.stillNamesThePath() }

    init(_ metadata: StoreMetadata, left: [SchemaIdentity], owner: ProcessIdentity, at location: StoreLocation, lock: OwnerLock) {
        self.location = location
        self.lock = lock
        let record = PublishedRecord(
            storeID: metadata.storeID, state: .opening, version: metadata.version, fingerprint: metadata.fingerprint,
            generation: metadata.generation, readableBy: metadata.readableBy, epoch: metadata.epoch, owner: owner, ownerSince: .now)
        state = Mutex(State(record: record, metadata: metadata, left: left))
    }

    /// Takes over what the store now is, after the commit that made it so.
    func adopt(_ metadata: StoreMetadata) {
        state.withLock { state in
            if state.metadata.identity != metadata.identity { state.left.append(state.metadata.identity) }
            state.metadata = metadata
            state.record.version = metadata.version
            state.record.fingerprint = metadata.fingerprint
            state.record.generation = metadata.generation
            state.record.readableBy = metadata.readableBy
            state.record.epoch = metadata.epoch
        }
    }

    /// Changes the record and writes it.
    ///
    /// - Throws: `StoreError` when the file cannot be written; the change holds in memory, and `keepUp` tries again.
    func publish(_ change: (inout PublishedRecord) -> Void) throws {
        state.withLock { state in
            change(&state.record)
            state.record.heartbeat = .now
            state.isDue = true
            state.lastSign = .now
        }
        try write()
    }

    /// Notes in memory what only informs; `keepUp` writes it in time.
    func note(_ change: (inout PublishedRecord) -> Void) {
        state.withLock { state in
            change(&state.record)
            state.record.heartbeat = .now
            state.isDue = true
            state.lastSign = .now
        }
    }

    /// Writes what has been noted, at most every half second. For the housekeeper.
    ///
    /// - Returns: whether there was anything new to say.
    func keepUp() -> Bool {
        let isDue = state.withLock { state in
            if state.record.state == .migrating, !state.lastSign.isOlder(than: Self.patience) {
                state.record.heartbeat = .now
                state.isDue = true
            }
            return state.isDue && Deadline.now >= state.published
        }
        guard isDue else { return false }
        // A full disk is no reason to stop: the socket tells the truth meanwhile, and the next beat tries again.
        if (try? write()) == true { OwnerState.serving.note(.recordWritten) }
        return true
    }

    /// - Returns: whether the record of a store that is ready was refused before, and is there now.
    @discardableResult
    private func write() throws -> Bool {
        try file.hold {
            let record = state.withLock { state in
                state.isDue = false
                state.published = .after(Self.pace)
                return state.record
            }
            do {
                try record.publish(to: location, unless: checkFence)
            } catch let error as StoreError where error.code == .fenced {
                throw error
            } catch {
                state.withLock { state in
                    state.isDue = true
                    state.wasRefused = true
                }
                throw error
            }
            let isMadeGood = state.withLock { state in
                defer { state.wasRefused = false }
                return state.wasRefused
            }
            return isMadeGood && record.state == .ready
        }
    }

    /// - Throws: `StoreError.fenced` when another owner has come.
    func checkFence() throws(StoreError) {
        if isSuperseded { throw OwnerLock.superseded(at: location) }
    }

    /// Whether another owner has come, which takes a lock file that was moved or removed: what it publishes is not to be replaced.
    ///
    /// The file may have been put back since; then the other's record tells.
    var isSuperseded: Bool {
        guard lock.stillNamesThePath() else { return true }
        let (storeID, epoch) = state.withLock { ($0.record.storeID, $0.record.epoch) }
        guard let published = PublishedRecord.read(from: location).record, published.storeID == storeID else { return false }
        return published.epoch > epoch
    }

    /// The whole state, judged for one who was built for `wanted`; for the store's own version where that is not known.
    func status(for wanted: SchemaIdentity?, readers: Int) -> Status {
        let (record, metadata, left) = state.withLock { ($0.record, $0.metadata, $0.left) }
        var wanted = wanted ?? metadata.identity
        // Whoever names the version that is on its way means that one, also with the fingerprint that the record has until then.
        if wanted.version == record.target, wanted.version != metadata.version { wanted.fingerprint = nil }
        let facts = Facts(
            store: metadata.state(for: wanted, hasLeft: left.contains { $0.matches(wanted) }), record: .equal, recordState: record.state,
            owner: .alive, strict: false)
        return Status(
            verdict: verdict(of: facts), location: location, metadata: metadata, reading: .valid(record), relation: .equal,
            liveness: .alive,
            readers: readers)
    }

    /// Whether the record in memory is ahead of the file.
    var isDue: Bool { state.withLock { $0.isDue } }

    var record: PublishedRecord { state.withLock { $0.record } }

    /// Where an owner is who says this.
    var ownerState: OwnerState {
        switch record.state {
        case .opening: .opening
        case .migrating: .migrating
        case .failed: .failed
        case .ready, .closed: .serving
        }
    }
    var metadata: StoreMetadata { state.withLock { $0.metadata } }
}
