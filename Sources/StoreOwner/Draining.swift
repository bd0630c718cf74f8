import StoreMigration
import StoreShared

/// Has the readers leave before an exclusive stage, and keeps them out while it runs.
///
/// Readers in old snapshots are correct and can go on through every other stage; an exclusive one is for those who cannot afford two
/// versions at a time.
final class Draining {
    private let location: StoreLocation
    private let publication: Publication
    private let server: OwnerServer
    private let patience: Duration
    /// Shut; nil while readers come and go.
    private var gate: Gate?

    /// - Parameter patience: how long readers are asked.
    init(location: StoreLocation, publication: Publication, server: OwnerServer, patience: Duration) {
        self.location = location
        self.publication = publication
        self.server = server
        self.patience = patience
    }

    /// Runs `body` when nobody reads any more. Nobody comes in until `end`.
    ///
    /// - Throws: `StoreError.timedOut` naming the processes that would not leave, before `body`; what `body` throws.
    func excluding(_ stage: PlannedStage, _ body: () throws -> Void) throws {
        if gate == nil { gate = try shut(for: stage) }
        try body()
    }

    /// Lets readers in again, after what was done is published.
    func end() {
        guard let gate else { return }
        self.gate = nil
        try? publication.publish { $0.exclusive = false }
        gate.open()
    }

    private func shut(for stage: PlannedStage) throws -> Gate {
        let gate = try Gate(owner: location)
        let deadline = Deadline.after(patience)
        // First the record: a reader that finds the gate shut looks there whether to wait or to go on without it.
        try publication.publish { $0.exclusive = true }
        server.broadcast(.drain)
        OwnerState.migrating.note(.drainAsked)
        if gate.shut(within: patience, whenNobodyComes: { OwnerState.draining.note(.newcomersStopped) }), waitForOthers(until: deadline) {
            OwnerState.draining.note(.readersLeft)
            return gate
        }
        OwnerState.draining.note(.readersStayed)
        let pids = Set(others() + KernelLocks.gateHolders(of: location)).sorted().map(\.description).joined(separator: ", ")
        gate.open()
        try? publication.publish { $0.exclusive = false }
        throw StoreError(
            .timedOut,
            "\(location.store) is still being read by "
                + (pids.isEmpty ? "a process that holds \(location.gateLock), which only root can name" : "process \(pids)")
                + ", and stage '\(stage.name)' is exclusive",
            remedy: "end the readers, or give them longer to leave", path: location.store)
    }

    /// Waits for those who pin a snapshot and do not know the gate.
    private func waitForOthers(until deadline: Deadline) -> Bool {
        while !others().isEmpty {
            if deadline.hasPassed { return false }
            System.sleep(.milliseconds(10))
        }
        return true
    }

    private func others() -> [Int32] {
        KernelLocks.snapshotHolders(of: location).filter { $0 != System.processID }
    }
}
