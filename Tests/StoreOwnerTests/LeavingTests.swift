import Foundation
import StoreMigration
import StoreSQLite
import Synchronization
import Testing

@testable import StoreOwner
@testable import StoreShared

/// What an owner does in its last moments, when another may have come.
@Suite("An owner that leaves")
struct LeavingTests {
    private func writer(_ fixture: OwnerFixture) throws -> (WritingConnection, OwnerLock, Int64) {
        try fixture.makeStore()
        let lock = try #require(try OwnerLock.take(fixture.location))
        let connection = try WritingConnection.open(fixture.location)
        let epoch = try #require(try StoreMetadata.epoch(of: connection))
        return (WritingConnection(connection, at: fixture.location, lock: lock), lock, epoch)
    }

    @Test func `removes its socket while nobody can take the store over`() throws {
        let fixture = try OwnerFixture()
        let (writer, lock, epoch) = try writer(fixture)
        var refusals = 0
        let wasOurs = writer.close(epoch: epoch) {
            do {
                let other = try Connection(path: fixture.location.store, access: .readWrite, busyTimeout: .zero)
                defer { other.close() }
                // What claiming begins with.
                try other.writing {}
            } catch {
                if (error as? SQLiteError)?.code.primary == .busy { refusals += 1 }
            }
        }
        #expect(wasOurs && refusals == 1)
        lock.release()
    }

    @Test(arguments: [true, false]) func `leaves the socket of the one that has taken over`(byTheLockFile: Bool) throws {
        let fixture = try OwnerFixture()
        let (writer, lock, epoch) = try writer(fixture)
        if byTheLockFile { try System.unlink(fixture.location.ownerLock) }
        var hasRun = false
        #expect(!writer.close(epoch: byTheLockFile ? epoch : epoch - 1) { hasRun = true })
        #expect(!hasRun)
        lock.release()
    }

    @Test func `asks readers how old their snapshots are, and is woken by the last answer`() throws {
        // Long enough for a test that waited for it to hang.
        let survey = SnapshotSurvey(patience: .seconds(3600))
        let clients = (0..<3).map { LineServer.Client(id: $0, peer: PeerCredentials(pid: 1, uid: 0, gid: 0)) }
        let answers = Mutex<[[UInt64: Double]]>([])
        let told = ConditionVariable()
        let note = { @Sendable (ages: [LineServer.Client: Double]) in
            answers.withLock { $0.append(Dictionary(uniqueKeysWithValues: ages.map { ($0.key.id, $0.value) })) }
            told.wake()
        }
        var asked: [UInt64] = []
        survey.ask(Set(clients), send: { asked.append($0.id) }, answer: note)
        survey.ask(Set(clients), send: { _ in Issue.record("a second round") }, answer: note)
        #expect(asked.sorted() == [0, 1, 2])
        survey.note(1.5, of: clients[0])
        survey.note(nil, of: clients[1])
        #expect(answers.withLock { $0.isEmpty })
        survey.note(-1, of: clients[2])
        #expect(told.wait(until: .after(.seconds(60))) { answers.withLock { $0.count == 2 } })
        #expect(answers.withLock { $0 } == [[0: 1.5, 2: 0], [0: 1.5, 2: 0]])
        // Nobody to wait for.
        survey.ask([], send: { _ in }, answer: note)
        #expect(told.wait(until: .after(.seconds(60))) { answers.withLock { $0.count == 3 } })
    }
}
