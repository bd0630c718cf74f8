import StoreShared

/// Waits until a store is readable for a version, or until waiting can help no more.
///
/// Subscribes first, then judges, then waits: the other order loses wake-ups. The owner's socket wakes it; without an owner a
/// watch on the folder does; and whatever gets lost, it judges again after 5 seconds with a subscription, after 1 with the watch
/// only, after 250 ms with neither. An event only means that the world is to be judged again. Used by one thread.
package final class StoreWaiter {
    private let location: StoreLocation
    private let wanted: SchemaIdentity
    private let strict: Bool
    private let role: Hello.Role
    /// What woke it, for the reader that comes of the wait.
    let subscription: Subscription
    private let judging: SharedJudging
    /// Wakes the wait from another thread.
    private let bell: Descriptor?

    package init(
        _ location: StoreLocation, for wanted: SchemaIdentity, strict: Bool = false, role: Hello.Role = .waiter,
        wokenBy bell: Descriptor? = nil
    ) {
        self.location = location
        self.wanted = wanted
        self.strict = strict
        self.role = role
        self.bell = bell
        subscription = Subscription(location, hello: Hello(role: role, wanted: wanted))
        judging = .of(location, for: wanted, strict: strict)
    }

    /// What a wait ended with.
    package struct Outcome: Sendable {
        package let judgement: Judgement
        /// Whether the deadline passed before waiting could help no more.
        package let timedOut: Bool
    }

    /// Waits.
    ///
    /// - Parameters:
    ///   - requiresOwner: end at once, with the verdict as it is, when nobody owns the store.
    ///   - isCancelled: asked whenever `bell` rings; true throws `StoreError.cancelled`.
    ///   - onProgress: called with every judgement after which the wait goes on, at most once per change.
    /// - Throws: `StoreError.cancelled`, or `.system` when this process has run out of descriptors.
    package func wait(
        until deadline: Deadline, requiresOwner: Bool = false, isCancelled: () -> Bool = { false },
        onProgress: (StoreProgress) -> Void = { _ in }
    ) throws -> Outcome {
        var told: StoreProgress?
        while true {
            let judgement = try subscribeAndJudge(until: deadline)
            if !Self.mayChange(judgement) || requiresOwner && judgement.facts.owner == .dead {
                ReaderState.judging.note(judgement.verdict == .ready ? .storeReady : .storeWillNot)
                return Outcome(judgement: judgement, timedOut: false)
            }
            if deadline.hasPassed {
                ReaderState.judging.note(.timeUp)
                return Outcome(judgement: judgement, timedOut: true)
            }
            if isCancelled() {
                ReaderState.judging.note(.cancelled)
                throw StoreError(.cancelled, "the wait for \(location.store) was cancelled", path: location.store)
            }
            ReaderState.judging.note(.storeMayBecomeReady)
            let progress = StoreProgress(judgement)
            if progress != told { onProgress(progress) }
            told = progress
            #if STORE_FAULTS
            if Planted.judgeBeforeSubscribe.isOrdered { subscription.refresh(until: deadline) }
            #endif
            ReaderState.waiting.note(try subscription.wait(until: deadline, bell: bell))
        }
    }

    /// In this order: what happens in between is then both seen and heard, and never neither.
    private func subscribeAndJudge(until deadline: Deadline) throws -> Judgement {
        #if STORE_FAULTS
        if Planted.judgeBeforeSubscribe.isOrdered {
            ReaderState.subscribing.note(.greeted)
            return try judge(location, for: wanted, strict: strict)
        }
        #endif
        ReaderState.subscribing.note(subscription.refresh(until: deadline))
        do {
            return try judging.judgement()
        } catch {
            ReaderState.judging.note(.broke)
            throw error
        }
    }

    /// A disagreement may be an owner's work in progress; without an owner it stays.
    private static func mayChange(_ judgement: Judgement) -> Bool {
        judgement.verdict.mayChangeByWaiting || judgement.waitsForOwner
            || judgement.verdict == .disagreement && judgement.facts.owner != .dead
    }
}
