import Foundation

/// The same work written by hand in C, as another process does it: its time by the name of the work.
struct Handwritten {
    let times: [String: BenchTime]

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
        var times: [String: BenchTime] = [:]
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.count == 3, let wall = Double(parts[1]), let processor = Double(parts[2]) {
                times[String(parts[0])] = BenchTime(wall: wall, processor: processor)
            }
        }
        self.times = times
    }
}

/// Seconds that a piece of work took.
struct BenchTime {
    var wall = 0.0
    /// Of all threads of the process. It hardly depends on what else the machine does.
    var processor = 0.0
}

struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
