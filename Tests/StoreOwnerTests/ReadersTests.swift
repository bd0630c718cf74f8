import Foundation
import StoreOwner
import StoreReader
import StoreShared
import Synchronization
import Testing

/// The list of readers that an owner gives.
@Suite("The list of readers")
struct ReadersTests {
    private struct Answer: Decodable {
        var readers: [ReaderDescription]?
    }

    private func connect(_ location: StoreLocation, _ role: Hello.Role, _ version: SchemaVersion? = nil) throws -> LineClient {
        let client = try LineClient(location, until: .after(.seconds(30)))
        let hello = Hello(role: role, wanted: version.map { SchemaIdentity(version: $0) })
        try client.send(MessageCoding.line(hello), until: .after(.seconds(30)))
        _ = client.receive(until: .after(.seconds(30)))
        return client
    }

    private func list(_ client: LineClient) throws -> [ReaderDescription] {
        try client.send(MessageCoding.line(Request(.readers)), until: .after(.seconds(30)))
        while case .line(let line) = client.receive(until: .after(.seconds(30))) {
            if let readers = MessageCoding.read(Answer.self, line)?.readers { return readers }
        }
        return []
    }

    @Test func `tells how long each has held its oldest snapshot`() throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        let identity = SchemaIdentity(version: SchemaVersion(1, 0, 0))
        let (reading, idle) = (
            try StoreReader.open(at: fixture.location.store, identity: identity),
            try StoreReader.open(at: fixture.location.store, identity: identity)
        )
        // One that does not answer delays nobody for long, and is listed all the same.
        let silent = try connect(fixture.location, .reader, SchemaVersion(9, 9, 9))
        let shell = try connect(fixture.location, .shell)
        var readers: [ReaderDescription] = []
        var ages: [Double] = []
        try reading.transaction(budget: nil) { transaction in
            _ = try transaction.rows("SELECT count(*) FROM note")
            let deadline = Deadline.after(.seconds(30))
            // Until both are connected and have answered, and the age has grown.
            repeat {
                try #require(!deadline.hasPassed)
                readers = try list(shell)
                ages += readers.compactMap(\.snapshotAge)
            } while readers.count < 3 || ages.count < 2 || ages.last == ages.first
        }
        #expect(readers.count == 3)
        #expect(readers.compactMap(\.snapshotAge).count == 1)
        #expect(readers.filter { $0.version == "9.9.9" }.map(\.snapshotAge) == [nil])
        #expect(ages == ages.sorted() && ages.allSatisfy { $0 >= 0 })
        #expect(try list(shell).allSatisfy { $0.snapshotAge == nil })
        withExtendedLifetime(silent) {}
        reading.close()
        idle.close()
        owner.close()
    }

    /// One question at a time is worked on; those behind it wait with the client.
    @Test func `answers each question of a client that asks many at once`() throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        let silent = try connect(fixture.location, .reader)
        let shell = try connect(fixture.location, .shell)
        let requests = (0..<10).flatMap { _ in MessageCoding.line(Request(.readers)) + Array("\n".utf8) }
        try shell.send(requests, until: .after(.seconds(30)), endsLine: false)
        var answers = 0
        while answers < 10, case .line(let line) = shell.receive(until: .after(.seconds(30))) {
            #expect(MessageCoding.read(Answer.self, line)?.readers?.count == 1)
            answers += 1
        }
        #expect(answers == 10)
        withExtendedLifetime(silent) {}
        owner.close()
    }
}
