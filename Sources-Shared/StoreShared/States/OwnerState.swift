/// Where an owner is between its start and its end: the words of docs/states.md.
///
/// No owner stores its state: it follows from where its code has come to. The code names what happened there (`note`), and `next(on:)` is
/// the table of all that may happen. A build for tests checks each owner's way against it.
package enum OwnerState: String, Hashable, Sendable, CaseIterable {
    /// The place is checked and the store judged; nothing is made yet.
    case looking
    /// The owner lock is tried, without blocking.
    case locking
    /// Another owner holds the lock.
    case waiting
    /// Under the lock: judged again, opened for writing, the epoch raised in one commit.
    case claiming
    /// The socket answers, the record says `opening`.
    case opening
    /// A plan runs: preflight, backup, stages, commits.
    case migrating
    /// Readers are asked to leave before an exclusive stage.
    case draining
    /// The store is where it was to be; the record is written and everybody told.
    case publishing
    /// Requests are answered, writes are committed.
    case serving
    /// The migration failed and was undone, and the reason is published.
    case failed
    /// Another owner has taken over: nothing may be written any more.
    case fenced
    /// It never owned the store, and changed nothing in it.
    case refused
    /// It has left.
    case closed
}

/// What happens to an owner.
package enum OwnerStateEvent: String, Hashable, Sendable, CaseIterable {
    /// The store is one that the plan may have, or none yet.
    case storeFits
    /// The store or its place is nothing for this plan.
    case storeRefused
    case cancelled
    case lockTaken
    case lockHeld
    /// The file at the path is no longer the one that was locked.
    case lockReplaced
    /// The holder's socket closed.
    case holderEnded
    /// Nothing was heard: it is tried again all the same.
    case ticked
    case timeUp
    /// A new store was made at the target.
    case created
    /// The epoch was raised.
    case claimed
    /// As `claimed`, and the owner before was cut off within a migration, which is now in the history.
    case interruptionFound
    case storeUpToDate
    case storeBehind
    case drainAsked
    /// The turnstile is held: nobody comes in any more.
    case newcomersStopped
    case readersLeft
    /// Somebody was still reading when the time was up.
    case readersStayed
    /// A stage, or a batch of one, was committed, and more is to come.
    case partCommitted
    case committed
    case failed
    /// After a failed migration an owner that had served before goes on.
    case wentOn
    case recordWritten
    /// The record could not be written now; it is tried again.
    case recordRefused
    /// A write was undone, and its reason thrown.
    case rolledBack
    /// The log was copied into the store and emptied.
    case logCopied
    /// A reader still needs the log.
    case logKept
    /// A plan for another version was given to an owner that serves.
    case planGiven
    case restored
    case fenced
    case left
    /// The system failed it: no space, no permission, no descriptor.
    case broke
}

extension OwnerState {
    /// Nothing happens to it any more.
    package var isFinal: Bool { self == .refused || self == .closed }

    /// The state after an event; nil for an event that cannot happen in this one.
    package func next(on event: OwnerStateEvent) -> OwnerState? {
        switch (self, event) {
        case (.looking, .storeFits): .locking
        case (.looking, .storeRefused), (.looking, .cancelled): .refused
        case (.locking, .lockTaken): .claiming
        case (.locking, .lockHeld): .waiting
        case (.locking, .lockReplaced): .locking
        case (.locking, .broke): .refused
        case (.waiting, .holderEnded), (.waiting, .ticked): .locking
        case (.waiting, .timeUp), (.waiting, .cancelled): .refused
        case (.claiming, .created), (.claiming, .claimed), (.claiming, .interruptionFound): .opening
        case (.claiming, .storeRefused), (.claiming, .broke): .refused
        case (.opening, .storeUpToDate): .publishing
        case (.opening, .storeBehind): .migrating
        case (.opening, .broke): .closed
        case (.migrating, .drainAsked): .draining
        case (.migrating, .partCommitted): .migrating
        case (.migrating, .committed): .publishing
        case (.migrating, .failed): .failed
        case (.migrating, .cancelled): .serving
        case (.migrating, .fenced): .fenced
        case (.draining, .newcomersStopped): .draining
        case (.draining, .readersLeft), (.draining, .readersStayed): .migrating
        case (.publishing, .recordWritten), (.publishing, .recordRefused): .serving
        case (.serving, .committed), (.serving, .rolledBack), (.serving, .logCopied), (.serving, .logKept): .serving
        case (.serving, .recordWritten), (.serving, .restored): .serving
        case (.serving, .planGiven): .migrating
        case (.serving, .fenced): .fenced
        case (.serving, .left), (.failed, .left), (.fenced, .left): .closed
        case (.failed, .wentOn): .serving
        default: nil
        }
    }

    /// Names what happens here. Nothing is done, but in a build for tests, which writes it down.
    @inlinable
    package func note(_ event: OwnerStateEvent) {
        #if STORE_FAULTS
        StateTrace.note("owner", rawValue, event.rawValue)
        #endif
    }
}
