/// The isolation that an observer lives on: those who observe are told there, so that no change falls between their looking and their
/// listening. It does not keep its actor alive, which may hold the observer.
struct ObserverHome: Sendable {
    private weak let actor: (any Actor)?
    /// Whether there is one.
    let isIsolated: Bool

    init(_ actor: (any Actor)?) {
        self.actor = actor
        isIsolated = actor != nil
    }

    /// Runs `body` there, soon; without an isolation, now and here. Not at all when its actor has gone.
    func run(_ body: @escaping @Sendable () -> Void) {
        guard isIsolated else { return body() }
        guard let actor else { return }
        Task { await Self.run(body, on: actor) }
    }

    private static func run(_ body: () -> Void, on isolation: isolated any Actor) { body() }
}
