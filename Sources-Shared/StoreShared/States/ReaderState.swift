/// Where a reader is between its start and its end: the words of docs/states.md.
///
/// As with `OwnerState`, it follows from where the code has come to. A reader that does not wait begins in `judging`.
package enum ReaderState: String, Hashable, Sendable, CaseIterable {
    /// Looks for what will wake it: before it judges, or a wake-up in between would be lost.
    case subscribing
    /// Record, store and lock are put into one verdict.
    case judging
    /// No transaction is held. Whatever wakes it only means that it judges again.
    case waiting
    /// Open; nothing is being read.
    case ready
    /// In a read transaction whose schema has not been looked at yet.
    case entering
    /// In a read transaction whose schema it may read.
    case reading
    /// It never opened the store.
    case refused
    /// It has left.
    case closed
}

/// What happens to a reader.
package enum ReaderStateEvent: String, Hashable, Sendable, CaseIterable {
    /// The owner answered the hello: its socket will wake.
    case greeted
    /// Without an owner that answers a watch on the folder will wake.
    case watching
    /// With neither only time will.
    case ticking
    case storeReady
    /// An owner may still bring it there.
    case storeMayBecomeReady
    /// Waiting cannot help, or was not asked for.
    case storeWillNot
    case timeUp
    case cancelled
    /// The system failed it: no descriptor.
    case broke
    /// The owner told of something.
    case eventCame
    /// The owner's socket closed.
    case ownerEnded
    case folderChanged
    case ticked
    /// Another thread of this process wants it to look.
    case bellRang
    /// It holds the gate for one transaction.
    case gatePassed
    /// It goes on without the gate, which is there for draining only.
    case gateMissed
    /// An exclusive stage runs.
    case gateShut
    /// Another file stands at the path: it is opened anew.
    case fileReplaced
    /// The generation is the one that the statements were compiled for.
    case generationKnown
    /// The generation moved, and the schema may still be read.
    case schemaReadable
    /// The generation moved, and the schema may not be read.
    case schemaRefused
    /// SQLite gave no snapshot; what passes by itself is tried again.
    case snapshotUnreadable
    case ended
    /// The program's own code threw.
    case threw
    case overBudget
    /// It was asked to leave, and did not in time.
    case interrupted
    case left
}

extension ReaderState {
    /// Nothing happens to it any more.
    package var isFinal: Bool { self == .refused || self == .closed }

    /// The state after an event; nil for an event that cannot happen in this one.
    package func next(on event: ReaderStateEvent) -> ReaderState? {
        switch (self, event) {
        case (.subscribing, .greeted), (.subscribing, .watching), (.subscribing, .ticking): .judging
        case (.judging, .storeReady): .ready
        case (.judging, .storeMayBecomeReady): .waiting
        case (.judging, .storeWillNot), (.judging, .timeUp), (.judging, .cancelled), (.judging, .broke): .refused
        case (.waiting, .eventCame), (.waiting, .ownerEnded), (.waiting, .folderChanged), (.waiting, .ticked), (.waiting, .bellRang):
            .subscribing
        case (.ready, .gatePassed), (.ready, .gateMissed): .entering
        case (.ready, .gateShut), (.ready, .fileReplaced): .ready
        case (.ready, .left): .closed
        case (.entering, .generationKnown), (.entering, .schemaReadable): .reading
        case (.entering, .schemaRefused), (.entering, .snapshotUnreadable): .ready
        case (.reading, .ended), (.reading, .threw), (.reading, .overBudget), (.reading, .interrupted): .ready
        default: nil
        }
    }

    /// Names what happens here. Nothing is done, but in a build for tests, which writes it down.
    @inlinable
    package func note(_ event: ReaderStateEvent) {
        #if STORE_FAULTS
        StateTrace.note("reader", rawValue, event.rawValue)
        #endif
    }
}
