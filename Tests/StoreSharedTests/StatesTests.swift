import Foundation
import StoreShared
import Testing

/// `docs/states.md` and the tables of the code say the same.
@Suite struct StatesTests {
    /// Rows `| state | event | next state | … |` of the section with that heading.
    private func documented(_ heading: String) throws -> [String: String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("docs/states.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "### \(heading)\n").dropFirst().first)
        var rows: [String: String] = [:]
        for line in section.components(separatedBy: "\n### ")[0].components(separatedBy: "\n") where line.hasPrefix("| ") {
            let cells = line.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 4, cells[1] != "state", cells[1] != "---" else { continue }
            let pair = "\(cells[1]) \(cells[2])"
            #expect(rows[pair] == nil, "\(pair) is there twice")
            rows[pair] = cells[3]
        }
        return rows
    }

    @Test func theOwnersTableIsTheDocumentedOne() throws {
        var table: [String: String] = [:]
        for state in OwnerState.allCases {
            for event in OwnerStateEvent.allCases { table["\(state) \(event)"] = state.next(on: event)?.rawValue }
        }
        #expect(try documented("Every event of an owner") == table)
    }

    @Test func theReadersTableIsTheDocumentedOne() throws {
        var table: [String: String] = [:]
        for state in ReaderState.allCases {
            for event in ReaderStateEvent.allCases { table["\(state) \(event)"] = state.next(on: event)?.rawValue }
        }
        #expect(try documented("Every event of a reader") == table)
    }

    /// Nothing leads out of the end, everything leads to it, and every event can happen.
    @Test func everyStateIsReachedAndLeft() {
        for state in OwnerState.allCases {
            #expect(OwnerStateEvent.allCases.contains { state.next(on: $0) != nil } != state.isFinal)
        }
        for event in OwnerStateEvent.allCases { #expect(OwnerState.allCases.contains { $0.next(on: event) != nil }, "\(event)") }
        var reached: Set<OwnerState> = [.looking]
        for _ in OwnerState.allCases {
            for state in reached { reached.formUnion(OwnerStateEvent.allCases.compactMap { state.next(on: $0) }) }
        }
        #expect(reached.count == OwnerState.allCases.count)
        for state in ReaderState.allCases {
            #expect(ReaderStateEvent.allCases.contains { state.next(on: $0) != nil } != state.isFinal)
        }
        for event in ReaderStateEvent.allCases { #expect(ReaderState.allCases.contains { $0.next(on: event) != nil }, "\(event)") }
    }
}
