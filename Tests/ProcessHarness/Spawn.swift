import Foundation

/// Starts a command with the given descriptors, `/dev/null` for those that are nil, and nothing else of ours.
///
/// - Returns: its process id, for the caller to wait for.
func spawn(_ command: [String], input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in zip([0, 1, 2] as [Int32], [input, output, errors]) {
        if let descriptor {
            posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        } else {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
        }
    }
    let arguments = command.map { strdup($0) } + [nil]
    let environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { (arguments + environment).forEach { free($0) } }
    var pid: Int32 = 0
    let failure = posix_spawn(&pid, command[0], &actions, nil, arguments, environment)
    guard failure == 0 else { throw HarnessError("\(command[0]): \(String(cString: strerror(failure)))") }
    return pid
}

/// Runs a command to its end, its output thrown away; how long the whole process took.
///
/// - Throws: `HarnessError` when it did not exit with 0.
package func secondsToRun(_ command: [String]) throws -> Double {
    let start = ContinuousClock.now
    let pid = try spawn(command)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    let duration = ContinuousClock.now - start
    guard status == 0 else { throw HarnessError("\(command.joined(separator: " ")) failed with status \(status)") }
    return duration / .seconds(1)
}

/// Runs a command to its end; the first line that it wrote.
///
/// - Throws: `HarnessError` when it did not exit with 0.
package func firstLine(of command: [String]) throws -> String {
    let ends = try PipeEnds()
    let pid = try spawn(command, output: ends.writing)
    close(ends.writing)
    let output = LineBuffer(reading: ends.reading)
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw HarnessError("\(command.joined(separator: " ")) failed with status \(status)") }
    return output.first(within: 5) { _ in true } ?? ""
}
