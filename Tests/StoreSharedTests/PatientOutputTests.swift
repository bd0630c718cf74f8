import Foundation
import Testing

@testable import StoreShared

@Suite struct PatientOutputTests {
    @Test func aFullPipeHoldsNobodyUpAndWhatIsMissingIsCounted() async throws {
        let pipe = Pipe()
        let output = PatientOutput(file: pipe.fileHandleForWriting.fileDescriptor) { "\($0) lines are missing" }
        let lines = (0..<5000).map { "\($0) " + String(repeating: "x", count: 60) }
        // Nobody reads: a writer that waited would never come back.
        for line in lines { output.write(line) }
        let reader = Task.detached { try pipe.fileHandleForReading.readToEnd() ?? Data() }
        output.finish(until: .after(.seconds(60)))
        output.write("the last")
        output.finish(until: .after(.seconds(60)))
        try pipe.fileHandleForWriting.close()
        let read = try await reader.value
        let found = String(decoding: read, as: UTF8.self).split(separator: "\n").map(String.init)
        let written = found.filter { $0.hasSuffix("x") }
        #expect(written == Array(lines.prefix(written.count)))
        #expect(written.count < lines.count)
        #expect(found.contains("\(lines.count - written.count) lines are missing"))
        #expect(found.last == "the last")
    }

    @Test func aReaderThatHasLeftIsNoReasonToWait() throws {
        System.ignoreBrokenPipes()
        let pipe = Pipe()
        let output = PatientOutput(file: pipe.fileHandleForWriting.fileDescriptor) { "\($0)" }
        try pipe.fileHandleForReading.close()
        for _ in 0..<100 { output.write(String(repeating: "x", count: 5000)) }
        output.finish(until: .never)
    }
}
