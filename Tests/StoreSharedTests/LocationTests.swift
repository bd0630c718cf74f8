import FoundationEssentials
import Glibc
import StoreShared
import Testing

@Suite struct LocationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func twoPathsThatLookAlikeAreTwoStores() throws {
        let paths = ["/tmp/\u{E9}.store", "/tmp/e\u{301}.store"]
        let locations = Set(try paths.map { try StoreLocation(path: $0) })
        #expect(locations.count == 2)
    }

    @Test func twoNamesOfOneStoreAreOneLocation() throws {
        try folder.write([], to: folder.path + "/real.store")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/alias.store", withDestinationPath: "real.store")
        #expect(try folder.location("alias.store") == folder.location("real.store"))
        #expect(try folder.location("alias.store").keeper.hasSuffix("/real.store.keeper"))
    }

    @Test func aLinkToAStoreThatDoesNotExistYetIsFollowed() throws {
        try System.makeFolder(folder.path + "/data", mode: 0o755)
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/alias.store", withDestinationPath: "data/later.store")
        #expect(try folder.location("alias.store") == folder.location("data/later.store"))
        #expect(try folder.location("data/../later.store") == folder.location("later.store"))
    }

    @Test func aMissingFolderIsNamed() throws {
        let error = #expect(throws: StoreError.self) { try folder.location("nowhere/notes.store") }
        #expect(error?.code == .unsuitablePlace)
        #expect(error?.description.contains("nowhere") == true)
        #expect(throws: StoreError.self) { try StoreLocation(path: "") }
    }

    @Test func namesAndPathsThatLeaveNoRoomForTheFilesBesideAreRefused() throws {
        for length in [248, 249, 255] {
            do {
                _ = try folder.location(String(repeating: "n", count: length))
                Issue.record("a name of \(length) bytes was taken")
            } catch let error as StoreError {
                #expect(error.code == .unsuitablePlace)
                #expect(error.message.contains("\(length) bytes") && error.remedy.contains("247"))
            }
        }
        let location = try folder.location(String(repeating: "n", count: 247))
        try location.prepareFolder()
        #expect(throws: StoreError.self) { try StoreLocation(path: "/tmp/" + String(repeating: "./", count: 300) + "../tmp/missing/x") }
        var deep = folder.path
        for _ in 0..<4 {
            deep += "/" + String(repeating: "d", count: 120)
            try System.makeFolder(deep, mode: 0o755)
        }
        #expect(throws: StoreError.self) { try StoreLocation(path: deep + "/notes.store") }
    }

    @Test func aFolderThatComesInTimeIsWaitedFor() throws {
        let late = folder.path + "/late"
        var asked = 0
        let location = try StoreLocation(path: late + "/notes.store", until: .after(.seconds(60))) {
            asked += 1
            try? System.makeFolder(late, mode: 0o755)
            return false
        }
        #expect(location.store.hasSuffix("/late/notes.store") && asked == 1)
        #expect(throws: StoreError.self) { try StoreLocation(path: folder.path + "/never/notes.store", until: .now) }
        #expect(throws: StoreError.self) { try StoreLocation(path: folder.path + "/never/notes.store", until: .never) { true } }
    }

    @Test(
        "a link that another user has put into a folder open to all is not followed; one's own and root's are",
        .enabled(if: System.userID == 0))
    func foreignLinksAreNotFollowed() throws {
        let open = folder.path + "/open"
        try System.makeFolder(open, mode: 0o777)
        try System.makeFolder(folder.path + "/target", mode: 0o755)
        for (name, target) in [("l.store", folder.path + "/target/s.store"), ("inner", "../target")] {
            try FileManager.default.createSymbolicLink(atPath: open + "/" + name, withDestinationPath: target)
        }
        try System.setMode(open, 0o1777)
        let paths = ["open/l.store", "open/inner/s.store", "target/../open/./inner/s.store"]
        for path in paths { #expect(try folder.location(path) == folder.location("target/s.store")) }
        for name in ["l.store", "inner"] { #expect(lchown(open + "/" + name, 65534, 65534) == 0) }
        for path in paths {
            let error = #expect(throws: StoreError.self) { try folder.location(path) }
            #expect(error?.code == .unsuitablePlace && error?.message.contains("user 65534") == true, "\(path)")
        }
        // Where not everybody may make links, the one who may is trusted.
        try System.setMode(open, 0o755)
        for path in paths { #expect(try folder.location(path) == folder.location("target/s.store")) }
    }

    @Test("what another user has laid out in a folder open to all is refused", .enabled(if: System.userID == 0))
    func foreignFilesInAFolderOpenToAllAreRefused() throws {
        try System.setMode(folder.path, 0o1777)
        let location = try folder.location()
        for path in [location.store, location.store + "-wal", location.store + "-journal", location.keeper] {
            if path == location.keeper { try System.makeFolder(path, mode: 0o755) } else { try folder.write([], to: path) }
            #expect(throws: Never.self) { try location.checkFolders() }
            #expect(lchown(path, 65534, 65534) == 0)
            let error = #expect(throws: StoreError.self) { try location.checkFolders() }
            #expect(error?.code == .unsuitablePlace && error?.path == path)
            #expect(throws: Never.self) { try location.checkFolders(for: 65534) }
            #expect(lchown(path, 0, 0) == 0)
        }
    }

    @Test("a folder whose name is not UTF-8 is refused, however it is reached: repaired, its name is another's")
    func namesThatAreNoTextAreRefused() throws {
        let bytes = Array(folder.path.utf8CString.dropLast()) + [0x2f, 0x78, CChar(bitPattern: 0xff), 0]
        #expect(mkdir(bytes, 0o755) == 0)
        #expect(symlink(bytes, folder.path + "/link") == 0)
        let error = #expect(throws: StoreError.self) { try folder.location("link/notes.store") }
        #expect(error?.code == .unsuitablePlace && error?.message.contains("not UTF-8") == true)
        #expect(rmdir(bytes) == 0)
    }

    @Test("what stands in the place of SQLite's own files is named before SQLite meets it", arguments: ["-wal", "-shm", "-journal"])
    func impostorsOfSQLitesFilesAreNamed(suffix: String) throws {
        let location = try folder.location()
        try folder.write([], to: location.store)
        try System.makeFolder(location.store + suffix, mode: 0o755)
        let error = #expect(throws: StoreError.self) { try location.checkLinks() }
        #expect(error?.code == .unsuitablePlace && error?.path == location.store + suffix)
    }

    @Test func linksThatLeadInACircleAreRefused() throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/a", withDestinationPath: "b")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/b", withDestinationPath: "a")
        #expect(throws: StoreError.self) { try folder.location("a") }
    }

    @Test func hardLinksAndFoldersAreRefused() throws {
        let location = try folder.location()
        #expect(throws: Never.self) { try location.checkLinks() }
        try folder.write([], to: location.store)
        #expect(throws: Never.self) { try location.checkLinks() }
        try FileManager.default.linkItem(atPath: location.store, toPath: folder.path + "/second")
        #expect(throws: StoreError.self) { try location.checkLinks() }
        let error = #expect(throws: StoreError.self) { try StoreLocation(path: folder.path).checkLinks() }
        #expect(error?.code == .unreadable)
    }

    @Test func aFileWhereTheSidecarFolderShouldBeIsNamed() throws {
        let location = try folder.location()
        try folder.write([1], to: location.keeper)
        let error = #expect(throws: StoreError.self) { try location.prepareFolder() }
        #expect(error?.path == location.keeper)
    }

    @Test func onlyFileSystemsOnTheListAreTaken() throws {
        #expect(throws: Never.self) { try folder.location().checkFileSystem() }
        #expect(throws: StoreError.self) { try StoreLocation(path: "/proc/notes.store").checkFileSystem() }
    }
}
