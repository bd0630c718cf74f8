import StoreShared

/// One step of a plan, from one version to another: mostly a later one.
package struct PlannedStage: Sendable {
    package typealias Script = @Sendable (StageContext) throws -> Void

    package enum Kind: Sendable {
        /// Inferred from the two schemas alone.
        case lightweight
        /// Inferred, with code on the old schema before and on the new schema after.
        case custom(will: Script?, did: Script?)
        /// Old and new tables at once: the engine copies what converts without loss, ids kept, and `body` does the rest.
        ///
        /// The tables named in `rewriting`, as the new version calls them, are not copied: their rows are those that `body` inserts.
        case mapped(rewriting: Set<String>, body: @Sendable (_ old: StageContext, _ new: StageContext) throws -> Void)
    }

    package let from: SchemaVersion
    package let to: SchemaVersion
    /// For people: `1.0.0 to 2.0.0` unless given.
    package let name: String
    package let kind: Kind
    package let renames: [Rename]
    /// Links that lie elsewhere in the new version; carried over by all but mapped stages.
    package let links: [CarriedLinks]
    /// Of tables that it adds.
    let initialValues: [InitialValues]
    package let losses: LossPolicy
    /// Versions whose readers may go on reading after this stage, stated by the plan; added to what is inferred.
    package let readableBy: [SchemaIdentity]
    /// Whether readers are asked to leave before it, and kept out while it runs.
    package let isExclusive: Bool
    /// What is done in many small commits after the change of the schema; nil where all is one commit.
    package let batches: StageBatches?
    /// The step back; nil where there is none.
    package let reverse: ReverseStep?
    /// Folded names of the tables whose rows its code changes, also through triggers and keys; nil where only running it can tell.
    let written: Set<String>?
    /// Whether no plan says it: only what holds nothing may go then.
    package let isInferred: Bool

    package init(
        from: SchemaVersion, to: SchemaVersion, name: String? = nil, kind: Kind = .lightweight, renames: [Rename] = [],
        links: [CarriedLinks] = [], initialValues: [InitialValues] = [],
        losses: LossPolicy = .none, readableBy: [SchemaIdentity] = [], isExclusive: Bool = false, batches: StageBatches? = nil,
        reverse: ReverseStep? = nil, written: Set<String>? = nil, isInferred: Bool = false
    ) {
        self.from = from
        self.to = to
        self.name = name ?? "\(from) to \(to)"
        self.kind = kind
        self.renames = renames
        self.links = links
        self.initialValues = initialValues
        self.losses = losses
        self.readableBy = readableBy
        self.isExclusive = isExclusive
        self.batches = batches
        self.reverse = reverse
        self.written = written
        self.isInferred = isInferred
    }

    /// Whether it leads back to a lower version.
    package var isReverse: Bool { to < from }

    /// Whether code of the plan runs in it: its data can only be checked when that code has run.
    package var hasCode: Bool {
        if batches != nil { return true }
        switch kind {
        case .lightweight: return false
        case .custom(let will, let did): return will != nil || did != nil
        case .mapped: return true
        }
    }

    /// Whether code runs before the rows are changed.
    var changesRowsFirst: Bool {
        if case .custom(let will, _) = kind { return will != nil }
        return false
    }

    /// Of those who could read the version before, the ones whom the plan itself says that they may read on.
    func statedReaders(_ before: [SchemaIdentity]) -> [SchemaIdentity] {
        before.filter { reader in readableBy.contains { $0.matches(reader) } }
    }
}
