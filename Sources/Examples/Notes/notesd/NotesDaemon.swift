import Foundation
import NotesCommand
import NotesSchema
import Storekeeper

/// The owner of a store of notes: it alone migrates and writes, publishes the version, and serves until it is told to stop.
@main struct NotesDaemon {
    static func main() {
        let cancellation = Cancellation()
        var log = EventLog(format: .text, isHurried: true)
        var migratesOnly = false
        do {
            guard let words = try Arguments.read(usage: DaemonOptions.usage) else { return }
            let options = try DaemonOptions(words)
            migratesOnly = options.migratesOnly
            log = EventLog(format: options.format, writesEvents: !options.isQuiet, showsProgress: !options.isQuiet, isHurried: true)
            try TerminationSignals.cancel(cancellation)
            try run(options, log, cancellation)
            log.finish()
        } catch let error as UsageError {
            log.complain("notesd: \(error)")
            log.finish()
            exit(2)
        } catch {
            log.complain("notesd: \(error)")
            log.finish()
            exit(error.storeError?.ownerExitStatus(migratesOnly: migratesOnly) ?? 1)
        }
    }

    private static func run(_ options: DaemonOptions, _ log: EventLog, _ cancellation: Cancellation) throws {
        var owner = OwnerOptions()
        owner.wait = options.wait
        owner.backupsKept = options.backupsKept
        owner.cancellation = cancellation
        let write = EventLog.owner(log)
        owner.onEvent = { event in
            write(event)
            // An owner that brought back a backup, or another version, leaves by itself.
            if case .closing = event { cancellation.cancel() }
        }
        let container = try ModelContainer(
            for: Schema(versionedSchema: options.release.schema), migrationPlan: options.release.plan,
            configurations: [ModelConfiguration(url: URL(fileURLWithPath: options.store))], owner: owner)
        defer { container.close() }
        if let importFile = options.importFile {
            try importPackages(from: importFile, count: options.notes, into: container, log: log, cancellation: cancellation)
        }
        if !options.migratesOnly { cancellation.waitUntilCancelled() }
    }
}
