import StoreShared

/// What a script learns from the end of the process.
enum ExitStatus {
    static let done: Int32 = 0
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    static let tooNew: Int32 = 4
    static let heldOrStopped: Int32 = 5
    static let refused: Int32 = 7
    static let noStore: Int32 = 8

    /// - Parameter migratesOnly: whether it was to migrate and leave. The caller of such a run learns that the migration failed, whatever
    ///   the reason; a service manager, that a failure of the moment is worth another start.
    static func of(_ error: any Error, migratesOnly: Bool) -> Int32 {
        guard let error = error as? StoreError else { return failure }
        let status = of(error.code)
        // What the machine refused says nothing of the store, nor of the plan.
        return error.isOfTheMoment && (status == noStore || status == refused && !migratesOnly) ? failure : status
    }

    private static func of(_ code: StoreError.Code) -> Int32 {
        switch code {
        case .storeTooNew: tooNew
        case .ownedByAnother, .timedOut, .cancelled: heldOrStopped
        case .planRefused, .migrationFailed: refused
        case .absent, .unreadable, .foreign, .drifted: noStore
        default: failure
        }
    }
}
