#if STORE_FAULTS
import CFaultActor
import FaultPlan
import Glibc
import StoreMigration
import StoreOwner
import StoreReader
import StoreSQLite
import StoreShared
import Synchronization

/// The process: commands come in on one thread and are done, one after the other, on another; those that must reach one that is held up
/// are done at once.
final class FaultActor: @unchecked Sendable {
    // Used by the thread that does the commands.
    private var owner: StoreOwner?
    private var reader: StoreReader?
    private var readerVersion = 1

    private let location: StoreLocation
    private let traps = Traps()
    private let mailbox = Latch()
    /// Under the mailbox's latch.
    private var orders: [[String]] = []
    private var isReleased = true
    private let cancellation = Mutex(Cancellation())

    init(store: String, ledger: String?) throws {
        if let ledger, fault_disk_keep(store, ledger) != 0 { throw StoreError(.misuse, "the ledger's path is too long") }
        location = try StoreLocation(path: store)
        let traps = traps
        StateTrace.setHook { machine, state, event in traps.pass("\(machine)", state, event) }
        System.ignoreBrokenPipes()
        _ = fault_end_with_parent()
    }

    func run() -> Never {
        do {
            try WorkerThread("commands") { [self] in
                while true { hear(Wire.hear().split(separator: " ").map(String.init)) }
            }.detach()
        } catch {
            Wire.say("no thread: \(error)")
            exit(1)
        }
        Wire.say("= 0 ok")
        while true {
            let order = mailbox.wait { orders.isEmpty ? nil : orders.removeFirst() }
            do {
                Wire.say("= \(order[0]) ok \(try obey(order[1], Arguments(order.dropFirst(2))))")
            } catch let error as StoreError {
                Wire.say("= \(order[0]) error \(error.code.rawValue) \(error)")
            } catch let error as WrongRead {
                Wire.say("= \(order[0]) wrong \(error.what)")
            } catch {
                Wire.say("= \(order[0]) error other \(error)")
            }
        }
    }

    /// What cannot wait is done here; the rest is handed over.
    private func hear(_ words: [String]) {
        guard let verb = words.dropFirst().first else { return }
        let arguments = Arguments(words.dropFirst(2))
        switch verb {
        case "trap":
            guard let action = Trap.Action(rawValue: arguments["do"] ?? "") else { return }
            traps.set(
                Trap(
                    machine: arguments["machine"] ?? "", state: arguments["state"] ?? "", event: arguments["event"] ?? "",
                    passes: arguments.number("passes") ?? 0, action: action))
        case "release":
            traps.release()
            mailbox.change { isReleased = true }
        case "disk":
            let times = arguments.number("successes") == nil ? 0 : Int.max
            _ = fault_disk_fail("pwrite", ENOSPC, arguments.number("successes") ?? 0, times)
            for call in ["open", "pread", "ftruncate", "fdatasync"] { _ = fault_disk_fail(call, 0, 0, 0) }
            System.faults.clear()
            if times > 0 {
                System.faults.fail("write", with: ENOSPC, after: arguments.number("successes") ?? 0, times: .max, onEveryThread: true)
            }
        case "fault":
            let call = arguments["call"] ?? ""
            let number = Int32(arguments.number("errno") ?? 0)
            let (after, times) = (arguments.number("after") ?? 0, arguments.number("times") ?? 1)
            // SQLite's own calls are marked, since some are named as ours are.
            if call.hasPrefix("sqlite:") {
                _ = fault_disk_fail(String(call.dropFirst(7)), number, after, times)
            } else {
                System.faults.fail(call, with: number, after: after, times: times, onEveryThread: true)
            }
        case "count": return Wire.say("= \(words[0]) ok \(System.faults.count(of: arguments["call"] ?? ""))")
        case "clock": System.faults.setClock(Int64(arguments.number("seconds") ?? 0))
        case "die":
            System.faults.intercept(arguments["call"] ?? "", after: arguments.number("after") ?? 0) {
                kill(getpid(), SIGKILL)
                while true { pause() }
            }
        case "swap-lock":
            let path = location.ownerLock
            System.faults.intercept("fcntl(F_OFD_SETLK)") { try? System.unlink(path) }
        case "cancel": cancellation.withLock { $0 }.cancel()
        default:
            mailbox.change { orders.append(words) }
            return
        }
        Wire.say("= \(words[0]) ok")
    }

    private func obey(_ verb: String, _ arguments: Arguments) throws -> String {
        switch verb {
        case "own": try own(arguments)
        case "write": try write(arguments)
        case "migrate": try migrate(arguments)
        case "close-owner": closeOwner()
        case "open": try open(arguments)
        case "read": try read(arguments)
        case "close-reader": closeReader()
        case "spawn-child": try spawnChild()
        case "lock-index": try lockIndex()
        default: throw StoreError(.misuse, "no command \(verb)")
        }
    }

    private func renewCancellation() -> Cancellation {
        let fresh = Cancellation()
        cancellation.withLock { $0 = fresh }
        return fresh
    }

    // MARK: Owner

    private func options(_ arguments: Arguments) -> OwnerOptions {
        var options = OwnerOptions()
        options.wait = .milliseconds(arguments.number("wait") ?? 0)
        options.atomicity = arguments["atomicity"] == "stage" ? .stage : .plan
        options.backupsKept = arguments.number("backups")
        if let limit = arguments.number("log") { options.logLimit = Int64(limit) }
        options.drain = .milliseconds(arguments.number("drain") ?? 800)
        let cancellation = renewCancellation()
        if arguments["cancelled"] != nil { cancellation.cancel() }
        options.cancellation = cancellation
        return options
    }

    private func own(_ arguments: Arguments) throws -> String {
        let plan = try FaultPlan.plan(to: arguments.number("target") ?? 1, failing: arguments.number("failing"))
        let opened = try StoreOwner.open(at: location, plan: plan, options: options(arguments))
        owner = opened
        return "epoch=\(opened.epoch) version=\(opened.version.major) generation=\(opened.metadata.generation)"
    }

    private func living() throws -> StoreOwner {
        guard let owner else { throw StoreError(.closed, "this process owns nothing") }
        return owner
    }

    private func write(_ arguments: Arguments) throws -> String {
        let owner = try living()
        let epoch = owner.epoch
        try owner.write(changing: ["note"]) { connection in
            // Of the store, not of this owner: another may have come.
            let version = try StoreMetadata.read(connection)?.version ?? SchemaVersion(1, 0, 0)
            for tag in (arguments["tags"] ?? "").split(separator: ",") {
                try FaultPlan.insert(String(tag), epoch: epoch, at: version, connection)
            }
            if arguments["throws"] != nil { throw StoreError(.misuse, "the schedule wants this write undone") }
        }
        return ""
    }

    private func migrate(_ arguments: Arguments) throws -> String {
        let owner = try living()
        let plan = try FaultPlan.plan(to: arguments.number("target") ?? 1, failing: arguments.number("failing"))
        try owner.migrate(to: plan, options: options(arguments))
        return "version=\(owner.version.major) generation=\(owner.metadata.generation)"
    }

    private func closeOwner() -> String {
        owner?.close()
        owner = nil
        return ""
    }

    /// A child that inherits whatever is not closed at exec(2), and outlives this process.
    private func spawnChild() throws -> String {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number in [0, 1, 2] as [Int32] { posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0) }
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/sleep"), strdup("600"), nil]
        defer { words.forEach { free($0) } }
        var child: Int32 = 0
        guard posix_spawn(&child, "/bin/sleep", &actions, nil, &words, environ) == 0 else { throw StoreError(.system, "no child") }
        return "child=\(child)"
    }

    /// Takes the locks under which SQLite rebuilds the index of the log, as one that is stopped in the middle of that.
    private func lockIndex() throws -> String {
        guard fault_disk_lock_index(location.store + "-shm") == 0 else { throw StoreError(.system, "the index cannot be locked") }
        return ""
    }

    // MARK: Reader

    private func open(_ arguments: Arguments) throws -> String {
        closeReaderQuietly()
        readerVersion = arguments.number("version") ?? 1
        let wait: WaitPolicy = arguments.number("wait").map { .upTo(.milliseconds($0)) } ?? .never
        reader = try StoreReader.open(
            at: location.store, identity: try FaultPlan.identity(readerVersion), wait: wait, cancellation: renewCancellation())
        return ""
    }

    private func closeReader() -> String {
        closeReaderQuietly()
        return ""
    }

    private func closeReaderQuietly() {
        reader?.close()
        reader = nil
    }

    /// One read transaction; `hold` keeps it until the harness says `release`, `throws` ends it by an error of the program's own.
    private func read(_ arguments: Arguments) throws -> String {
        guard let reader else { throw StoreError(.closed, "this process has no store open") }
        let holds = arguments["hold"] != nil
        if holds { mailbox.change { isReleased = false } }
        let version = readerVersion
        return try reader.read(budget: .milliseconds(arguments.number("budget") ?? 5000)) { connection in
            let first = try Self.look(connection, version)
            if holds {
                Wire.say("! held reader reading rows")
                while !mailbox.change({ isReleased }) {
                    // Long enough for SQLite to ask whether it is to stop.
                    _ = try connection.scalar(
                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT count(*) FROM n")
                    System.sleep(.milliseconds(1))
                }
                let second = try Self.look(connection, version)
                if second != first { throw WrongRead("a snapshot changed from \(first) to \(second)") }
            }
            if arguments["throws"] != nil { throw StoreError(.misuse, "the schedule wants this read to end so") }
            return first
        }
    }

    /// What the snapshot holds, each row found to be of the schema that this reader knows.
    private static func look(_ connection: Connection, _ version: Int) throws -> String {
        let letter = FaultPlan.letter(version)
        let rows = try connection.rows("SELECT id, a, b, epoch, tag FROM note ORDER BY id")
        var epoch: Int64 = 0
        for row in rows {
            let tag = row[4].text ?? ""
            if row[1].text != letter + tag {
                throw WrongRead("a reader of \(version).0.0 found '\(row[1].text ?? "")' where '\(letter)\(tag)' belongs")
            }
            let written = row[3].integer ?? 0
            if written < epoch { throw WrongRead("row \(tag) was written by epoch \(written) after one of epoch \(epoch)") }
            epoch = written
        }
        let generation = try StoreMetadata.generation(of: connection)
        return "generation=\(generation) tags=\(rows.map { $0[4].text ?? "" }.joined(separator: ","))"
    }
}

/// Something that no reader may ever see.
struct WrongRead: Error {
    let what: String
    init(_ what: String) { self.what = what }
}

/// `name=value` and `name`.
struct Arguments {
    private var values: [String: String] = [:]

    init(_ words: ArraySlice<String>) {
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
    }

    subscript(name: String) -> String? { values[name] }
    func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
}
#endif
