import NotesCommand
import Testing

@Suite struct ArgumentsTests {
    @Test func optionsStandAnywhereAndTakeTheirValuesInBothForms() throws {
        var arguments = Arguments(["--wait", "5", "notes.store", "--to=2.0.0", "--quiet"], usage: "usage")
        let flags = [arguments.takeFlag("--quiet"), arguments.takeFlag("--quiet")]
        #expect(flags == [true, false])
        let values = [try arguments.takeValue("--to"), try arguments.takeValue("--import")]
        #expect(values == ["2.0.0", nil])
        let wait = try arguments.takeValue("--wait", expects: "seconds", Duration.init(argument:))
        #expect(wait == .seconds(5))
        let store = try arguments.takeOnly("the store")
        #expect(store == "notes.store")
    }

    @Test(arguments: [["--to"], ["a", "b"], [], [""], ["a", "--colour"]]) func whatIsLeftOverIsAComplaint(_ words: [String]) {
        var arguments = Arguments(words, usage: "usage: it")
        #expect(throws: UsageError.self) {
            _ = try arguments.takeValue("--to")
            _ = try arguments.takeOnly("the store")
        }
    }

    @Test(
        arguments: [
            ("30", .seconds(30)), ("30s", .seconds(30)), ("500ms", .milliseconds(500)), ("2m", .seconds(120)), ("1h", .seconds(3600)),
            ("0", .zero), ("", nil), ("-1", nil), ("soon", nil), ("1.5", nil), ("9223372036854775807h", nil), ("ms", nil),
        ] as [(String, Duration?)]) func durationsAreReadAsTheCommandsTakeThem(_ text: String, _ duration: Duration?)
    {
        #expect(Duration(argument: text) == duration)
    }

    @Test func numbersAreGroupedByThousands() {
        #expect(grouped(0) == "0")
        #expect(grouped(999) == "999")
        #expect(grouped(1_234_567) == "1,234,567")
        #expect(grouped(-1000) == "-1,000")
    }
}
