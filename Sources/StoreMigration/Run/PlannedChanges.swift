import StoreSQLite

/// The changes of one migration that have been planned: planning tries every step twice in memory, and each change is asked for before the
/// first write, for its readers, and when it is made. Used by one thread.
final class PlannedChanges {
    private struct Question: Equatable {
        let old: [ExactText]
        let new: [ExactText]
        let taken: Set<String>
        let frontEnd: FrontEnd
        let renames: [Rename]
        let losses: LossPolicy
        let drops: ChangePlanner.Drops
    }

    private var known: [(question: Question, change: SchemaChange)] = []

    /// - Throws: as `ChangePlanner.plan`.
    func change(
        from old: RelationalSchema, to new: RelationalSchema, frontEnd: FrontEnd, renames: [Rename], losses: LossPolicy,
        drops: ChangePlanner.Drops
    ) throws -> SchemaChange {
        let question = Question(
            old: (old.objects.compactMap(\.sql) + old.ownTriggers.map(\.sql)).map(ExactText.init),
            new: new.objects.compactMap(\.sql).map(ExactText.init),
            taken: old.takenNames.union(new.takenNames), frontEnd: frontEnd, renames: renames, losses: losses, drops: drops)
        if let answer = known.first(where: { $0.question == question }) { return answer.change }
        let change = try ChangePlanner.plan(from: old, to: new, frontEnd: frontEnd, renames: renames, losses: losses, drops: drops)
        known.append((question, change))
        return change
    }
}
