import Foundation

/// The same work written by hand in C, as another process does it: seconds by the name of the work.
struct Handwritten {
    let seconds: [String: Double]

    init(_ program: String, store: String, count: Int) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [store, String(count)]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchError("\(program) ended with \(process.terminationStatus)") }
        var seconds: [String: Double] = [:]
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count == 2, let value = Double(parts[1]) { seconds[String(parts[0])] = value }
        }
        self.seconds = seconds
    }
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
