import Foundation
import NotesSchema
import Testing

@Suite struct NotesSurveyTests {
    private func note(_ key: String, words: Int? = nil, tags: [String] = ["a", "b"]) -> NoteContent {
        NoteContent(
            key: key, title: "title", body: Array("title of \(key)".utf8), created: Date(timeIntervalSinceReferenceDate: 60),
            folder: "folder",
            tags: tags, words: words)
    }

    @Test func theDigestIsTheSameInAnyOrderAndWithNotesThatAreStoredTwice() {
        var once = NotesSurvey()
        for key in ["a", "b", "c"] { once.add(note(key, words: 3)) }
        var twice = NotesSurvey()
        for key in ["c", "c", "a", "b"] { twice.add(note(key)) }
        #expect(once.digest == twice.digest)
        #expect(once.distinct == 3 && twice.distinct == 3 && twice.notes == 4)
        #expect(once.links == 6 && once.words == 9)
    }

    @Test func theDigestDiffersWhereAnythingDiffers() {
        var digests: Set<String> = []
        let changes: [(inout NoteContent) -> Void] = [
            { _ in }, { $0.key = "b" }, { $0.title = "other" }, { $0.body.append(0x20) }, { $0.folder = "" }, { $0.tags = ["ab"] },
            { $0.tags = [] },
        ]
        for change in changes {
            var content = note("a")
            change(&content)
            var survey = NotesSurvey()
            survey.add(content)
            digests.insert(survey.digest)
        }
        #expect(digests.count == changes.count)
    }

    @Test func equalKeysWithDifferentContentAreDifferentNotes() {
        var survey = NotesSurvey()
        survey.add(note("a"))
        survey.add(note("a", tags: ["c"]))
        #expect(survey.distinct == 2)
    }

    @Test func whatNoVersionWritesIsNoticed() throws {
        try note("a", words: 3).verify()
        let faults: [(inout NoteContent) -> Void] = [
            { $0.key = "" }, { $0.body = [0xff] }, { $0.body = Array("another text".utf8) }, { $0.folder = "" }, { $0.tags = ["a", "a"] },
            { $0.tags = [""] }, { $0.words = 4 }, { $0.created = Date(timeIntervalSinceReferenceDate: 61) },
            { $0.created = Date(timeIntervalSinceReferenceDate: -60) },
        ]
        for fault in faults {
            var content = note("a", words: 3)
            fault(&content)
            #expect(throws: WrongShape.self) { try content.verify() }
        }
    }

    @Test(arguments: [("", 0), (" \n\t", 0), ("one", 1), (" two  words ", 2), ("çà et là", 3)]) func wordsArePartedByWhiteSpace(
        _ text: String, _ count: Int
    ) {
        #expect(wordCount(ofUTF8: text.utf8) == count)
    }
}
