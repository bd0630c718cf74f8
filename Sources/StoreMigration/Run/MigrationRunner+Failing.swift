import StoreShared
import StoreSQLite

/// A migration that does not come to its end: what is said of it, and what the history keeps.
extension MigrationRunner {
    func translating<T>(_ stage: PlannedStage?, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch {
            throw failure(error, in: stage)
        }
    }

    /// Whatever was thrown, as an error that names the store, the stage and the remedy.
    func failure(_ error: any Error, in stage: PlannedStage?) -> StoreError {
        let name = stage.map { " (stage '\($0.name)')" } ?? ""
        let subject = "the migration of \(location.store)\(name)"
        let stays = whatStays()
        func failed(_ code: StoreError.Code, _ verb: String, _ remedy: String) -> StoreError {
            StoreError(
                code, "\(subject) \(verb) \(stays?.what ?? "and was undone")",
                remedy: stays.map { code == .cancelled ? $0.remedy : "\(remedy); \($0.remedy)" } ?? remedy, path: location.store,
                cause: error, wantedVersion: code == .cancelled ? nil : plan.target.version)
        }
        if cancellation.isCancelled || (error as? SQLiteError)?.code.primary == .interrupted {
            return failed(.cancelled, "was stopped", "start it again")
        }
        switch error {
        case let refusal as MigrationRefusal:
            return StoreError(
                .planRefused, "\(subject) is refused: \(refusal.summary)", remedy: refusal.remedy, path: location.store, cause: refusal,
                wantedVersion: plan.target.version)
        case let error as StoreError:
            guard let stays, error.code != .fenced else { return error }
            var told = error
            told.message += ", \(stays.what)"
            told.remedy = error.remedy.isEmpty ? stays.remedy : "\(error.remedy); \(stays.remedy)"
            return told
        case let error as SQLiteError:
            return failed(.migrationFailed, "failed", error.remedy)
        default:
            return failed(.migrationFailed, "failed", "correct what the cause names, then start it again")
        }
    }

    /// What of a batched stage is committed when it ends before its last batch, and how to go on; nil where there is no such thing.
    private func whatStays() -> (what: String, remedy: String)? {
        let target = try? undisturbed {
            try connection.reading { () -> SchemaVersion? in
                guard let metadata = try StoreMetadata.read(connection), let target = metadata.target,
                    plan.path(from: metadata.fingerprint)?.first?.batches != nil
                else { return nil }
                return target.version
            }
        }
        guard let target else { return nil }
        let rows = progress.batches.map { "\($0.done) of \($0.total) rows" } ?? "some rows"
        return (
            "after \(rows) on the way to \(target), which stay",
            "start an owner built for \(plan.target.version), which goes on there"
        )
    }

    /// What is done about a migration that was stopped is not to be stopped by the same: by its handler, or by an interruption that comes late.
    func undisturbed<T>(_ body: () throws -> T) throws -> T {
        connection.onProgress(nil)
        do {
            return try body()
        } catch let error as SQLiteError where error.code.primary == .interrupted {
            return try body()
        }
    }

    /// The row of a failed stage, in a transaction of its own. Where it cannot be written, the published record alone says it.
    func recordFailure(_ failure: StoreError, _ journey: Journey, _ attempt: Attempt) {
        guard failure.code != .fenced, !connection.isInTransaction else { return }
        let stage = journey.path[min(attempt.index, journey.path.count - 1)]
        let entry = HistoryEntry(
            from: stage.from, to: stage.to, outcome: failure.code == .cancelled ? .interrupted : .failed, reason: failure.description,
            startedAt: attempt.started, seconds: attempt.started.seconds(), rows: progress.rowsDone, epoch: attempt.epoch,
            owner: attempt.owner, backup: attempt.backup, fingerprintBefore: journey.snapshots[attempt.index].fingerprint,
            fingerprintAfter: journey.snapshots[attempt.index + 1].fingerprint)
        try? undisturbed {
            try connection.writing {
                // An owner that was superseded meanwhile has no say in the other one's store.
                if try StoreMetadata.epoch(of: connection) == attempt.epoch { try entry.insert(connection) }
            }
        }
    }
}
