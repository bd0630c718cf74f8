/// What a reader or a shell learns about a store and the version that it wants.
public enum Verdict: String, Hashable, Sendable, CaseIterable, Codable {
    /// Readable by a program built for the wanted version.
    case ready
    /// At an older version, and nobody is migrating.
    case outdated
    /// At a version that a program built for the wanted one may not read.
    case tooNew
    /// An owner is taking it to a newer version now.
    case migrating
    /// The migration failed; the store is whole at its previous version.
    case failed
    /// There is no store.
    case absent
    /// Not a store, or one that cannot be read.
    case unreadable
    /// The record and the store disagree.
    case disagreement
}

extension Verdict {
    /// The exit status by which a shell hears of it.
    package var exitCode: Int32 {
        switch self {
        case .ready: 0
        case .outdated: 3
        case .tooNew: 4
        case .migrating: 6
        case .failed: 7
        case .absent, .unreadable: 8
        case .disagreement: 9
        }
    }

    /// Whether waiting can change it: an owner may come, or be at work.
    package var mayChangeByWaiting: Bool {
        switch self {
        case .outdated, .migrating, .absent: true
        case .ready, .tooNew, .failed, .unreadable, .disagreement: false
        }
    }
}
