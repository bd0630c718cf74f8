import Foundation
import NotesCommand
import NotesSchema
import Storekeeper

/// Reads the notes of a store, and checks every one of them.
struct NotePages<Note: StoredNote> {
    private let container: ModelContainer

    init(_ container: ModelContainer) {
        self.container = container
    }

    /// Reads all notes once.
    ///
    /// - Throws: `WrongShape` for a note that cannot be what the version says, `StoreError` when the store cannot be read any more.
    func survey(_ log: EventLog) throws -> NotesSurvey {
        var survey = NotesSurvey()
        let context = ModelContext(container)
        let total = Int64(try context.fetchCount(FetchDescriptor<Note>()))
        let progress = ProgressText("reading")
        try context.enumerate(Note.inOrder, batchSize: 1000) { note in
            let content = note.content
            try verify(content, in: context)
            survey.add(content)
            if survey.notes % 1000 == 0 {
                log.progress(
                    line: progress(done: Int64(survey.notes), total: total),
                    [("rowsDone", .number(Int64(survey.notes))), ("rowsTotal", .number(total))])
            }
        }
        survey.folders = try context.fetchCount(FetchDescriptor<Note.StoredFolder>())
        survey.tags = try context.fetchCount(FetchDescriptor<Note.StoredTag>())
        return survey
    }

    /// Reads any one note, if there is one.
    func readOne(_ log: EventLog) throws {
        let context = ModelContext(container)
        var first = FetchDescriptor<Note>()
        first.fetchLimit = 1
        let note = try context.fetch(first).first?.content
        if let note { try verify(note, in: context) }
        log.write("read", note.map { "note '\($0.key)'" } ?? "no note", [("key", note.map { .text($0.key) } ?? .null)])
    }

    /// Reads notes at random places, page after page, until the store is too new for this program.
    ///
    /// - Throws: as `survey`; in the end always.
    func follow(pause: Duration, _ log: EventLog) throws -> Never {
        var pages = 0
        var notes = 0
        defer {
            log.write(
                "followed", "\(grouped(notes)) notes in \(grouped(pages)) pages, every one as it should be",
                [("pages", .number(Int64(pages))), ("notes", .number(Int64(notes)))])
        }
        while true {
            let context = ModelContext(container)
            let total = try context.fetchCount(FetchDescriptor<Note>())
            var page = FetchDescriptor<Note>()
            page.fetchLimit = 100
            page.fetchOffset = Int.random(in: 0...max(0, total - 100))
            for note in try context.fetch(page) {
                try verify(note.content, in: context)
                notes += 1
            }
            pages += 1
            if pages == 1 { log.write("reading", "\(grouped(total)) notes, page after page", [("notes", .number(Int64(total)))]) }
            log.progress(
                line: "\(grouped(notes)) notes in \(grouped(pages)) pages, all as they should be",
                [("pages", .number(Int64(pages))), ("notes", .number(Int64(notes)))])
            if pause > .zero { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
        }
    }

    /// Checks a note. A property never throws: where it could not be read any more, the context's next fetch says why, and that counts.
    private func verify(_ content: NoteContent, in context: ModelContext) throws {
        do {
            try content.verify()
        } catch {
            _ = try context.fetchCount(FetchDescriptor<Note>())
            throw error
        }
    }
}
