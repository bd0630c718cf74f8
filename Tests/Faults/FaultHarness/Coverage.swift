import StoreShared
import Synchronization

/// How often each event came in each state.
package final class Coverage: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    package init() {}

    func count(_ machine: String, _ state: String, _ event: String) {
        counts.withLock { $0["\(machine) \(state) \(event)", default: 0] += 1 }
    }

    /// Every pair that can happen, as docs/states.md lists them, the end by `kill -9` included.
    package static let all: [String] = {
        var pairs: [String] = []
        for state in OwnerState.allCases where !state.isFinal {
            for event in OwnerStateEvent.allCases where state.next(on: event) != nil { pairs.append("owner \(state) \(event)") }
            pairs.append("owner \(state) killed")
        }
        for state in ReaderState.allCases where !state.isFinal {
            for event in ReaderStateEvent.allCases where state.next(on: event) != nil { pairs.append("reader \(state) \(event)") }
            pairs.append("reader \(state) killed")
        }
        return pairs
    }()

    package var missing: [String] { counts.withLock { counts in Self.all.filter { counts[$0] == nil } } }

    /// One line a pair.
    package var report: String {
        counts.withLock { counts in
            Self.all.map { pair in
                let number = String(counts[pair] ?? 0)
                return String(repeating: " ", count: max(0, 9 - number.utf8.count)) + number + "  " + pair
            }.joined(separator: "\n")
        }
    }
}
