import Storekeeper

extension StoreError {
    /// The exit status of an owner that could not do its work, as that of `storekeeperd`.
    ///
    /// - Parameter migratesOnly: whether it was to migrate and leave. One that was to serve may be started again by its service manager
    ///   after what may pass by itself, such as a full disk.
    public func ownerExitStatus(migratesOnly: Bool) -> Int32 {
        let status = ownerExitStatus
        return isOfTheMoment && (status == 8 || status == 7 && !migratesOnly) ? 1 : status
    }

    private var ownerExitStatus: Int32 {
        switch code {
        case .storeTooNew: 4
        case .ownedByAnother, .timedOut, .cancelled: 5
        case .planRefused, .migrationFailed: 7
        case .absent, .unreadable, .foreign, .drifted: 8
        default: 1
        }
    }

    /// The exit status of a reader that did not get to read, as that of `storectl`.
    public var readerExitStatus: Int32 {
        switch code {
        case .outdated: 3
        case .storeTooNew: 4
        case .timedOut: 5
        case .migrating: 6
        case .migrationFailed, .planRefused: 7
        case .absent, .unreadable, .foreign, .drifted, .unsuitablePlace: 8
        case .disagreement: 9
        default: 1
        }
    }
}

extension Error {
    /// What the store had against it, where that is what lies beneath: a property that could not be read is an error of its context.
    public var storeError: StoreError? {
        self as? StoreError ?? (self as? SwiftDataError)?.cause?.storeError
    }
}
