import FoundationEssentials
import StoreSQLite
import StoreShared
import Testing

@testable import StoreReader

@Suite struct JudgeTests {
    private let store: SampleStore

    init() throws { store = try SampleStore() }

    private func verdict(_ wanted: SchemaIdentity?, strict: Bool = false) throws -> Verdict {
        try judge(store.location, for: wanted, strict: strict).verdict
    }

    @Test func whatIsNoStoreIsNamedAndMadeByNobody() throws {
        let location = store.location
        #expect(try verdict(SampleStore.one) == .absent)
        #expect(try judge(location, for: SampleStore.one).error?.description.contains(location.store) == true)
        for (bytes, verdict) in [([], Verdict.absent), (Array(String(repeating: "a letter ", count: 900).utf8), .unreadable)]
            as [([UInt8], Verdict)]
        {
            try System.writeAll(try System.open(location.store, [.readWrite, .create], mode: 0o644), bytes, path: location.store)
            let judgement = try judge(location, for: SampleStore.one)
            #expect(judgement.verdict == verdict)
            #expect(judgement.error?.description.contains(location.store) == true)
        }
        #expect(try System.names(in: store.folder) == ["notes.store"])
        #expect(try judge(StoreLocation(path: store.folder), for: SampleStore.one).verdict == .unreadable)
    }

    @Test func aStoreOfTwoNamesIsUnreadable() throws {
        try System.writeAll(try System.open(store.location.store, [.readWrite, .create], mode: 0o644), [1], path: store.location.store)
        let other = store.folder + "/other.store"
        try FileManager.default.linkItem(atPath: store.location.store, toPath: other)
        let judgement = try judge(StoreLocation(path: other), for: SampleStore.one)
        #expect(judgement.verdict == .unreadable)
        #expect(judgement.error?.code == .unsuitablePlace)
        #expect(try System.names(in: store.folder).sorted() == ["notes.store", "other.store"])
    }

    @Test func aJournalThatAKilledWriterLeftIsNoMissingStore() throws {
        let other = store.folder + "/killed.store"
        let connection = try Connection(path: other, access: .create)
        try connection.execute(
            "PRAGMA journal_mode = DELETE; CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
                + "INSERT INTO t SELECT randomblob(1000) FROM n; PRAGMA cache_size = 1; BEGIN; UPDATE t SET a = randomblob(1000)")
        // What a killed writer leaves: the pages that it had written, and the journal that undoes them.
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: other + suffix, toPath: store.location.store + suffix)
        }
        connection.close()
        let judgement = try judge(store.location, for: SampleStore.one)
        #expect(judgement.verdict == .unreadable)
        #expect(judgement.error?.remedy.contains("owner") == true)
        // An owner undoes it as soon as one comes, so waiting is worth while.
        let outcome = try StoreWaiter(store.location, for: SampleStore.one).wait(until: .now)
        #expect(outcome.timedOut)
    }

    @Test func aForeignDatabaseIsUnreadableAndStaysAsItIs() throws {
        let connection = try Connection(path: store.location.store, access: .create)
        try connection.execute("CREATE TABLE music(title)")
        connection.close()
        let judgement = try judge(store.location, for: SampleStore.one)
        #expect(judgement.verdict == .unreadable)
        #expect(judgement.error?.code == .foreign, "\(String(describing: judgement.error))")
        #expect(try System.names(in: store.folder) == ["notes.store"])
    }

    @Test func theStoreDecides() throws {
        let connection = try store.make()
        #expect(try verdict(SampleStore.one) == .ready)
        #expect(try verdict(SampleStore.two) == .outdated)
        #expect(try verdict(nil) == .ready)
        #expect(try verdict(SampleStore.one, strict: true) == .disagreement)
        try store.publish(.ready, connection)
        #expect(try verdict(SampleStore.one, strict: true) == .ready)
        let old = try System.readAll(try System.open(store.location.record, .read), path: "", limit: 65536)
        try store.migrate(connection)
        #expect(try verdict(SampleStore.one) == .tooNew)
        #expect(try verdict(SampleStore.two) == .ready)
        #expect(try verdict(SampleStore.two, strict: true) == .disagreement)
        try store.publish(.ready, connection)
        #expect(try verdict(SampleStore.two, strict: true) == .ready)
        // The record of another day comes back.
        try System.unlink(store.location.record)
        try System.writeAll(try System.open(store.location.record, [.readWrite, .create], mode: 0o644), old, path: "")
        let judgement = try judge(store.location, for: SampleStore.two)
        #expect(judgement.verdict == .ready)
        #expect(judgement.facts.record == .older)
        #expect(!judgement.status.record.believed)
    }

    @Test func aStoreThatWentBackIsADisagreementWhileNobodyOwnsIt() throws {
        let connection = try store.make()
        try store.publish(.ready, connection)
        try connection.execute("PRAGMA user_version = 0")
        #expect(try verdict(SampleStore.one) == .disagreement)
        try store.own()
        #expect(try verdict(SampleStore.one) == .ready)
    }

    @Test func migratingIsSaidWhileTheOwnerLivesOnly() throws {
        let connection = try store.make()
        try store.own()
        try store.publish(.migrating, connection, target: SampleStore.two.version)
        #expect(try verdict(SampleStore.two) == .migrating)
        #expect(try verdict(SampleStore.one) == .ready)
        #expect(try verdict(nil) == .migrating)
        store.disown()
        #expect(try verdict(SampleStore.two) == .outdated)
        #expect(try verdict(nil) == .outdated)
        let status = try judge(store.location, for: nil).status
        #expect(status.owner.alive == false)
        #expect(status.migration == nil)
        try store.publish(.failed, connection, target: SampleStore.two.version, reason: "row 3")
        #expect(try verdict(SampleStore.two) == .failed)
        #expect(try verdict(SampleStore.one) == .ready)
        #expect(try judge(store.location, for: SampleStore.two).error?.description.contains("row 3") == true)
    }

    @Test func aSchemaThatWasChangedByHandIsDrift() throws {
        let connection = try store.make()
        try connection.execute("ALTER TABLE note ADD COLUMN extra TEXT")
        let judgement = try judge(store.location, for: SampleStore.one)
        #expect(judgement.verdict == .unreadable)
        #expect(judgement.error?.code == .drifted)
    }

    @Test func runningOutOfDescriptorsIsNotTakenForAMissingStore() throws {
        try store.make()
        #expect(throws: Never.self) { try judge(store.location, for: SampleStore.one) }
        let failure = ReadFailure(SQLiteError(code: .cannotOpen, message: "unable to open", path: store.location.store, systemError: 24))
        let error = #expect(throws: StoreError.self) { try failure.sight(of: store.location) }
        #expect(error?.description.contains("too many open files") == true)
    }
}
