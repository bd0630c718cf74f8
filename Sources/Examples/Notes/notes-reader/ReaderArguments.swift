import NotesCommand
import Storekeeper

/// What `notes-reader` was asked to do.
struct ReaderArguments {
    static let usage = """
        usage: notes-reader STORE --for 1.0.0|2.0.0 [--timeout 30s|0|forever] [--follow [--pause MS] | --digest | --one [--stay]]
                            [--log text|json] [--quiet]
        """

    /// The version of the notes that this reader is built for.
    enum Release: String {
        case first = "1.0.0"
        case second = "2.0.0"
    }

    var store: String
    var release: Release
    var wait = WaitPolicy.upTo(.seconds(30))
    /// Goes on reading until the store is too new.
    var follows: Bool
    /// Prints counts and a digest and nothing else.
    var printsDigest: Bool
    /// Reads one note and no more.
    var readsOne: Bool
    /// Keeps the store open after that, until a signal ends the program.
    var stays: Bool
    /// Between two snapshots, when it follows.
    var pause = Duration.milliseconds(20)
    var format = EventLog.Format.text
    var isQuiet: Bool

    init(_ words: some Sequence<String>) throws(UsageError) {
        var arguments = Arguments(words, usage: Self.usage)
        follows = arguments.takeFlag("--follow")
        printsDigest = arguments.takeFlag("--digest")
        readsOne = arguments.takeFlag("--one")
        stays = arguments.takeFlag("--stay")
        isQuiet = arguments.takeFlag("--quiet")
        let release = try arguments.takeValue("--for", expects: "1.0.0 or 2.0.0", Release.init)
        let waits = try arguments.takeValue("--timeout", expects: "30, 30s, 500ms, 2m, 0 or forever") { text -> WaitPolicy? in
            text == "forever" ? .forever : Duration(argument: text).map { $0 == .zero ? .never : .upTo($0) }
        }
        wait = waits ?? wait
        pause = try arguments.takeValue("--pause", expects: "milliseconds") { UInt32($0).map { .milliseconds($0) } } ?? pause
        format = try arguments.takeValue("--log", expects: "text or json", EventLog.Format.init) ?? format
        store = try arguments.takeOnly("the store")
        guard let release else { throw arguments.complaint("--for is missing: which version of the notes is to be read?") }
        if [follows, printsDigest, readsOne].filter({ $0 }).count > 1 {
            throw arguments.complaint("--follow, --digest and --one exclude each other")
        }
        if stays, !readsOne { throw arguments.complaint("--stay says what to do after --one") }
        self.release = release
    }
}
