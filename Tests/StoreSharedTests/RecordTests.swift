import Foundation
import StoreShared
import Testing

@Suite struct RecordTests {
    private let folder: TemporaryFolder
    private let location: StoreLocation

    init() throws {
        folder = try TemporaryFolder()
        location = try folder.location()
        try location.prepareFolder()
    }

    @Test(arguments: RecordState.allCases)
    func whatIsPublishedIsRead(state: RecordState) throws {
        let record = try PublishedRecord.sample(state: state, reason: state == .failed ? "row 3: body is not a number" : nil)
        try record.publish(to: location)
        #expect(PublishedRecord.read(from: location) == .valid(record))
    }

    @Test(arguments: [
        "", "it's", "say \"half\" done: $HOME & `id`; rm -rf \\ / | $(id) !x ~ * ? # %n", "über 10 €", "\u{1F980}", "a b", " ",
        "trailing\\",
    ])
    func aReasonSurvivesAnythingAShellCouldMisread(reason: String) throws {
        let record = try PublishedRecord.sample(state: .failed, reason: reason)
        #expect(try PublishedRecord(text: record.text()) == record)
    }

    @Test func controlCharactersBecomeSpaces() throws {
        let record = try PublishedRecord.sample(state: .failed, reason: "one\ntwo\r\tthree\u{0}\u{85}\u{2028}.")
        #expect(try PublishedRecord(text: record.text()).reason == "one two  three   .")
        #expect(!record.text().contains("\r"))
    }

    @Test func aLongReasonIsCutAndTheSpareHasRoom() throws {
        let record = try PublishedRecord.sample(state: .failed, reason: String(repeating: "\"", count: 5000))
        #expect(record.text().utf8.count < 4096)
        #expect(try PublishedRecord(text: record.text()).reason?.count == 1000)
    }

    @Test func aStoreThatIsJustBeingMadeHasNoVersionYet() throws {
        var record = try PublishedRecord.sample(state: .opening)
        record.version = nil
        record.fingerprint = nil
        record.readableBy = []
        #expect(record.text().contains("STORE_VERSION=\n"))
        #expect(try PublishedRecord(text: record.text()) == record)
    }

    @Test func theSumIsTheFirstSixteenDigitsOfWhatSha256sumSays() throws {
        let text = try PublishedRecord.sample().text()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let body = lines.dropLast(2).map { $0 + "\n" }.joined()
        #expect(lines[lines.count - 2] == "STORE_SUM=" + SHA256.hex(of: body).prefix(16))
    }

    @Test func nothingButAWholeRecordIsBelieved() throws {
        let whole = Array(try PublishedRecord.sample().text().utf8)
        for count in 0..<whole.count {
            try folder.write(Array(whole[..<count]), to: location.record)
            #expect(PublishedRecord.read(from: location).record == nil, "the first \(count) bytes")
        }
        let text = String(decoding: whole, as: UTF8.self)
        let broken: [String: [UInt8]] = [
            "edited": Array(text.replacing("STORE_VERSION=2.0.0", with: "STORE_VERSION=2.0.1").utf8),
            "CRLF": Array(text.replacing("\n", with: "\r\n").utf8),
            "NUL": whole + [0],
            "NUL inside": Array(whole[..<40]) + [0] + Array(whole[40...]),
            "not UTF-8": [0xff, 0xfe] + whole,
            "10 MB": [UInt8](repeating: 0x41, count: 10_000_000),
            "garbage": (0..<5000).map { _ in UInt8.random(in: 0...255) },
            "empty": [],
            "line ends": Array("\n\n\n".utf8),
            "twice": whole + whole,
        ]
        for (name, bytes) in broken {
            try folder.write(bytes, to: location.record)
            guard case .broken = PublishedRecord.read(from: location) else {
                Issue.record("\(name): \(PublishedRecord.read(from: location))")
                continue
            }
        }
    }

    /// A text with the right sum, so that what is refused is the line itself.
    private func summed(_ body: String) -> String {
        body + "STORE_SUM=\(SHA256.hex(of: body).prefix(16))\n"
    }

    @Test func aRightSumDoesNotExcuseWhatTheFormatForbids() throws {
        let text = try PublishedRecord.sample().text()
        let body = text.split(separator: "\n").dropLast().map { $0 + "\n" }.joined()
        #expect(throws: Never.self) { try PublishedRecord(text: summed(body + "STORE_FUTURE=\"a b\"\n")) }
        for line in [
            "PATH=/tmp", "STORE_X=$(id)", "STORE_X=a b", "STORE_X=\"$HOME\"", "STORE_X=\"a\"b\"", "STORE_X=\"a\\\"", "STORE_x=1",
            "STORE_=1",
            "export STORE_X=1", "STORE_X=a;id", "STORE_X='a'", "# a comment", "STORE_ID=other", "STORE_X=\"\r\"",
        ] {
            #expect(throws: PublishedRecord.Broken.self, "\(line)") { try PublishedRecord(text: summed(body + line + "\n")) }
        }
        for (wrong, right) in [
            ("STORE_GENERATION=abc", "STORE_GENERATION=7"),
            ("STORE_GENERATION=2147483647", "STORE_GENERATION=7"), ("STORE_GENERATION=-1", "STORE_GENERATION=7"),
            ("STORE_STATE=asleep", "STORE_STATE=ready"),
            ("STORE_RECORD=2", "STORE_RECORD=1"),
            ("STORE_EPOCH=", "STORE_EPOCH=12"), ("STORE_EPOCH=99999999999999999999", "STORE_EPOCH=12"),
        ] {
            #expect(throws: PublishedRecord.Broken.self, "\(wrong)") {
                try PublishedRecord(text: summed(body.replacing(right + "\n", with: wrong + "\n")))
            }
        }
    }

    @Test func whatIsNoPlainFileIsRefusedAndReplaced() throws {
        let record = try PublishedRecord.sample()
        let victim = folder.path + "/victim"
        try folder.write(Array("mine".utf8), to: victim)
        try FileManager.default.createSymbolicLink(atPath: location.record, withDestinationPath: victim)
        guard case .broken = PublishedRecord.read(from: location) else { return #expect(Bool(false)) }
        try record.publish(to: location)
        #expect(PublishedRecord.read(from: location) == .valid(record))
        #expect(try folder.read(victim) == Array("mine".utf8))

        try System.unlink(location.record)
        try System.makeFolder(location.record, mode: 0o755)
        guard case .broken = PublishedRecord.read(from: location) else { return #expect(Bool(false)) }
        try record.publish(to: location)
        #expect(PublishedRecord.read(from: location) == .valid(record))
    }

    @Test func onePublicationIsOneEventForWhoeverWatchesTheFolder() throws {
        let record = try PublishedRecord.sample()
        try record.publish(to: location)
        let watch = try DirectoryWatch(folder: location.keeper, creations: false)
        for _ in 1...5 {
            try record.publish(to: location)
            #expect(watch.drain() == 1)
        }
    }

    /// Between the last look at the lock file and the rename another owner takes the lock and publishes: its record stays.
    @Test func aLaterOwnersRecordIsNotReplaced() throws {
        let record = try PublishedRecord.sample()
        var later = record
        later.epoch += 1
        let error = #expect(throws: StoreError.self) {
            try record.publish(to: location) { () throws(StoreError) in
                location.removeLeftovers()
                do {
                    try later.publish(to: location)
                } catch {
                    throw StoreError(.misuse, "\(error)")
                }
            }
        }
        #expect((error?.cause as? SystemError)?.isMissing == true)
        #expect(PublishedRecord.read(from: location) == .valid(later))
        let refusal = #expect(throws: StoreError.self) {
            try record.publish(to: location) { () throws(StoreError) in throw StoreError(.fenced, "another owner has come") }
        }
        #expect(refusal?.code == .fenced)
        #expect(PublishedRecord.read(from: location) == .valid(later))
        #expect(try System.names(in: location.keeper).sorted() == [".record.spare", "record"])
    }

    @Test func aMissingRecordIsMissing() throws {
        #expect(PublishedRecord.read(from: location) == .missing)
        #expect(PublishedRecord.read(from: try folder.location("other.store")) == .missing)
    }

    @Test func noTemporaryFileStaysAndASpareIsSetAside() throws {
        try PublishedRecord.sample().publish(to: location)
        for name in ["/.record.1.2.3.tmp", "/.socket.1.2.3.tmp"] { try folder.write([1], to: location.keeper + name) }
        location.removeLeftovers()
        #expect(try System.names(in: location.keeper).sorted() == [".record.spare", "record"])
        #expect(try System.stat(location.keeper + "/.record.spare").size == 8192)
    }

    @Test func theFileFollowsThePermissionsOfTheStore() throws {
        for (store, file, socket, keeper) in [(0o640, 0o640, 0o660, 0o750), (0o600, 0o600, 0o600, 0o700), (0o644, 0o644, 0o666, 0o755)]
            as [(UInt32, UInt32, UInt32, UInt32)]
        {
            try folder.write([], to: location.store)
            try System.setMode(location.store, store)
            try location.prepareFolder()
            try PublishedRecord.sample().publish(to: location)
            #expect(try System.stat(location.record).permissions == file)
            #expect(location.socketMode == socket)
            #expect(try System.stat(location.keeper).permissions == keeper)
        }
    }
}

/// What other programs make of a record: sh itself, as a process.
@Test(arguments: ["it's \"half\" done: $HOME & `id` \\ more", "$", "a'$'b", "\\$x", "'\"'"])
func shReadsTheReasonThatWasPublished(reason: String) throws {
    let folder = try TemporaryFolder()
    let location = try folder.location()
    try location.prepareFolder()
    try PublishedRecord.sample(state: .failed, reason: reason).publish(to: location)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", ". \"$0\"; printf %s \"$STORE_REASON\"", location.record]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let read = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: read, as: UTF8.self) == reason)
}

#if STORE_FAULTS
@Suite struct RecordFaultTests {
    @Test(.serialized, arguments: ["open", "write", "fsync"])
    func onAFullDiskTheSpareTakesTheRecord(call: String) throws {
        let folder = try TemporaryFolder()
        let location = try folder.location()
        try location.prepareFolder()
        try PublishedRecord.sample().publish(to: location)
        let record = try PublishedRecord.sample(state: .failed, reason: "disk full")
        System.faults.fail(call, with: 28)
        defer { System.faults.clear() }
        try record.publish(to: location)
        #expect(PublishedRecord.read(from: location) == .valid(record))
    }
}
#endif
