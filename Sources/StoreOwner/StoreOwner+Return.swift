import StoreMigration
import StoreSQLite
import StoreShared
import Synchronization

/// Bringing the store back to what it was, while it is served.
extension StoreOwner {
    /// Puts a backup of this store in place of what it holds, in one commit that readers see whole or not.
    ///
    /// Generation and epoch grow, so that every reader judges again.
    ///
    /// - Returns: whether the store still has the version that it had; if not, the owner is to be closed.
    /// - Throws: `StoreError.planRefused` naming what is wrong with the backup; nothing was changed then.
    func restore(from file: String) throws -> Bool {
        let before = metadata.identity
        try use { connection in
            let prepared = try PreparedRestore(
                from: file, for: connection, at: location, record: publication.record, owner: OwnerOpening.description)
            try prepared.apply(to: connection)
            // Under the lock: the next write is fenced by the new epoch.
            publication.adopt(prepared.metadata)
        }
        publishReturn()
        return metadata.identity == before
    }

    /// Goes back to an earlier version by the steps that the store keeps, with a backup first.
    ///
    /// - Returns: whether the store still has the version that it had; if not, the owner is to be closed.
    /// - Throws: `StoreError.planRefused` naming the step that is missing; nothing was changed then.
    func rollBack(to version: SchemaVersion) throws -> Bool {
        let before = metadata.identity
        let plan = try use { connection in try connection.reading { try StoredReverse.plan(connection, to: version) } }
        if let plan { try migrate(to: plan) }
        return metadata.identity == before
    }

    /// Carries out a request that takes time, on a thread of its own. An owner whose version the store then is not any more leaves.
    ///
    /// - Parameter answer: called once, with the reason why it was not done, or with nil.
    func carryOut(_ request: Request, by peer: PeerCredentials, _ answer: @escaping @Sendable (String?) -> Void) {
        guard peer.uid == 0 || peer.uid == System.userID else {
            return answer("user \(peer.uid) may not ask for \(request.request); only root and the owner's user \(System.userID) may")
        }
        guard isActing.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
            return answer("the owner is still at another request to restore or to roll back")
        }
        do {
            try WorkerThread("storekeeper-act") { [self] in
                var failure: String?
                var stays = true
                do {
                    stays = try carryOut(request)
                } catch {
                    failure = "\(error)"
                }
                // Before the answer: who has it may ask for the next. An owner that leaves does nothing any more.
                if stays { isActing.store(false, ordering: .releasing) }
                answer(failure)
                if !stays { close() }
            }.detach()
        } catch {
            isActing.store(false, ordering: .releasing)
            answer("\(error)")
        }
    }

    private func carryOut(_ request: Request) throws -> Bool {
        switch request.name {
        case .restore:
            guard let file = request.from, file.hasPrefix("/") else {
                throw StoreError(.misuse, "the request restore names no file by its whole path", remedy: "give it as \"from\"")
            }
            return try restore(from: file)
        case .rollback:
            guard let version = request.to.flatMap({ SchemaVersion($0) }) else {
                throw StoreError(.misuse, "the request rollback names no version", remedy: "give it as \"to\"")
            }
            return try rollBack(to: version)
        default:
            throw StoreError(.misuse, "this owner does not answer the request \(request.request)")
        }
    }
}
