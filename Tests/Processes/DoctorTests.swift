import Foundation
import ProcessHarness
import StoreShared
import Testing

/// `storectl doctor` of a store that somebody has meddled with from outside: what is wrong is named, and nothing is called healthy.
@Suite(.serialized) struct DoctorTests {
    private let store: PlanStore
    private var keeper: String { store.path + ".keeper/" }

    init() throws { store = try PlanStore.withNotes() }

    private func served() throws -> Program {
        let owner = try store.daemon([PlanStore.notes])
        try owner.event("serving")
        return owner
    }

    private func expect(_ texts: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let doctor = try run(.storectl, "doctor", store.path)
        #expect(doctor.ending == .exit(10), "\(doctor)", sourceLocation: sourceLocation)
        for text in texts {
            #expect(doctor.output.contains { $0.contains(text) }, "\(text) in \(doctor)", sourceLocation: sourceLocation)
        }
        #expect(
            !doctor.output.contains { $0.contains("permissions are 777") }, "a mode of a link: \(doctor)", sourceLocation: sourceLocation)
    }

    @Test func whatNobodyHasTouchedIsHealthy() throws {
        #expect(try run(.storectl, "doctor", store.path).ending == .exit(0))
        let owner = try served()
        let doctor = try run(.storectl, "doctor", store.path)
        #expect(doctor.ending == .exit(0) && doctor.output.contains("note: an owner is at home"), "\(doctor)")
        withExtendedLifetime(owner) {}
    }

    @Test func anOwnerThatHasLostItsLockFileIsNamed() throws {
        let owner = try served()
        unlink(keeper + "owner.lock")
        try expect("owner.lock: process \(owner.pid) owns the store and has lost this file")
        let status = try run(.storectl, "status", store.path)
        #expect(status.output.contains { $0.contains("process \(owner.pid), which has lost its lock file") }, "\(status)")
    }

    @Test func anOwnerThatNobodyCanReachIsNamed() throws {
        let owner = try served()
        unlink(keeper + "socket")
        try expect("socket: nobody answers there, and the owner, process \(owner.pid), lives")
        // A socket that takes connections and says nothing.
        let deaf = try StoreLocation(path: store.path)
        let listener = try UnixSocket.listen(deaf, epoch: 1)
        try expect("socket: the owner, process \(owner.pid), does not answer there")
        withExtendedLifetime(listener) {}
    }

    @Test(arguments: ["socket", "gate.lock", "record"]) func modesThatKeepReadersOutAreNamed(_ name: String) throws {
        let owner = try served()
        chmod(keeper + name, name == "socket" ? 0o600 : 0)
        try expect("\(name): its permissions are \(name == "socket" ? "600" : "0"), not")
        withExtendedLifetime(owner) {}
    }

    @Test(.enabled(if: getuid() == 0)) func aFolderOrAFileOfAnotherUserIsNamed() throws {
        chown(store.path + ".keeper", 65534, 65534)
        try expect(".keeper: belongs to the user 65534")
        chown(store.path + ".keeper", 0, 0)
        chown(keeper + "owner.lock", 65534, 65534)
        try expect("owner.lock: it belongs to the user 65534, and the store to 0")
    }

    @Test func aStrangerAtTheLockIsNamedAndKeepsAnOwnerOut() throws {
        let file = try System.open(keeper + "owner.lock", .readWrite)
        #expect(try System.setLock(file, .exclusive, byte: 0, path: keeper))
        try expect("owner.lock: process \(getpid()), which is no owner, holds a lock on it", "note: somebody holds the owner's lock")
        let refused = try store.migrate([PlanStore.notes])
        #expect(refused.ending == .exit(5) && refused.errors.first?.contains("locked by process \(getpid())") == true, "\(refused)")
        withExtendedLifetime(file) {}
    }

    @Test(arguments: ["-wal", "-shm"]) func whatStandsInThePlaceOfTheLogIsNamedOnce(_ suffix: String) throws {
        unlink(store.path + suffix)
        #expect(suffix == "-wal" ? mkfifo(store.path + suffix, 0o644) == 0 : mkdir(store.path + suffix, 0o755) == 0)
        try expect("\(suffix): it is a \(suffix == "-wal" ? "device or a pipe" : "folder"), where a plain file should be")
        let refused = try store.migrate([PlanStore.notes])
        #expect(refused.ending == .exit(1) && refused.errors.first?.contains(store.path + suffix) == true, "\(refused)")
    }

    @Test(arguments: ["owner.lock", "gate.lock", "record"]) func nobodyIsToldToChangeTheModeOfALink(_ name: String) throws {
        unlink(keeper + name)
        #expect(symlink("/etc/passwd", keeper + name) == 0)
        let doctor = try run(.storectl, "doctor", store.path)
        #expect(doctor.output.contains { $0.hasSuffix("\(name): it is a symbolic link, where a plain file should be") }, "\(doctor)")
        #expect(!doctor.output.contains { $0.contains("permissions") }, "\(doctor)")
    }

    @Test(.enabled(if: SmallDisk.canMount)) func aDiskWithoutAFreeFileIsNamed() throws {
        let disk = try SmallDisk(megabytes: 8)
        let path = "\(disk.path)/shop.store"
        let plan = try store.plan([PlanStore.notes])
        #expect(try run(.storekeeperd, path, "--plan", plan, "--migrate-only").ending == .exit(0))
        _ = try secondsToRun(["/usr/bin/mount", "-o", "remount,nr_inodes=14", disk.path])
        var files = 0
        while FileManager.default.createFile(atPath: "\(disk.path)/\(files)", contents: nil) { files += 1 }
        let doctor = try run(.storectl, "doctor", path)
        #expect(doctor.ending == .exit(10) && doctor.output.contains { $0.contains("room for 0 more files") }, "\(doctor)")
        let full = try run(.storekeeperd, path, "--plan", plan, "--migrate-only")
        #expect(full.ending == .exit(1) && full.errors.first?.contains("inode") == true, "\(full)")
    }

    @Test func whoHoldsTheGateIsNamed() throws {
        let gate = try System.open(keeper + "gate.lock", .read)
        for byte in [0, 1] as [Int64] { #expect(try System.setLock(gate, .shared, byte: byte, path: keeper)) }
        let stage = #"{"renames": {"note.content": "note.body"}, "exclusive": true}"#
        let exclusive = [PlanStore.notes, PlanStore.renamed, ["2.0.0/stage.json": stage]]
        let refused = try store.migrate(exclusive, "--drain", "0.1")
        #expect(refused.ending == .exit(5), "\(refused)")
        #expect(refused.errors.first?.contains("is still being read by process \(getpid()), and stage") == true, "\(refused)")
        let readers = try run(.storectl, "readers", store.path)
        #expect(readers.output.contains { $0.hasPrefix("pid \(getpid()) ") && $0.hasSuffix("does not speak") }, "\(readers)")
        withExtendedLifetime(gate) {}
    }
}
