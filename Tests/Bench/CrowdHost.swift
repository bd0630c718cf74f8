import Foundation
import ProcessHarness
import StoreMigration
import StoreOwner
import StoreReader
import StoreShared
import Synchronization

/// What a second process of `store-bench` does for the figures of a crowd: it owns a store, waits for it, or reads it, and says on
/// standard output what happened when. It lives until its parent kills it.
enum CrowdHost {
    private static let one = ["CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL)"]
    private static let two = ["CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL, words INTEGER)"]
    static let versions = [SchemaVersion(1, 0, 0), SchemaVersion(2, 0, 0)]

    /// A plan that leads to the first or to the second version.
    static func plan(to number: Int) throws -> MigrationPlan {
        let snapshots = try [one, two].prefix(number).enumerated().map { index, statements in
            try SchemaSnapshot(version: versions[index], frontEnd: .sql, statements: statements)
        }
        let stages = number == 1 ? [] : [PlannedStage(from: versions[0], to: versions[1])]
        return try MigrationPlan(versions: snapshots, stages: stages)
    }

    /// - Parameter words: the role and what it needs.
    static func run(_ words: [String]) throws -> Never {
        switch words[0] {
        case "owner": try own(StoreLocation(path: words[1]), to: Int(words[2]) ?? 1)
        case "waiters": try wait(StoreLocation(path: words[1]), count: Int(words[2]) ?? 1, withoutWatch: words.contains("--no-watch"))
        case "readers": try read(words[1], count: Int(words[2]) ?? 1)
        case "echo": try echo(words[1])
        case "subscriber": try subscribe(StoreLocation(path: words[1]))
        default: throw HarnessError("no role \(words[0])")
        }
    }

    /// Nanoseconds of the clock that all processes share.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static let writing = Mutex(())

    private static func say(_ text: String) {
        writing.withLock { _ in _ = System.print(text + "\n") }
    }

    private static func sleepForEver() -> Never {
        while true { pause() }
    }

    /// Owns the store, waiting for another owner to end; each line on standard input has it migrate to the second version.
    private static func own(_ location: StoreLocation, to number: Int) throws -> Never {
        let readers = Mutex(0)
        // Said afterwards: writing takes longer than being heard.
        let published = Mutex<[Int64]>([])
        func sayPublished() {
            for moment in published.withLock({ moments in
                defer { moments = [] }
                return moments
            }) { say("published \(moment)") }
        }
        var options = OwnerOptions()
        options.backupsKept = nil
        options.wait = .seconds(600)
        options.onEvent = { event in
            switch event {
            case .published:
                let moment = now
                published.withLock { $0.append(moment) }
            case .serving: say("serving \(now)")
            case .reader(_, true):
                let count = readers.withLock { count in
                    count += 1
                    return count
                }
                say("reader \(count) \(now)")
            default: break
            }
        }
        say("starting")
        let owner = try StoreOwner.open(at: location, plan: plan(to: number), options: options)
        sayPublished()
        while readLine() != nil {
            try owner.migrate(to: plan(to: 2), options: options)
            sayPublished()
        }
        _ = owner
        sleepForEver()
    }

    /// Many who wait for the second version, each on a thread of its own.
    private static func wait(_ location: StoreLocation, count: Int, withoutWatch: Bool) throws -> Never {
        // The user's instances of inotify are used up: nothing is left but to look now and then.
        if withoutWatch { while inotify_init1(Int32(IN_CLOEXEC)) >= 0 {} }
        let waiting = Mutex(0)
        for _ in 0..<count {
            try WorkerThread("waiter") {
                let waiter = StoreWaiter(location, for: SchemaIdentity(version: versions[1]))
                var isFirst = true
                let outcome = try? waiter.wait(
                    until: .never,
                    onProgress: { _ in
                        guard isFirst else { return }
                        isFirst = false
                        let number = waiting.withLock { number in
                            number += 1
                            return number
                        }
                        if number == count { say("waiting") }
                    })
                if outcome?.judgement.verdict == .ready { say("ready \(now)") }
            }.detach()
        }
        sleepForEver()
    }

    /// Many readers that are open and do nothing.
    private static func read(_ path: String, count: Int) throws -> Never {
        var readers: [StoreReader] = []
        for _ in 0..<count {
            readers.append(try StoreReader.open(at: path, identity: SchemaIdentity(version: versions[0]), wait: .upTo(.seconds(60))))
        }
        say("open")
        withExtendedLifetime(readers) { sleepForEver() }
    }

    /// One that only listens: when the news arrive.
    private static func subscribe(_ location: StoreLocation) throws -> Never {
        let client = try LineClient(location, until: .after(.seconds(10)))
        try client.send(MessageCoding.line(Hello(role: .waiter, wanted: nil)), until: .after(.seconds(10)))
        try client.send(MessageCoding.line(Request(.subscribe)), until: .after(.seconds(10)))
        for _ in 0..<2 { _ = client.receive(until: .after(.seconds(10))) }
        say("listening")
        while case .line = client.receive(until: .never) { say("heard \(now)") }
        sleepForEver()
    }

    /// Sends back what comes, byte by byte.
    private static func echo(_ path: String) throws -> Never {
        let client = try LineSocket(to: path)
        var byte: UInt8 = 0
        while Glibc.read(client.descriptor, &byte, 1) == 1 { _ = Glibc.write(client.descriptor, &byte, 1) }
        sleepForEver()
    }
}
