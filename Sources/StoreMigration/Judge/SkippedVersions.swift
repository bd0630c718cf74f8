import StoreShared
import StoreSQLite

/// Versions of a plan that a store has gone past without ever being brought to them: somebody added them below its version later.
package struct SkippedVersions: Sendable {
    /// From the lowest to the highest.
    package let versions: [SchemaVersion]
    /// Those among them whose code never ran, and what it would have changed is missing.
    package let withCode: [SchemaVersion]

    /// Compares the plan with the history. Only plans written in SQL lead from each version to the next.
    ///
    /// - Returns: nil when nothing was skipped.
    package static func find(_ plan: MigrationPlan, _ metadata: StoreMetadata, _ connection: Connection) throws -> SkippedVersions? {
        let below = plan.versions.filter { $0.frontEnd == .sql && $0.version < metadata.version }
        guard !below.isEmpty else { return nil }
        let history = try HistoryEntry.all(connection).filter { ![.failed, .interrupted].contains($0.outcome) }
        // Below the version that it was made at, a store has nothing to catch up with.
        guard let first = history.first else { return nil }
        let passed = Set(history.flatMap { [$0.from, $0.to] })
        let skipped = below.map(\.version).filter { $0 > first.to && !passed.contains($0) }
        guard !skipped.isEmpty else { return nil }
        let withCode = skipped.filter { version in plan.stages.contains { $0.to == version && $0.hasCode } }
        return SkippedVersions(versions: skipped, withCode: withCode)
    }

    /// What an owner says of it.
    package func description(of metadata: StoreMetadata, at path: String) -> String {
        let list = versions.map(\.description).joined(separator: ", ")
        return "\(path) is at \(metadata.version) and was never brought to \(list), which the plan has below it"
    }

    /// Why an owner does not go on; nil where the schema says all there is.
    package func refusal(of metadata: StoreMetadata, at path: String) -> StoreError? {
        guard !withCode.isEmpty else { return nil }
        return StoreError(
            .planRefused,
            description(of: metadata, at: path) + "; the scripts of \(withCode.map(\.description).joined(separator: ", ")) never ran",
            remedy: "give those changes a version above \(metadata.version), or allow skipped versions", path: path,
            storeVersion: metadata.version)
    }
}
