import StoreMigration
import StoreOwner
import StoreReader
import StoreShared

/// `storectl restore`, `rollback` and `adopt`: by the owner that lives, else as the owner of the moment.
extension Command {
    func restore() throws -> Int32 {
        try answering { location in
            let file = try Self.wholePath(self.file ?? "")
            if OwnerLock.probe(location) != .dead {
                let status = try OwnerRequest(location).make(Request(.restore, from: file))
                return tell(done: "restored", status.store.version, status.store.generation)
            }
            let metadata = try MomentaryOwner.restore(location, from: file, allowsAnyFileSystem: allowsAnyFileSystem) { explain($0) }
            return tell(done: "restored", metadata.version.description, metadata.generation)
        }
    }

    func rollBack() throws -> Int32 {
        try answering { location in
            guard let version else { return 2 }
            let plan = try StoreSight.read(location) { connection, metadata in
                try SchemaDrift.check(connection, metadata)
                return try StoredReverse.plan(connection, to: version)
            }
            guard let plan else {
                explain("\(location.store) is at \(version) already")
                return tell(done: "nothing", version.description, nil)
            }
            if !agrees, !asks(plan, location) { return 7 }
            if OwnerLock.probe(location) != .dead {
                let status = try OwnerRequest(location).make(Request(.rollback, to: version.description))
                return tell(done: "rolledBack", status.store.version, status.store.generation)
            }
            var options = OwnerOptions()
            options.allowsAnyFileSystem = allowsAnyFileSystem
            let cancellation = Cancellation()
            options.cancellation = cancellation
            options.exitStatusWhenStuck = 5
            try TerminationSignals.cancel(cancellation)
            let owner = try StoreOwner.open(at: location, plan: plan, options: options)
            let metadata = owner.metadata
            owner.close()
            return tell(done: "rolledBack", metadata.version.description, metadata.generation)
        }
    }

    /// Says what would be done; a person at a terminal may agree.
    private func asks(_ plan: MigrationPlan, _ location: StoreLocation) -> Bool {
        let path = plan.versions.reversed().map(\.version.description).joined(separator: " to ")
        let what = "\(location.store) goes back from \(path); what the older version has no place for is lost, a backup is made first"
        guard System.isTerminal(0), output == .text else {
            explain("\(what); agree to it by --yes")
            return false
        }
        System.print("\(what.onOneLine). Go on? [y/N] ", toError: true)
        let answer = readLine(strippingNewline: true) ?? ""
        return answer == "y" || answer == "yes"
    }

    func adopt() throws -> Int32 {
        try answering { location in
            let plan = try SQLPlan(folder: self.plan ?? "").migrationPlan()
            let adoption = try MomentaryOwner.adopt(
                location, plan, as: version, allowsExtra: allowsExtra, allowsAnyFileSystem: allowsAnyFileSystem)
            if adoption.isDone {
                explain("\(location.store) is a store at \(adoption.version.version) already")
                return tell(done: "nothing", adoption.version.version.description, nil)
            }
            for line in adoption.version.tolerated.descriptions { explain("tolerated from now on: \(line)") }
            return tell(done: "adopted", adoption.version.version.description, nil)
        }
    }

    private func tell(done: String, _ version: String?, _ generation: Int64?) -> Int32 {
        tell(ReturnAnswer(done: done, version: version, generation: generation), (version ?? "") + "\n")
        return 0
    }
}

/// What was done, and what the store is now.
private struct ReturnAnswer: Encodable {
    let done: String
    let version: String?
    let generation: Int64?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(done, forKey: .done)
        try container.encode(version, forKey: .version)
        try container.encode(generation, forKey: .generation)
    }

    private enum Keys: String, CodingKey { case done, version, generation }
}
