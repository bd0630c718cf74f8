/// What a store says of itself: the table `storekeeper_metadata`, with `user_version` as the generation.
package struct StoreMetadata: Hashable, Sendable {
    /// The layout of our tables.
    package static let currentFormat: Int64 = 1
    /// `PRAGMA application_id` of a store: "SKPR".
    package static let applicationID: Int64 = 0x534B_5052

    /// No store comes to more owners; beyond it a number is damage, and one more would overflow.
    package static let highestEpoch: Int64 = 1 << 62
    /// What a generation can be: `user_version` has 32 bits with a sign, in which SQLite would wrap a higher one. Others are damage.
    package static let generations: Range<Int64> = 0..<Int64(Int32.max)

    package var format: Int64
    /// Identity of the store, made at its creation: 32 hexadecimal digits.
    package var storeID: String
    /// `models` or `sql`: how the shape is normalised.
    package var frontEnd: String
    package var version: SchemaVersion
    package var fingerprint: Fingerprint
    package var shape: Fingerprint
    /// Versions whose readers may read the store as it is; the store's own among them.
    package var readableBy: [SchemaIdentity]
    package var epoch: Int64
    /// `PRAGMA user_version`.
    package var generation: Int64
    /// Where a batched stage leads, while batches are still to come: the store is pending.
    package var target: SchemaIdentity?
    /// The stage of the plan that is pending, from 1.
    package var stage: Int?
    /// How far a batched stage has come.
    package var cursor: String?
    /// Objects that an adoption found beyond the plan and lets be, one a line.
    package var tolerated: String?
    package var adoptedUserVersion: Int64?
    package var adoptedApplicationID: Int64?

    package init(
        format: Int64 = StoreMetadata.currentFormat, storeID: String, frontEnd: String, version: SchemaVersion, fingerprint: Fingerprint,
        shape: Fingerprint, readableBy: [SchemaIdentity], epoch: Int64, generation: Int64, target: SchemaIdentity? = nil, stage: Int? = nil,
        cursor: String? = nil, tolerated: String? = nil, adoptedUserVersion: Int64? = nil, adoptedApplicationID: Int64? = nil
    ) {
        self.format = format
        self.storeID = storeID
        self.frontEnd = frontEnd
        self.version = version
        self.fingerprint = fingerprint
        self.shape = shape
        self.readableBy = readableBy
        self.epoch = epoch
        self.generation = generation
        self.target = target
        self.stage = stage
        self.cursor = cursor
        self.tolerated = tolerated
        self.adoptedUserVersion = adoptedUserVersion
        self.adoptedApplicationID = adoptedApplicationID
    }

    package var identity: SchemaIdentity { SchemaIdentity(version: version, fingerprint: fingerprint) }

    /// A new identity for a store: 32 hexadecimal digits from the kernel.
    package static func newStoreID() throws -> String {
        hexadecimal(try System.random(16))
    }
}

extension StoreMetadata {
    /// The generation above some others.
    ///
    /// - Throws: `StoreError.planRefused` when one of them is the last.
    package static func generation(above others: Int64..., of path: String) throws -> Int64 {
        let highest = others.max() ?? 0
        guard highest < generations.upperBound - 1 else {
            throw StoreError(
                .planRefused, "\(path) has come to generation \(highest), after which SQLite's user_version has no other",
                remedy: "restore a backup, which begins again at its own generation", path: path)
        }
        return highest + 1
    }

    /// What the store is for somebody who wants that version; drift is judged elsewhere.
    ///
    /// - Parameter hasLeft: whether the history names the wanted fingerprint as one that this store has left.
    package func state(for wanted: SchemaIdentity, hasLeft: Bool = false) -> StoreState {
        // Pending comes before the fingerprint: the shape is already the target's, the data is not.
        if identity.matches(wanted) || readableBy.contains(where: { $0.matches(wanted) }) {
            if let target, target.matches(wanted), !identity.matches(wanted) { return .pending }
            return .readable
        }
        if let target, target.matches(wanted) { return .pending }
        if wanted.version == version { return hasLeft ? .newer : .older }
        return wanted.version < version ? .newer : .older
    }
}
