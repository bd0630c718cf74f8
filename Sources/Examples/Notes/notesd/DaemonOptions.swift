import NotesCommand
import NotesSchema
import Storekeeper

/// What `notesd` was asked to do.
struct DaemonOptions {
    static let usage = """
        usage: notesd STORE [--to 1.0.0|2.0.0] [--import FILE] [--notes N] [--migrate-only] [--wait SECONDS]
                      [--backup-keep N | --no-backup] [--log text|json] [--quiet]
        """

    /// A release of this program: what it knows, and where it takes a store.
    enum Release: String {
        case first = "1.0.0"
        case second = "2.0.0"

        var schema: any VersionedSchema.Type { self == .first ? NotesVersion1_0.self : NotesVersion2_0.self }
        var plan: any SchemaMigrationPlan.Type { self == .first ? NotesPlan1_0.self : NotesPlan.self }
    }

    var store: String
    var release = Release.second
    /// A package database that an empty store is filled from.
    var importFile: String?
    /// How many notes to import; nil means as many as there are packages.
    var notes: Int?
    var migratesOnly: Bool
    var wait = Duration.zero
    var backupsKept: Int? = 3
    var format = EventLog.Format.text
    var isQuiet: Bool

    init(_ words: some Sequence<String>) throws(UsageError) {
        var arguments = Arguments(words, usage: Self.usage)
        migratesOnly = arguments.takeFlag("--migrate-only")
        isQuiet = arguments.takeFlag("--quiet")
        let makesNoBackup = arguments.takeFlag("--no-backup")
        release = try arguments.takeValue("--to", expects: "1.0.0 or 2.0.0", Release.init) ?? release
        importFile = try arguments.takeValue("--import")
        notes = try arguments.takeValue("--notes", expects: "a number of at least 1") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        wait = try arguments.takeValue("--wait", expects: "seconds, as 5 or 500ms", Duration.init(argument:)) ?? wait
        let kept = try arguments.takeValue("--backup-keep", expects: "a number of at least 1") { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        format = try arguments.takeValue("--log", expects: "text or json", EventLog.Format.init) ?? format
        store = try arguments.takeOnly("the store")
        if makesNoBackup, kept != nil { throw arguments.complaint("--backup-keep and --no-backup exclude each other") }
        if importFile != nil, release != .first { throw arguments.complaint("--import writes notes as 1.0.0 does: add --to 1.0.0") }
        if notes != nil, importFile == nil { throw arguments.complaint("--notes says how many to import: add --import FILE") }
        backupsKept = makesNoBackup ? nil : kept ?? backupsKept
    }
}
