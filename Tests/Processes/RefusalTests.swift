import Foundation
import ProcessHarness
import StoreSQLite
import Testing

/// Bad input: every program names the path and what to do, and loses nothing.
@Suite(.serialized) struct RefusalTests {
    /// What stands where a store is expected.
    enum Impostor: String, CaseIterable, CustomTestStringConvertible {
        case noFolder = "no such folder"
        case folder = "a folder"
        case text = "a text file"
        case foreign = "a database that is no store"

        var testDescription: String { rawValue }
    }

    @Test(arguments: Impostor.allCases) func whatIsNoStoreIsRefusedAndLeftAlone(_ impostor: Impostor) throws {
        let folder = try TemporaryFolder()
        let path = folder(impostor == .noFolder ? "none/notes.store" : "notes.store")
        switch impostor {
        case .noFolder: break
        case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .text: try "a shopping list\n".write(toFile: path, atomically: false, encoding: .utf8)
        case .foreign:
            let connection = try Connection(path: path, access: .create)
            try connection.execute("CREATE TABLE shopping (item TEXT); INSERT INTO shopping VALUES ('bread')")
            connection.close()
        }
        let before = FileManager.default.contents(atPath: path)

        let owner = try run(.notesd, path, "--migrate-only")
        // A place that is not there yet, as that of storekeeperd.
        #expect(owner.ending == .exit(impostor == .noFolder ? 1 : 8), "\(owner)")
        #expect(owner.errors.first?.contains(path) == true, "\(owner)")
        let reader = try run(.reader, path, "--for", "2.0.0", "--timeout", "0")
        #expect(reader.ending == .exit(8), "\(reader)")
        #expect(reader.errors.first?.contains(path) == true, "\(reader)")
        let shell = try run(.storectl, "check", path, "--want", "2.0.0")
        #expect(shell.ending == .exit(8), "\(shell)")

        #expect(FileManager.default.contents(atPath: path) == before)
    }

    @Test func aStoreOfAnUnknownShapeIsRefusedByTableAndColumn() throws {
        let store = try NotesStore()
        let connection = try Connection(path: store.path, access: .readWrite)
        try connection.execute("ALTER TABLE \"Note\" ADD COLUMN \"colour\" TEXT")
        connection.close()
        let before = FileManager.default.contents(atPath: store.path)
        let owner = try run(.notesd, store.path, "--migrate-only")
        #expect(owner.ending == .exit(8), "\(owner)")
        let reason = owner.errors.first ?? ""
        #expect(reason.contains("Note") && reason.contains("colour"), "\(owner)")
        #expect(FileManager.default.contents(atPath: store.path) == before)
    }

    /// The record is a hint: broken, it stops nobody, and the next owner writes it anew.
    @Test(arguments: ["", "STORE_RECORD=1\nSTORE_VERSION=9.9.9\n", "\u{0}\u{1}\u{2}"]) func aBrokenRecordStopsNobody(_ text: String) throws
    {
        let store = try NotesStore()
        try text.write(toFile: "\(store.path).keeper/record", atomically: false, encoding: .utf8)
        #expect(try run(.storectl, "check", store.path, "--want", "1.0.0").ending == .exit(0))
        #expect(try run(.storectl, "check", store.path, "--want", "1.0.0", "--strict").ending == .exit(9))
        #expect(try NotesStore.digest(of: store.path, for: "1.0.0") == store.digest)
        let owner = try run(.notesd, store.path, "--migrate-only")
        #expect(owner.ending == .exit(0), "\(owner)")
        #expect(try RecordWitness(store.path).look() == "2.0.0")
        #expect(try run(.storectl, "check", store.path, "--want", "2.0.0", "--strict").ending == .exit(0))
    }

    /// Another user, who may do nothing with the store, is told which path it is.
    @Test(.enabled(if: getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
    func withoutPermissionThePathIsNamed() throws {
        let store = try NotesStore()
        chmod(store.path, 0o600)
        let nobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        let owner = try run(.notesd, store.path, "--migrate-only", launcher: nobody)
        #expect(owner.ending == .exit(1) || owner.ending == .exit(8), "\(owner)")
        #expect(owner.errors.first?.contains(store.path) == true, "\(owner)")
        let reader = try run(.reader, store.path, "--for", "1.0.0", "--timeout", "0", launcher: nobody)
        #expect(reader.ending == .exit(8), "\(reader)")
        #expect(reader.errors.first?.contains(store.path) == true, "\(reader)")
        let shell = try run(.storectl, "check", store.path, "--want", "1.0.0", launcher: nobody)
        #expect(shell.ending == .exit(8), "\(shell)")
    }

    /// A disk that fills up in the middle of the migration: exit 7, everything as before, and with room it goes on.
    @Test(.enabled(if: SmallDisk.canMount)) func aFullDiskLosesNothing() throws {
        let original = try NotesStore()
        let disk = try SmallDisk(megabytes: 8)
        let path = "\(disk.path)/notes.store"
        try copyStore(original.path, to: path)
        try disk.fill(leaving: 1 << 20)
        let owner = try run(.notesd, path, "--migrate-only", "--no-backup")
        #expect(owner.ending == .exit(7), "\(owner)")
        #expect(owner.errors.first?.contains(path) == true, "\(owner)")
        #expect(try NotesStore.digest(of: path, for: "1.0.0") == original.digest)
        #expect(try run(.storectl, "check", path, "--want", "1.0.0").ending == .exit(0))
        try disk.grow(toMegabytes: 64)
        let next = try run(.notesd, path, "--migrate-only", "--no-backup")
        #expect(next.ending == .exit(0), "\(next)")
    }

    @Test(arguments: [
        [], ["a", "b"], ["a", "--colour"], ["a", "--to", "3.0.0"], ["a", "--wait", "soon"], ["a", "--import", "x", "--to", "2.0.0"],
        ["a", "--no-backup", "--backup-keep", "2"], ["a", "--log"],
    ]) func wrongArgumentsAreExitTwo(_ arguments: [String]) throws {
        let program = try Program(.notesd, arguments)
        #expect(try program.wait() == .exit(2))
        #expect(program.output.lines.isEmpty && program.errors.lines.contains { $0.hasPrefix("usage: notesd") }, "\(program.transcript)")
    }
}
