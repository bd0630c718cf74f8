import StoreMigration
import StoreOwner
import StoreShared

/// One run of the program: reads the plan, owns the store, serves until it is told to stop.
struct Daemon {
    private let settings: Settings

    init(_ settings: Settings) {
        self.settings = settings
    }

    /// - Returns: the exit status.
    /// - Throws: `UsageError`, or `StoreError` for what kept it from owning the store.
    func run() throws -> Int32 {
        if settings.showsHelp {
            System.print(Usage.text)
            return ExitStatus.done
        }
        let log = EventLog(settings.log)
        let warnings = PatientOutput(toError: true) { "storekeeperd: \($0) warnings are missing: nobody read them" }
        defer {
            log.finish()
            warnings.finish()
        }
        let cancellation = Cancellation()
        let manager = ServiceManager.fromEnvironment()
        try TerminationSignals.cancel(cancellation, status: ExitStatus.heldOrStopped)
        let plan = try readPlan()
        let owner = try StoreOwner.open(
            at: StoreLocation(path: settings.store), plan: plan, options: options(cancellation, manager, log, warnings))
        if !settings.migratesOnly { cancellation.waitUntilCancelled() }
        owner.close()
        return ExitStatus.done
    }

    private func readPlan() throws -> MigrationPlan {
        let plan = try SQLPlan(folder: settings.plan)
        if let target = settings.target, !plan.has(target) {
            let versions = plan.versions.map(\.version.description).joined(separator: ", ")
            throw UsageError(reason: "--to \(target): the plan has no such version; it has \(versions)")
        }
        return try plan.migrationPlan(to: settings.target, allowsReverse: settings.target != nil && settings.owner.allowsLoss)
    }

    private func options(
        _ cancellation: Cancellation, _ manager: ServiceManager?, _ log: EventLog, _ warnings: PatientOutput
    ) -> OwnerOptions {
        var options = settings.owner
        let migratesOnly = settings.migratesOnly
        options.cancellation = cancellation
        options.serviceManager = manager
        options.onEvent = { event in
            // An owner that brought the store back to another version than its own leaves by itself.
            if case .closing = event { cancellation.cancel() }
            if case .warning(let text) = event { warnings.write("storekeeperd: warning: \(text.onOneLine)") }
            // A run that only migrates answers on the socket for a moment, and that is all.
            if migratesOnly, case .serving = event { return }
            log.write(event)
        }
        return options
    }
}
