import Foundation
import NotesCommand
import NotesSchema
import Storekeeper

extension EventLog {
    /// Writes what the notes of a store came to.
    func write(_ survey: NotesSurvey) {
        write(
            "read",
            "\(grouped(survey.notes)) notes in \(grouped(survey.folders)) folders with \(grouped(survey.tags)) tags, every one as it should be",
            survey.fields)
    }
}

extension NotesSurvey {
    var fields: [(String, EventLog.Field)] {
        [
            ("notes", .number(Int64(notes))), ("distinct", .number(Int64(distinct))), ("folders", .number(Int64(folders))),
            ("tags", .number(Int64(tags))), ("links", .number(Int64(links))), ("words", .number(Int64(words))), ("digest", .text(digest)),
        ]
    }

    /// Prints it as lines `key=value`, or as one event.
    func print(_ format: EventLog.Format) {
        if format == .json {
            EventLog(format: .json).write("digest", "", fields)
        } else {
            Swift.print(
                "notes=\(notes)", "distinct=\(distinct)", "folders=\(folders)", "tags=\(tags)", "links=\(links)", "words=\(words)",
                "digest=\(digest)", separator: "\n")
        }
    }
}
