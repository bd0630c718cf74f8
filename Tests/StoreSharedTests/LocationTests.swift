import FoundationEssentials
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
