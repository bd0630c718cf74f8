import Foundation
import NotesCommand
import NotesSchema
import Storekeeper

/// A reader of a store of notes: it waits until the store is what it was built for, and reads, but can neither write nor migrate.
@main struct NotesReader {
    /// The exit status for notes that are not what their version says.
    static let wrongShape: Int32 = 20

    static func main() {
        var log = EventLog(format: .text)
        do {
            guard let words = try Arguments.read(usage: ReaderArguments.usage) else { return }
            let arguments = try ReaderArguments(words)
            log = EventLog(
                format: arguments.format, writesEvents: !arguments.isQuiet && !arguments.printsDigest, showsProgress: !arguments.isQuiet)
            switch arguments.release {
            case .first: try read(NotesVersion1_0.self, NotesVersion1_0.Note.self, arguments, log)
            case .second: try read(NotesVersion2_0.self, NotesVersion2_0.Note.self, arguments, log)
            }
        } catch let error as UsageError {
            log.complain("notes-reader: \(error)")
            exit(2)
        } catch let error as WrongShape {
            log.write("wrong-shape", "\(error)", [("key", .text(error.key)), ("reason", .text(error.reason))])
            log.complain("notes-reader: \(error): what was read is not what the version says; report it")
            exit(wrongShape)
        } catch {
            guard let reason = error.storeError else {
                log.complain("notes-reader: \(error)")
                exit(1)
            }
            if reason.code == .storeTooNew {
                log.write("too-new", reason.message, [("storeVersion", reason.storeVersion.map { .text("\($0)") } ?? .null)])
            }
            log.complain("notes-reader: \(reason)")
            exit(reason.readerExitStatus)
        }
    }

    private static func read<Version: VersionedSchema, Note: StoredNote>(
        _: Version.Type, _: Note.Type, _ arguments: ReaderArguments, _ log: EventLog
    ) throws {
        var options = ReaderOptions()
        options.wait = arguments.wait
        options.onProgress = EventLog.waiting(log)
        let container = try ModelContainer(
            for: Schema(versionedSchema: Version.self),
            configurations: [ModelConfiguration(url: URL(fileURLWithPath: arguments.store), allowsSave: false)], reader: options)
        log.write("ready", "at \(Version.versionIdentifier)", [("version", .text("\(Version.versionIdentifier)"))])
        let pages = NotePages<Note>(container)
        if arguments.follows {
            try pages.follow(pause: arguments.pause, log)
        } else if arguments.readsOne {
            try pages.readOne(log)
            if arguments.stays { Cancellation().waitUntilCancelled() }
        } else {
            let survey = try pages.survey(log)
            if arguments.printsDigest {
                log.endProgress()
                survey.print(arguments.format)
            } else {
                log.write(survey)
            }
        }
    }
}
