import StoreShared

extension Housekeeper {
    /// What the housekeeper does each time it looks.
    static func round(
        _ publication: Publication, _ server: OwnerServer, _ writer: WritingConnection, _ gate: Gate
    ) -> @Sendable () -> Bool {
        let gate = HousekeepersGate(gate: gate)
        return { [weak server, weak writer] in
            if publication.keepUp() { server?.broadcast(.progress) }
            if publication.record.state == .migrating || publication.isDue { return true }
            if writer?.drainWhenLong(epoch: publication.metadata.epoch, gate.gate, ask: { server?.broadcast(.drain) }) == true {
                return true
            }
            return writer?.checkpointWhenQuiet(epoch: publication.metadata.epoch) ?? false
        }
    }
}

/// The gate that the housekeeper's thread alone uses.
private struct HousekeepersGate: @unchecked Sendable {
    // Made on the thread that opens the store, used only on the housekeeper's from then on.
    let gate: Gate
}
