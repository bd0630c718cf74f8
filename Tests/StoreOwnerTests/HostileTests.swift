import Foundation
import StoreMigration
import StoreOwner
import StoreSQLite
import StoreShared
import Testing

/// What others put on the owner's socket and beside its store.
@Suite("A hostile neighbour")
struct HostileTests {
    private func connect(_ location: StoreLocation) throws -> LineClient { try LineClient(location, until: .after(.seconds(30))) }

    private func answer(_ client: LineClient) -> String? {
        if case .line(let line) = client.receive(until: .after(.seconds(30))) { String(decoding: line, as: UTF8.self) } else { nil }
    }

    private func ask(_ client: LineClient, _ bytes: [UInt8]) throws -> String? {
        try client.send(bytes, until: .after(.seconds(30)))
        return answer(client)
    }

    private func ask(_ client: LineClient, _ text: String) throws -> String? { try ask(client, Array(text.utf8)) }

    @Test(arguments: [
        Array("GET / HTTP/1.1\r".utf8), [0, 1, 2, 0xff, 0xfe], Array("{".utf8), Array("[]".utf8), Array(#"{"request":7}"#.utf8),
        Array(#"{"hello":"1"}"#.utf8), Array(String(repeating: "[", count: 60000).utf8), Array("$(reboot)".utf8),
        Array("{\"request\":\"status\"}\u{0}".utf8),
    ]) func `that sends garbage is closed alone`(garbage: [UInt8]) throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        let good = try connect(fixture.location)
        #expect(try ask(good, #"{"hello":1}"#)?.contains(#""hello":1"#) == true)
        let bad = try connect(fixture.location)
        #expect(try ask(bad, garbage) == nil)
        #expect(try ask(good, #"{"request":"status","id":1}"#)?.contains(#""id":1"#) == true)
        owner.close()
    }

    @Test func `that asks for what nobody knows is told so and goes on`() throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        let client = try connect(fixture.location)
        #expect(try ask(client, #"{"request":"format the disk","id":"x"}"#)?.contains(#""error":"#) == true)
        #expect(try ask(client, #"{"request":"restore","from":"relative"}"#)?.contains("whole path") == true)
        #expect(try ask(client, #"{"request":"rollback","to":"$(reboot)"}"#)?.contains("names no version") == true)
        #expect(try ask(client, #"{"request":"status"}"#)?.contains(#""verdict":"ready""#) == true)
        owner.close()
    }

    @Test func `of another version of the protocol is told which one is spoken`() throws {
        let fixture = try OwnerFixture()
        let owner = try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1)
        let client = try connect(fixture.location)
        #expect(try ask(client, #"{"hello":2,"role":"reader"}"#)?.contains("version 1 of the protocol, not 2") == true)
        #expect(answer(client) == nil)
        owner.close()
    }

    /// Half a record, an older one, one of another system, one that a shell would stumble over.
    @Test(arguments: ["older copy", "link", "folder", "modes", "line ends", "NUL", "shell", "another store's"])
    func `that alters the record deceives nobody and the next owner writes it anew`(kind: String) throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let location = fixture.location
        let older = try Data(contentsOf: URL(fileURLWithPath: location.record))
        try StoreOwner.open(at: location, plan: try OwnerFixture.plan2).close()
        let newer = try #require(fixture.record)
        let text = try String(contentsOfFile: location.record, encoding: .utf8)
        let victim = fixture.folder.path + "/victim"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: victim))
        let manager = FileManager.default
        switch kind {
        case "older copy": try older.write(to: URL(fileURLWithPath: location.record))
        case "link":
            try manager.removeItem(atPath: location.record)
            try manager.createSymbolicLink(atPath: location.record, withDestinationPath: victim)
        case "folder":
            try manager.removeItem(atPath: location.record)
            try manager.createDirectory(atPath: location.record, withIntermediateDirectories: false)
        case "modes": try manager.setAttributes([.posixPermissions: 0o002], ofItemAtPath: location.record)
        case "line ends":
            try Data(text.replacingOccurrences(of: "\n", with: "\r\n").utf8).write(to: URL(fileURLWithPath: location.record))
        case "NUL": try Data((text + "\u{0}").utf8).write(to: URL(fileURLWithPath: location.record))
        case "shell":
            try Data("STORE_RECORD=1\nSTORE_REASON=$(touch \(victim))\n`id`\n".utf8).write(to: URL(fileURLWithPath: location.record))
        default:
            let other = try OwnerFixture()
            try other.makeStore()
            try Data(contentsOf: URL(fileURLWithPath: other.location.record)).write(to: URL(fileURLWithPath: location.record))
        }
        let owner = try StoreOwner.open(at: location, plan: try OwnerFixture.plan2)
        let record = try #require(fixture.record)
        #expect(record.state == .ready && record.version == newer.version && record.storeID == newer.storeID)
        #expect(record.generation == newer.generation && record.epoch > newer.epoch)
        let modes = try manager.attributesOfItem(atPath: location.record)[.posixPermissions] as? Int
        #expect(modes == Int(location.fileMode))
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
        owner.close()
    }

    @Test func `who may write the folder keeps an owner out`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        #expect(chmod(fixture.folder.path, 0o777) == 0)
        let before = try fixture.digest()
        let error = #expect(throws: StoreError.self) { try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan2) }
        #expect(error?.code == .unsuitablePlace && error?.path == fixture.folder.path && error?.remedy.contains("chmod") == true)
        #expect(try fixture.digest() == before)
        // Where nobody can replace another's file, as in /tmp, everybody may make some.
        #expect(chmod(fixture.folder.path, 0o1777) == 0)
        try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan2).close()
    }

    @Test(.enabled(if: getuid() == 0)) func `that made the sidecar folder first keeps an owner out`() throws {
        let fixture = try OwnerFixture()
        try FileManager.default.createDirectory(atPath: fixture.location.keeper, withIntermediateDirectories: false)
        #expect(chown(fixture.location.keeper, 65534, 65534) == 0)
        let error = #expect(throws: StoreError.self) { try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan1) }
        #expect(error?.code == .unsuitablePlace && error?.path == fixture.location.keeper && error?.message.contains("65534") == true)
    }

    @Test(.enabled(if: getuid() == 0)) func `that puts a link in the place of a lock reaches no other file`() throws {
        let fixture = try OwnerFixture()
        try fixture.makeStore()
        let victim = fixture.folder.path + "/victim"
        for path in [fixture.location.ownerLock, fixture.location.gateLock] {
            try Data("mine".utf8).write(to: URL(fileURLWithPath: victim))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: victim)
            let error = #expect(throws: StoreError.self) { try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan2) }
            #expect(error?.path == path)
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
            try FileManager.default.removeItem(atPath: path)
        }
        try StoreOwner.open(at: fixture.location, plan: try OwnerFixture.plan2).close()
    }
}
