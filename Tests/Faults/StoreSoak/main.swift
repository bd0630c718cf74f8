// Runs random schedules of owners, readers and faults: scripts/soak builds and starts it.
import FaultHarness
import Glibc
import StoreShared

#if STORE_FAULTS
let usage = "usage: store-soak [--minutes N] [--schedules N] [--seed S] [--threads N] [--pace N] [--planted NAMES] [--print] [--all]"

func fail(_ message: String) -> Never {
    System.print("store-soak: \(message)\n\(usage)\n", toError: true)
    exit(2)
}

var options: [String: UInt64] = [:]
var planted = ""
var prints = false
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    switch word {
    case "--print": prints = true
    case "--planted":
        guard let names = words.popFirst() else { fail("--planted needs names") }
        planted = names
    case "--minutes", "--schedules", "--seed", "--threads", "--pace":
        guard let value = words.popFirst().flatMap({ UInt64($0) }) else { fail("\(word) needs a number") }
        options[word] = value
    default: fail("unknown argument \(word)")
    }
}

let seed = options["--seed"] ?? UInt64.random(in: 1...1_000_000_000)
guard let itself = try? System.readLink("/proc/self/exe"), let slash = itself.lastIndex(of: "/") else { fail("/proc is missing") }
var settings = FaultSettings(actor: itself[..<slash] + "/fault-actor")
settings.planted = planted
settings.pace = Int(options["--pace"] ?? 10)
let minutes = options["--minutes"].map { Int64($0) }
let count = options["--schedules"].map { Int($0) } ?? (minutes == nil ? 200 : Int.max)
let coverage = Coverage()
System.print("seeds from \(seed)\n")
let began = Deadline.now
let outcome = try FaultRun.soak(
    from: seed, count: count, until: minutes.map { .after(.seconds($0 * 60)) } ?? .never, threads: Int(options["--threads"] ?? 4), settings,
    coverage)
if let failure = outcome.failure {
    System.print(failure.report + "\n")
    exit(1)
}
if prints, count == 1 { System.print(try FaultRun.run(seed: seed, settings, coverage).report + "\n") }
System.print("how often each event came in each state:\n\(coverage.report)\n")
let ran = "\(outcome.schedules) schedules, seeds \(seed) to \(seed &+ UInt64(outcome.schedules) &- 1), no violation"
System.print(
    "\(ran); \(outcome.processes) processes, \(outcome.faults) faults, at least \(outcome.fewestProcesses) and \(outcome.fewestFaults) each\n"
)
if !coverage.missing.isEmpty { System.print("never seen: \(coverage.missing.joined(separator: "; "))\n") }
exit(outcome.schedules >= 10_000 && !coverage.missing.isEmpty ? 1 : 0)
#else
print("store-soak is of use in a build with -DSTORE_FAULTS only; see scripts/soak")
#endif
