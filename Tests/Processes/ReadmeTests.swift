import Foundation
import ProcessHarness
import Testing

/// What the README says can be copied and works.
@Suite struct ReadmeTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every sample in Swift is, letter for letter, a file that is compiled, named in a comment above it.
    @Test func everySampleIsAFileThatIsCompiled() throws {
        let lines = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        var samples = 0
        for (number, line) in lines.enumerated() where line == "```swift" {
            let mark = lines[number - 1]
            let name = mark.dropFirst("<!-- ".count).dropLast(" -->".count)
            try #require(mark.hasPrefix("<!-- Sources/"), "line \(number + 1): which file is this sample?")
            let sample = lines[(number + 1)...].prefix { $0 != "```" }.joined(separator: "\n") + "\n"
            #expect(try String(contentsOf: Self.root.appendingPathComponent(String(name)), encoding: .utf8) == sample, "\(name)")
            samples += 1
        }
        #expect(samples == 3)
    }

    /// The owner, the reader and the shell line of the README, together.
    @Test func ownerReaderAndShellDoWhatTheReadmeSays() throws {
        let folder = try TemporaryFolder()
        let store = folder("bookmarks.store")
        let shell = try Program(.storectl, "wait", store, "--want", "1.0.0", "--timeout", "30s")
        #expect(try run(.bookmarksOwner, store).ending == .exit(0))
        #expect(try shell.wait() == .exit(0), "\(shell.transcript)")
        let reader = try run(.bookmarksReader, store)
        #expect(reader.ending == .exit(0) && reader.output == ["Swift https://www.swift.org"], "\(reader)")
    }
}
