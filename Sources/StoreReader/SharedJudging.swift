import StoreShared
import Synchronization

/// Judgements of one store for one wanted version, shared by everyone in this process who wants the same: when a publication wakes a
/// hundred waiters, some of them look and the others believe them.
///
/// A judgement may serve whoever asked before it began: it has seen all that had happened by then.
final class SharedJudging: Sendable {
    private struct Wish: Hashable {
        let location: StoreLocation
        let wanted: SchemaIdentity
        let strict: Bool
    }

    private struct Entry: Sendable {
        weak var judging: SharedJudging?
    }

    private struct Last: Sendable {
        var began: Deadline
        var judgement: Judgement
    }

    private static let all = Mutex<[Wish: Entry]>([:])

    private let wish: Wish
    private let lock = SerialLock()
    private let last = Mutex<Last?>(nil)

    private init(_ wish: Wish) {
        self.wish = wish
    }

    /// The one of this process, which lives as long as somebody uses it.
    static func of(_ location: StoreLocation, for wanted: SchemaIdentity, strict: Bool) -> SharedJudging {
        let wish = Wish(location: location, wanted: wanted, strict: strict)
        return all.withLock { all in
            if let judging = all[wish]?.judging { return judging }
            all = all.filter { $0.value.judging != nil }
            let judging = SharedJudging(wish)
            all[wish] = Entry(judging: judging)
            return judging
        }
    }

    /// What the store is, judged after this was called.
    ///
    /// - Throws: `StoreError.system` when this process has run out of descriptors.
    func judgement() throws -> Judgement {
        let asked = Deadline.now
        return try lock.hold {
            if let last = last.withLock({ $0 }), last.began > asked { return last.judgement }
            let began = Deadline.now
            let judgement = try judge(wish.location, for: wish.wanted, strict: wish.strict)
            last.withLock { $0 = Last(began: began, judgement: judgement) }
            return judgement
        }
    }
}
