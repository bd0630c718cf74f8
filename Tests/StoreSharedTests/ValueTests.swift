import StoreShared
import Testing

@Test func versionsAreNumbers() throws {
    #expect(try #require(SchemaVersion("1.10.0")) > #require(SchemaVersion("1.9.0")))
    #expect(SchemaVersion("1.2.3")?.description == "1.2.3")
    for text in [
        "", "1", "1.2", "1.2.3.4", "1..3", "01.0.0", "+1.0.0", "-1.0.0", "1.0.x", " 1.0.0", "1.0.0 ", "١.0.0", "99999999999999999999.0.0",
    ] {
        #expect(SchemaVersion(text) == nil, "\(text)")
    }
}

@Test func digestsAreThoseOfTheStandard() {
    #expect(SHA256.hex(of: "") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(SHA256.hex(of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
        SHA256.hex(of: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
            == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
        SHA256.hex(of: [UInt8](repeating: 0x61, count: 1_000_000)) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
}

/// One digest over the digests of 0 to 199 bytes, computed by another implementation: every place where a block may end.
@Test func digestsDoNotDependOnWhereTheBytesAreCut() {
    var whole = SHA256()
    var cut = SHA256()
    for count in 0..<200 {
        let bytes = (0..<count).map { UInt8($0 % 251) }
        var one = SHA256()
        one.update(bytes)
        whole.update(one.finish())
        var two = SHA256()
        for byte in bytes { two.update([byte]) }
        cut.update(two.finish())
    }
    let expected = "ba7b0fcea7d10c06b855b43d2b4dce1e3e842fff6be0acefb0faf4f2dd05bb47"
    #expect(hexadecimal(whole.finish()) == expected)
    #expect(hexadecimal(cut.finish()) == expected)
}

@Test func identitiesAreReadAsTheyAreWritten() throws {
    let identity = SchemaIdentity(version: SchemaVersion(1, 1, 0), fingerprint: Fingerprint(of: "x"))
    #expect(SchemaIdentity(identity.description) == identity)
    #expect(SchemaIdentity("1.1.0") == SchemaIdentity(version: SchemaVersion(1, 1, 0)))
    #expect(SchemaIdentity("1.1.0:77b0") == nil)
    #expect(SchemaIdentity.parseList(SchemaIdentity.list([identity, SchemaIdentity(version: SchemaVersion(2, 0, 0))]))?.count == 2)
    #expect(SchemaIdentity.parseList("") == [])
}

@Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1_764_459_573_000, "2025-11-29T23:39:33Z"), (951_782_400_000, "2000-02-29T00:00:00Z"),
    (1_709_164_800_123, "2024-02-29T00:00:00.123Z"), (-1, "1969-12-31T23:59:59.999Z"), (4_107_542_399_000, "2100-02-28T23:59:59Z"),
])
func momentsAreReadAsTheyAreWritten(milliseconds: Int64, text: String) {
    #expect(Timestamp(milliseconds: milliseconds).description == text)
    #expect(Timestamp(text) == Timestamp(milliseconds: milliseconds))
}

@Test func deadlinesCountDownAndNeverEndsNever() {
    #expect(Deadline.never.milliseconds == -1)
    #expect(!Deadline.never.hasPassed)
    #expect(Deadline.after(.zero).hasPassed)
    let deadline = Deadline.after(.milliseconds(1500))
    #expect((1400...1500).contains(deadline.milliseconds))
    #expect(deadline < .never)
    #expect(Deadline.after(.seconds(Int64.max)) == .never)
}

@Test func aProcessIsKnownByPidBootAndStart() throws {
    var me = ProcessIdentity.current()
    #expect(me.end() == nil)
    me.start += 1
    #expect(me.end() == .pidReused)
    me.boot = "00000000-0000-0000-0000-000000000000"
    #expect(me.end() == .otherBoot)
    #expect(ProcessIdentity(pid: 0x3fff_fff0, boot: try #require(ProcessIdentity.currentBoot()), start: 1).end() == .exited)
}
