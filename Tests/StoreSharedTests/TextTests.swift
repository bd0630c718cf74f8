import StoreSQLite
import StoreShared
import Testing

@Suite struct TextTests {
    @Test(arguments: [
        ("plain", "plain"), ("a\nb\r\nc\td", "a b c d"), ("\u{1B}[31mred\u{7}", "\\u{1B}[31mred\\u{7}"),
        ("left\u{202E}right\u{2066}\u{200F}", "left\\u{202E}right\\u{2066}\\u{200F}"),
        ("next\u{85}line\u{2028}", "next\\u{85}line\\u{2028}"),
        ("\u{9B}31m\u{FEFF}\u{0}\u{7F}", "\\u{9B}31m\\u{FEFF}\\u{0}\\u{7F}"), ("Zoë 👩‍👩‍👧 نص", "Zoë 👩‍👩‍👧 نص"), ("", ""),
    ])
    func nothingCommandsATerminal(text: String, line: String) {
        #expect(text.onOneLine == line)
    }

    @Test func linesAndTabsOfALongerTextStay() {
        #expect("a\n\tb\r\n\u{1B}c".forTerminal == "a\n\tb \n\\u{1B}c")
    }

    @Test func errorsAreOneSafeLine() {
        let error = StoreError(.unreadable, "table \u{1B}]0;x\u{7}\nnote is broken", remedy: "mend\u{202E} it")
        #expect(error.description == "table \\u{1B}]0;x\\u{7} note is broken; mend\\u{202E} it")
    }

    @Test func aCauseIsToldOnceAndSoIsItsRemedy() {
        let cause = StoreError(.unreadable, "page 2 is damaged", remedy: "restore a backup")
        let wrapped = StoreError(.planRefused, "no migration", remedy: "restore a backup; start again", cause: cause)
        #expect(wrapped.description == "no migration (page 2 is damaged); restore a backup; start again")
        let quoting = StoreError(.planRefused, "no sound file: page 2 is damaged", remedy: "use another", cause: cause)
        #expect(quoting.description == "no sound file: page 2 is damaged; use another")
        let other = StoreError(.planRefused, "no migration", remedy: "use another", cause: cause)
        #expect(other.description == "no migration (page 2 is damaged; restore a backup); use another")
        let full = SQLiteError(code: .full, message: "full", path: "s")
        #expect(
            StoreError(.unreadable, "s cannot be opened", remedy: full.remedy, cause: full).description
                == "s cannot be opened (s: full (SQLite code 13)); \(full.remedy)")
        #expect(
            StoreError(.unreadable, "s cannot be opened", remedy: "see the cause", cause: full).description.contains("Make room"))
    }
}
