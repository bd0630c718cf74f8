import Foundation
import Synchronization
import Testing

@testable import StoreShared

@Suite struct PatientOutputTests {
    @Test func aFullPipeHoldsNobodyUpAndWhatIsMissingIsCounted() throws {
        let pipe = Pipe()
        let output = PatientOutput(file: pipe.fileHandleForWriting.fileDescriptor) { "\($0) lines are missing" }
        let lines = (0..<5000).map { "\($0) " + String(repeating: "x", count: 60) }
        // Nobody reads: a writer that waited would never come back.
        for line in lines { output.write(line) }
        let read = Mutex(Data())
        let reader = try WorkerThread("reads the pipe") {
            let all = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
            read.withLock { $0 = all }
        }
        output.finish(until: .after(.seconds(60)))
        output.write("the last")
        output.finish(until: .after(.seconds(60)))
        try pipe.fileHandleForWriting.close()
        reader.join()
        let found = String(decoding: read.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
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
