import Foundation
import ProcessHarness
import Testing

/// What a service manager learns from the end of an owner: whether starting it again is sensible.
@Suite(.serialized) struct ExitStatusTests {
    /// Three megabytes of rows.
    private static let filler =
        "INSERT INTO audit WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT hex(zeroblob(500)) FROM n;"

    /// A full disk: 1 for an owner that was to serve, 7 for a run that was to migrate; with room the next start goes on by itself.
    @Test(.enabled(if: SmallDisk.canMount), arguments: [4, 64, 512], [[], ["--no-backup"]])
    func aFullDiskIsWorthAnotherStart(kibibytes: Int64, options: [String]) throws {
        let disk = try SmallDisk(megabytes: 16)
        let path = "\(disk.path)/shop.store"
        let source = try PlanStore()
        let first = try source.plan([PlanStore.notes, ["1.0.0/seed.sql": Self.filler]])
        #expect(try run(.storekeeperd, path, "--plan", first, "--migrate-only").ending == .exit(0))
        let plan = try source.plan([PlanStore.notes, PlanStore.renamed, ["2.0.0/did.sql": Self.filler]])
        try disk.fill(leaving: kibibytes << 10)
        let served = try run(.storekeeperd, [path, "--plan", plan] + options)
        #expect(served.ending == .exit(1), "\(served)")
        #expect(served.errors.first?.contains("ake room") == true, "\(served)")
        if kibibytes > 4 {
            let migrated = try run(.storekeeperd, [path, "--plan", plan, "--migrate-only"] + options)
            #expect(migrated.ending == .exit(7), "\(migrated)")
            #expect(try run(.storectl, "check", path, "--want", "2.0.0").ending == .exit(7))
        }
        #expect(try run(.storectl, "check", path, "--want", "1.0.0").ending == .exit(0))
        try disk.grow(toMegabytes: 64)
        let next = try Program(.storekeeperd, [path, "--plan", plan, "--log", "json"] + options)
        try next.event("serving")
        #expect(try run(.storectl, "check", path, "--want", "2.0.0").ending == .exit(0))
    }

    /// SQLite makes the index of the log anew where the last who closed the store removed it, and there is no room for it.
    @Test(.enabled(if: SmallDisk.canMount)) func aFullDiskWithoutALogIsNoMissingStore() throws {
        let disk = try SmallDisk(megabytes: 4)
        let path = "\(disk.path)/shop.store"
        let source = try PlanStore()
        let plan = try source.plan([PlanStore.notes])
        #expect(try run(.storekeeperd, path, "--plan", plan, "--migrate-only").ending == .exit(0))
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        try disk.fill(leaving: 0)
        for options in [[], ["--migrate-only"]] {
            let refused = try run(.storekeeperd, [path, "--plan", plan] + options)
            #expect(refused.ending == .exit(1) && refused.errors.first?.contains(path) == true, "\(refused)")
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit")), arguments: [4, 5, 6, 8, 10, 12])
    func tooFewDescriptorsSayNothingOfTheStore(count: Int) throws {
        let store = try PlanStore.withNotes()
        let plan = try store.plan([PlanStore.notes])
        let limited = ["/usr/bin/prlimit", "--nofile=\(count)"]
        let outcome = try run(.storekeeperd, [store.path, "--plan", plan, "--migrate-only"], launcher: limited)
        guard outcome.ending != .exit(0) else { return }
        #expect(outcome.ending == .exit(1), "\(outcome)")
        #expect(outcome.errors.first?.lowercased().contains("raise the limit of open files") == true, "\(outcome)")
    }

    @Test func whatAPersonMustMendStaysWhatItWas() throws {
        let store = try PlanStore.withNotes()
        let broken = try store.plan([PlanStore.notes, PlanStore.renamed, ["2.0.0/did.sql": "INSERT INTO nowhere VALUES(1);"]])
        #expect(try run(.storekeeperd, store.path, "--plan", broken).ending == .exit(7))
        try "a letter".write(toFile: store.folder("text"), atomically: false, encoding: .utf8)
        #expect(try run(.storekeeperd, store.folder("text"), "--plan", store.plan([PlanStore.notes])).ending == .exit(8))
    }

    /// Swift would repair the name, and so name another file.
    @Test(arguments: [Product.storekeeperd, .storectl, .notesd, .reader, .bookmarksReader])
    func aNameThatIsNotUTF8IsRefused(_ product: Product) throws {
        let folder = try TemporaryFolder()
        let launcher = ["/bin/sh", "-c", #"cd "$1"; exec "$0" "$(printf 'x\377.store')""#]
        let outcome = try run(product, [folder.path], launcher: launcher)
        #expect(outcome.ending == .exit(2), "\(outcome)")
        #expect(outcome.errors.first?.contains("is not UTF-8") == true, "\(outcome)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
