import Foundation
import ProcessHarness
import StoreShared
import Synchronization

/// What many readers cost, and how soon they and a standby owner are there when something happens.
func crowdFigures(in folder: TemporaryFolder, _ report: ([Figure]) -> Void) throws {
    // Each reader that is connected is a descriptor; the programs that are started inherit the limit.
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    // Another user reads in it, where the user's own watches are to be left alone.
    chmod(folder.path, 0o755)
    try report(news(folder))
    try report([lastOfMany(folder, processes: 8, each: 125, by: .socket, budget: 250)])
    try report([lastOfMany(folder, processes: 2, each: 32, by: .watch, budget: 250)])
    if getuid() == 0 { try report([lastOfMany(folder, processes: 2, each: 32, by: .nothing, budget: 500)]) }
    try report(takeover(folder))
    try report(idle(folder))
}

/// A store at 1.0.0 that nobody has open, in a folder of its own.
private final class CrowdStore {
    let folder: TemporaryFolder
    let path: String

    init(in parent: TemporaryFolder) throws {
        folder = try TemporaryFolder(in: parent.path)
        path = folder("notes.store")
        chmod(folder.path, 0o755)
    }

    func owner(to version: Int, input: Int32? = nil) throws -> Program {
        try Program(.bench, ["--host", "owner", path, "\(version)"], input: input)
    }

    func waiters(_ count: Int, _ more: String..., launcher: [String] = []) throws -> Program {
        try Program(.bench, ["--host", "waiters", path, "\(count)"] + more, launcher: launcher)
    }
}

private func moment(_ line: String) throws -> Int64 {
    guard let moment = line.split(separator: " ").last.flatMap({ Int64($0) }) else { throw HarnessError("no time in '\(line)'") }
    return moment
}

/// The nth line of a program that begins with a word, as soon as it is there.
private func line(_ program: Program, _ number: Int, _ word: String) throws -> String {
    var seen = 0
    let found = program.output.first(within: 120) { line in
        if line.hasPrefix(word) { seen += 1 }
        return seen == number
    }
    guard let found else { throw HarnessError("\(program.name) did not say '\(word)' \(number) times: \(program.transcript.prefix(2000))") }
    return found
}

private func end(_ programs: [Program]) throws {
    for program in programs { program.send(SIGKILL) }
    for program in programs { try program.wait() }
}

/// From the publication to a process that listens, beside a bare message there and back between two processes, each after a pause.
private func news(_ folder: TemporaryFolder) throws -> [Figure] {
    let ping = try barePing(folder)
    var latencies: [Double] = []
    for _ in 0..<25 {
        let store = try CrowdStore(in: folder)
        let pipe = Pipe()
        let owner = try store.owner(to: 1, input: pipe.fileHandleForReading.fileDescriptor)
        _ = try line(owner, 1, "serving")
        let listener = try Program(.bench, ["--host", "subscriber", store.path])
        _ = try line(listener, 1, "listening")
        try pipe.fileHandleForWriting.write(contentsOf: Data("migrate\n".utf8))
        // The first news is that the migration runs; then comes what is published.
        let published = try moment(line(owner, 2, "published"))
        var number = 0
        var heard: Int64 = 0
        repeat {
            number += 1
            heard = try moment(line(listener, number, "heard"))
        } while heard < published
        latencies.append(Double(heard - published) / 1000)
        try end([owner, listener])
    }
    return [
        Figure(name: "a bare ping between two processes, median of 200", value: ping, unit: "µs"),
        Figure(
            name: "publication to a process that listens, median of 25", value: median(latencies), budget: 3 * ping, unit: "µs",
            note: "worst \(short(latencies.max() ?? .nan))"),
    ]
}

private func barePing(_ folder: TemporaryFolder) throws -> Double {
    let listener = try ListeningSocket(at: folder("ping"))
    let echo = try Program(.bench, ["--host", "echo", listener.path])
    let near = accept(listener.descriptor, nil, nil)
    defer { close(near) }
    var byte: UInt8 = 0
    let times = (0..<200).map { _ in
        Thread.sleep(forTimeInterval: 0.02)
        let start = CrowdHost.now
        _ = write(near, &byte, 1)
        _ = read(near, &byte, 1)
        return Double(CrowdHost.now - start) / 1000
    }
    try end([echo])
    return median(times)
}

private enum WakeUp: String {
    case socket, watch = "the watch only", nothing = "neither socket nor watch"
}

/// From the publication until the last of many waiters has judged the store ready.
private func lastOfMany(_ folder: TemporaryFolder, processes: Int, each: Int, by wakeUp: WakeUp, budget: Double) throws -> Figure {
    let nobody = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    var last: [Double] = []
    for _ in 0..<5 {
        let store = try CrowdStore(in: folder)
        let pipe = Pipe()
        let owner = try store.owner(to: 1, input: pipe.fileHandleForReading.fileDescriptor)
        _ = try line(owner, 1, "serving")
        if wakeUp != .socket { unlink(store.path + ".keeper/socket") }
        let hosts = try (0..<processes).map { _ in
            wakeUp == .nothing ? try store.waiters(each, "--no-watch", launcher: nobody) : try store.waiters(each)
        }
        for host in hosts { _ = try line(host, 1, "waiting") }
        try pipe.fileHandleForWriting.write(contentsOf: Data("migrate\n".utf8))
        let published = try moment(line(owner, 2, "published"))
        let latest =
            try hosts.map { host -> Int64 in
                _ = try line(host, each, "ready")
                return try host.output.lines.filter { $0.hasPrefix("ready") }.map(moment).max() ?? 0
            }.max() ?? 0
        last.append(Double(latest - published) / 1_000_000)
        try end([owner] + hosts)
    }
    return Figure(
        name: "publication to the last of \(processes * each), \(wakeUp.rawValue), median of 5", value: median(last), budget: budget,
        unit: "ms", note: "worst \(short(last.max() ?? .nan))")
}

/// From the death of an owner until the standby owner serves and every reader has come to it.
private func takeover(_ folder: TemporaryFolder) throws -> [Figure] {
    var serving: [Double] = []
    var complete: [Double] = []
    for _ in 0..<5 {
        let store = try CrowdStore(in: folder)
        let owner = try store.owner(to: 1)
        _ = try line(owner, 1, "serving")
        let readers = try (0..<4).map { _ in try Program(.bench, ["--host", "readers", store.path, "16"]) }
        for host in readers { _ = try line(host, 1, "open") }
        _ = try line(owner, 64, "reader")
        let standby = try store.owner(to: 1)
        _ = try line(standby, 1, "starting")
        // It has to be at the lock before the owner dies; looking at a store takes less.
        Thread.sleep(forTimeInterval: 0.3)
        let death = CrowdHost.now
        owner.send(SIGKILL)
        serving.append(Double(try moment(line(standby, 1, "serving")) - death) / 1_000_000)
        complete.append(Double(try moment(line(standby, 64, "reader")) - death) / 1_000_000)
        try end([owner, standby] + readers)
    }
    return [
        Figure(
            name: "an owner's death to the standby serving, median of 5", value: median(serving), budget: 1000, unit: "ms",
            note: "worst \(short(serving.max() ?? .nan))"),
        Figure(
            name: "an owner's death to the last of 64 readers with it", value: median(complete), budget: 1000, unit: "ms",
            note: "worst \(short(complete.max() ?? .nan))"),
    ]
}

/// What an owner and 1,000 readers use that have nothing to do, and what 1,000 waiters cost the owner.
private func idle(_ folder: TemporaryFolder) throws -> [Figure] {
    let store = try CrowdStore(in: folder)
    let owner = try store.owner(to: 1)
    _ = try line(owner, 1, "serving")
    // First, while the owner's memory is as small as it gets.
    let memoryBefore = try residentKilobytes(owner)
    let waiters = try (0..<8).map { _ in try store.waiters(125) }
    for host in waiters { _ = try line(host, 1, "waiting") }
    let memory = try residentKilobytes(owner) - memoryBefore
    try end(waiters)
    let readers = try (0..<8).map { _ in try Program(.bench, ["--host", "readers", store.path, "125"]) }
    for host in readers { _ = try line(host, 1, "open") }
    _ = try line(owner, 1000, "reader")
    // What opening left to do, the checkpoint among it.
    Thread.sleep(forTimeInterval: 3)
    let before = (try processorTime([owner]), try processorTime(readers))
    Thread.sleep(forTimeInterval: 10)
    let after = (try processorTime([owner]), try processorTime(readers))
    try end([owner] + readers)
    return [
        Figure(name: "an idle owner with 1,000 idle readers, in 10 s", value: after.0 - before.0, budget: 10, unit: "ms"),
        Figure(name: "the 1,000 idle readers together, in 10 s", value: after.1 - before.1, budget: 10, unit: "ms"),
        Figure(name: "a waiting reader costs the owner", value: memory / 1000, budget: 16, unit: "KB", note: "of 1,000"),
    ]
}

/// Milliseconds that the threads of some programs have run until now.
private func processorTime(_ programs: [Program]) throws -> Double {
    try programs.reduce(0) { sum, program in
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(program.pid)/task")
        return try tasks.reduce(sum) { sum, task in
            let text = try String(contentsOfFile: "/proc/\(program.pid)/task/\(task)/schedstat", encoding: .utf8)
            return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1_000_000
        }
    }
}

private func residentKilobytes(_ program: Program) throws -> Double {
    let text = try String(contentsOfFile: "/proc/\(program.pid)/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    guard let kilobytes = line?.split(separator: " ", omittingEmptySubsequences: true).dropFirst().first.flatMap({ Double($0) }) else {
        throw HarnessError("\(program.name) has no memory")
    }
    return kilobytes
}
