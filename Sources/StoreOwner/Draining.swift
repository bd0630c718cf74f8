import StoreMigration
import StoreShared

/// Has the readers leave before an exclusive stage, and keeps them out while it runs.
///
/// Readers in old snapshots are correct and can go on through every other stage; an exclusive one is for those who cannot afford two
/// versions at a time.
struct Draining {
    let location: StoreLocation
    let publication: Publication
    let server: OwnerServer
    /// How long readers are asked.
    let patience: Duration

    /// Runs `body` while nobody reads.
    ///
    /// - Throws: `StoreError.timedOut` naming the processes that would not leave, before `body`; what `body` throws.
    func excluding(_ stage: PlannedStage, _ body: () throws -> Void) throws {
        let gate = try Gate(owner: location)
        let deadline = Deadline.after(patience)
        // First the record: a reader that finds the gate shut looks there whether to wait or to go on without it.
        try publication.publish { $0.exclusive = true }
        defer {
            gate.open()
            try? publication.publish { $0.exclusive = false }
        }
        server.broadcast(.drain)
        guard gate.shut(within: patience), waitForOthers(until: deadline) else {
            let pids = others().map(\.description).joined(separator: ", ")
            throw StoreError(
                .timedOut,
                "\(location.store) is still being read\(pids.isEmpty ? "" : " by process \(pids)"), and stage '\(stage.name)' is exclusive",
                remedy: "end them, or give them longer to leave", path: location.store)
        }
        try body()
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
