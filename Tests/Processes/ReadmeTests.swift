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

    /// The block that makes a plan in SQL, line for line; its last line serves, and is told to leave here.
    @Test func thePlanInSQLIsMadeShownAndCarriedOut() throws {
        let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        let block = try #require(readme.components(separatedBy: "```sh\n").first { $0.hasPrefix("mkdir -p plan/1.0.0") })
        let lines = block.prefix(upTo: try #require(block.range(of: "```")).lowerBound).split(separator: "\n")
        let folder = try TemporaryFolder()
        let programs = URL(fileURLWithPath: try Product.storectl.path).deletingLastPathComponent().path
        let script = ["set -e", "cd '\(folder.path)'", "PATH='\(programs)':$PATH"] + lines.dropLast().map(String.init)
        _ = try secondsToRun(["/bin/sh", "-c", script.joined(separator: "\n")])
        let words = try #require(lines.last).prefix { $0 != "#" }.split(separator: " ").map(String.init)
        try #require(words.first == "storekeeperd")
        let owner = try Program(
            .storekeeperd, Array(words.dropFirst()), launcher: ["/usr/bin/env", "--chdir=\(folder.path)"])
        try owner.line(containing: " serving")
        #expect(try run(.storectl, "version", folder("notes.store")).output == ["2.0.0"])
    }

    /// Called wrongly, or with what is no store, an example says so in a line and ends with a status: no trap.
    @Test(arguments: [Product.bookmarksOwner, .bookmarksReader, .bookmarksWatcher]) func anExampleEndsWithAWord(_ example: Product) throws {
        let folder = try TemporaryFolder()
        try "a letter".write(toFile: folder("text"), atomically: false, encoding: .utf8)
        let refused = try run(example, folder("text"))
        #expect(refused.ending == .exit(1) && refused.errors.count == 1 && refused.errors[0].contains("text"), "\(refused)")
        let alone = try run(example)
        #expect(alone.ending == .exit(2) && alone.errors == ["usage: \(example.rawValue) STORE"], "\(alone)")
        for product in [example, .notesd, .reader] {
            let help = try run(product, "--help")
            #expect(help.ending == .exit(0) && help.output.first?.hasPrefix("usage: \(product.rawValue) STORE") == true, "\(help)")
        }
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
