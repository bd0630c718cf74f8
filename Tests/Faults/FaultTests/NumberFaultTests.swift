#if STORE_FAULTS
import Foundation
import Testing

/// Every number of the list of fault tests has a test, or a reason why it has none.
@Suite struct NumberFaultTests {
    private static let without = [
        22: "reading the store's files with a descriptor of one's own is forbidden by scripts/lint, which knows no run"
    ]

    @Test func noNumberIsMissing() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).filter {
            $0.pathExtension == "swift"
        }
        let text = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let tests = Set(text.matches(of: #/func fault(\d\d)_/#).compactMap { Int($0.1) })
        for number in 1...32 {
            #expect(tests.contains(number) != (Self.without[number] != nil), "fault \(number)")
        }
    }

    /// The lint finds what number 22 is about.
    @Test func theLintKnowsNumber22() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let lint = try String(contentsOf: root.appendingPathComponent("scripts/lint"), encoding: .utf8)
        for call in ["Data\\(contentsOf", "String\\(contentsOf", "copyItem\\(", "FileHandle\\(", "InputStream\\("] {
            #expect(lint.contains(call))
        }
    }
}
#endif
