import Foundation
import StoreMigration
import StoreOwner
import StoreReader
import StoreSQLite
import StoreShared
import Synchronization
import Testing

/// What readers learn of the owner's commits.
@Suite("A change of rows")
struct ChangeTests {
    private let patience = Duration.seconds(30)

    private func reader(_ fixture: OwnerFixture) throws -> StoreReader {
        try StoreReader.open(at: fixture.location.store, identity: SchemaIdentity(version: SchemaVersion(1, 0, 0)))
    }

    /// Follows the changes of a reader that hears its owner, from now on.
    private func follow(_ reader: StoreReader, of entities: Set<String>? = nil, _ owner: StoreOwner) throws -> StoreChanges {
        // It may not be connected yet: then it hears none of these, or that a connection began.
        let all = reader.changes()
        let deadline = Deadline.after(patience)
        var number = 0
        repeat {
            try #require(!deadline.hasPassed)
            number += 1
            try owner.write(changing: ["\(number)"]) { _ in }
            // One after the other: who has heard this one has nothing of the others to come.
        } while try all.next(within: .milliseconds(100))?.entities?.contains("\(number)") != true
        return reader.changes(of: entities)
    }

    private func write(_ owner: StoreOwner, _ title: String, changing entities: Set<String> = ["note"]) throws {
        try owner.write(changing: entities) { try $0.run("INSERT INTO note(title) VALUES (?)", .text(title)) }
    }

    @Test func `wakes the one who follows the entity, after its commit`() throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        let reader = try reader(fixture)
        let (notes, tags) = (try follow(reader, of: ["note"], owner), reader.changes(of: ["tag"]))
        for number in 1...20 {
            try write(owner, "\(number)")
            #expect(try notes.next(within: patience) == StoreChange(entities: ["note"]))
            #expect(try reader.rows("SELECT count(*) FROM note") == [[.integer(Int64(number))]])
        }
        try write(owner, "both", changing: ["note", "tag"])
        #expect(try tags.next(within: patience)?.entities == ["tag"])
        #expect(try notes.next(within: patience)?.entities == ["note"])
        #expect(try notes.next(within: .zero) == nil)
        reader.close()
        owner.close()
    }

    @Test func `is put together with others while nobody waits`() throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        let reader = try reader(fixture)
        let (slow, quick) = (try follow(reader, owner), reader.changes(of: ["d"]))
        for entity in ["a", "b", "c", "d"] { try write(owner, entity, changing: [entity]) }
        // The order is the owner's: who has heard of the last has heard of all.
        #expect(try quick.next(within: patience)?.entities == ["d"])
        let change = try slow.next(within: patience)
        #expect(change?.entities == ["a", "b", "c", "d"])
        #expect(try slow.next(within: .zero) == nil)
        reader.close()
        owner.close()
    }

    /// Far more than a socket holds, to a reader whose process takes none of it: nobody waits, and the gap shows.
    @Test func `that was not taken in time shows as a gap and never holds the owner up`() throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        let deaf = try LineClient(fixture.location, until: .after(patience))
        for line in [#"{"hello":1,"role":"reader","pid":1}"#, #"{"request":"subscribe"}"#] {
            try deaf.send(Array(line.utf8), until: .after(patience))
        }
        guard case .line = deaf.receive(until: .after(patience)), case .line(let answer) = deaf.receive(until: .after(patience)) else {
            return #expect(Bool(false))
        }
        #expect(MessageCoding.read(ChangeNotice.self, answer)?.token == 0)
        // Nothing goes to the disk, so that it is told faster than anybody is dropped for being slow.
        for _ in 1...2000 { try owner.write(changing: ["note"]) { _ in } }
        var tokens: [Int64] = []
        while tokens.last != 2000, case .line(let line) = deaf.receive(until: .after(patience)) {
            if let token = MessageCoding.read(ChangeNotice.self, line)?.token { tokens.append(token) }
        }
        #expect(tokens.last == 2000)
        #expect(tokens == tokens.sorted() && Set(tokens).count == tokens.count)
        #expect(tokens.count < 2000)
        owner.close()
    }

    @Test func `of unknown extent is told when an owner comes`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let reader = try reader(fixture)
        let changes = reader.changes(of: ["note"])
        for _ in 1...2 {
            let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
            #expect(try changes.next(within: patience) == StoreChange(entities: nil))
            owner.close()
        }
        reader.close()
        #expect(throws: StoreError.self) { try changes.next(within: patience) }
    }

    /// A stage that the reader's wait holds up: its connection is one of this owner, not made after the publication.
    @Test func `reaches a reader that waited for the store, over the connection by which it waited`() async throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let seen = Mutex<[String]>([])
        let location = fixture.location
        let waits = try System.eventCounter()
        let plan = try OwnerFixture.plan2
        async let opened = StoreReader.open(at: location.store, identity: plan.target.identity, wait: .upTo(patience)) {
            if $0.verdict == .migrating { System.signal(waits) }
        }
        var options = OwnerOptions()
        options.backupsKept = nil
        options.onEvent = { event in
            switch event {
            case .migrating: _ = try? System.poll([waits.raw], until: .after(.seconds(30)))
            case .reader(_, let joined): seen.withLock { $0.append(joined ? "joined" : "left") }
            case .published: seen.withLock { $0.append("published") }
            default: break
            }
        }
        let owner = try await onOwnThread("owner") { [options] in try StoreOwner.open(at: location, plan: plan, options: options) }
        let reader = try await opened
        let notes = try follow(reader, of: ["note"], owner)
        try write(owner, "new")
        #expect(try notes.next(within: patience)?.entities == ["note"])
        // Whichever comes first: the reader hears of the publication before the owner has told its program.
        #expect(seen.withLock { $0.sorted() } == ["joined", "published"])
        reader.close()
        owner.close()
    }

    @Test func `ends a loop when the reader is closed or the task cancelled`() async throws {
        let fixture = try OwnerFixture()
        let owner = try await StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        let reader = try await StoreReader.open(
            at: fixture.location.store, identity: SchemaIdentity(version: SchemaVersion(1, 0, 0)))
        let changes = try follow(reader, owner)
        let task = Task {
            var seen = 0
            for try await _ in changes { seen += 1 }
            return seen
        }
        task.cancel()
        #expect(try await task.value == 0)
        let other = Task { for try await _ in changes {} }
        reader.close()
        try await other.value
        owner.close()
    }
}

@Suite("Several stores")
struct SeveralStoresTests {
    @Test func `belong to one process, and each goes on without the others`() throws {
        let fixtures = try (1...3).map { _ in try OwnerFixture() }
        let owners = try fixtures.map { try StoreOwner.open(at: $0.location, plan: try OwnerFixture.plan1) }
        for (fixture, owner) in zip(fixtures, owners) {
            try owner.write { try $0.run("INSERT INTO note(title) VALUES ('a')") }
            #expect(OwnerLock.probe(fixture.location) == .alive)
        }
        owners[1].close()
        #expect(OwnerLock.probe(fixtures[1].location) == .dead)
        for index in [0, 2] {
            try owners[index].write { try $0.run("INSERT INTO note(title) VALUES ('b')") }
            #expect(try fixtures[index].ask("SELECT count(*) FROM note") == [[.integer(2)]])
            owners[index].close()
        }
    }

    private func wishes(_ fixtures: [OwnerFixture], at version: SchemaVersion) -> [StoreWish] {
        fixtures.map { StoreWish(path: $0.location.store, identity: SchemaIdentity(version: version)) }
    }

    @Test func `are waited for together`() async throws {
        let fixtures = try (1...3).map { _ in try OwnerFixture() }
        for fixture in fixtures { try fixture.makeStore() }
        let wishes = wishes(fixtures, at: SchemaVersion(2, 0, 0))
        let early = #expect(throws: StoreError.self) { try StoreReader.open(wishes) }
        #expect(early?.code == .outdated && early?.path == fixtures[0].location.store)
        let late = #expect(throws: StoreError.self) { try StoreReader.open(wishes, wait: .upTo(.milliseconds(50))) }
        #expect(late?.code == .timedOut)
        let waiting = Task { try await StoreReader.open(wishes, wait: .upTo(.seconds(60))) }
        var owners: [StoreOwner] = []
        for fixture in fixtures.reversed() {
            owners.append(try await StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan2))
        }
        let readers = try await waiting.value
        #expect(readers.map(\.location.store) == fixtures.map(\.location.store))
        for reader in readers { #expect(try reader.rows("SELECT count(words), count(*) FROM note") == [[.integer(0), .integer(2)]]) }
        readers.forEach { $0.close() }
        owners.forEach { $0.close() }
        withExtendedLifetime(fixtures) {}
    }

    @Test func `of which one cannot become ready end the wait at once`() throws {
        let fixtures = try (1...2).map { _ in try OwnerFixture() }
        try fixtures[0].makeStore()
        try fixtures[1].makeStore()
        try StoreOwner.open(
            at: fixtures[1].location, plan: try OwnerFixture.plan([OwnerFixture.version1, ["CREATE TABLE other(a)"]]),
            options: {
                var options = OwnerOptions()
                options.allowsLoss = true
                return options
            }()
        ).close()
        let wishes = [
            StoreWish(path: fixtures[0].location.store, identity: SchemaIdentity(version: SchemaVersion(2, 0, 0))),
            StoreWish(path: fixtures[1].location.store, identity: SchemaIdentity(version: SchemaVersion(1, 0, 0))),
        ]
        let error = #expect(throws: StoreError.self) { try StoreReader.open(wishes, wait: .forever) }
        #expect(error?.code == .storeTooNew && error?.path == fixtures[1].location.store)
    }

    @Test func `are given up when the task is cancelled`() async throws {
        let fixtures = try (1...2).map { _ in try OwnerFixture() }
        for fixture in fixtures { try fixture.makeStore() }
        let wishes = wishes(fixtures, at: SchemaVersion(2, 0, 0))
        let task = Task { try await StoreReader.open(wishes, wait: .forever) }
        task.cancel()
        let error = await #expect(throws: StoreError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        withExtendedLifetime(fixtures) {}
    }
}
