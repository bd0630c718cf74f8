import StoreMigration
import StoreOwner
import StoreShared

/// A command line that was understood.
struct Settings {
    enum Log: String {
        case text, json, none
    }

    private(set) var store = ""
    private(set) var plan = ""
    private(set) var target: SchemaVersion?
    private(set) var migratesOnly = false
    private(set) var owner = OwnerOptions()
    private(set) var log = Log.text
    private(set) var showsHelp = false

    private var given: Set<String> = []

    /// - Throws: `UsageError`.
    init(_ arguments: [String]) throws {
        var operands: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            try take(argument, &rest)
        }
        if showsHelp { return }
        guard let store = operands.first, !store.isEmpty else { throw UsageError(reason: "which store?") }
        guard operands.count == 1 else { throw UsageError(reason: "one store, not \(operands.count): \(operands[1]) is too much") }
        guard given.contains("--plan") else { throw UsageError(reason: "--plan DIR is missing") }
        if given.isSuperset(of: ["--backup-keep", "--no-backup"]) {
            throw UsageError(reason: "--backup-keep and --no-backup exclude each other")
        }
        self.store = store
        owner.exitStatusWhenStuck = ExitStatus.heldOrStopped
    }

    private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard given.insert(name).inserted else { throw UsageError(reason: "\(name) is given twice") }
        func value() throws -> String {
            let found = parts.count == 2 ? String(parts[1]) : rest.popFirst()
            guard let found, !found.isEmpty else { throw UsageError(reason: "\(name) needs a value") }
            return found
        }
        if try take(flag: name) {
            if parts.count == 2 { throw UsageError(reason: "\(name) takes no value") }
            return
        }
        switch name {
        case "--plan": plan = try value()
        case "--to":
            let text = try value()
            guard let version = SchemaVersion(text) else {
                throw UsageError(reason: "--to \(text) is not a version: it has the form major.minor.patch")
            }
            target = version
        case "--wait": owner.wait = try Self.seconds(name, value())
        case "--drain": owner.drain = try Self.seconds(name, value())
        case "--batch-pause": owner.batchPause = .milliseconds(try Self.number(name, value(), from: 0))
        case "--backup-keep": owner.backupsKept = Int(try Self.number(name, value(), from: 1))
        case "--atomicity": owner.atomicity = try Self.choice(name, value(), ["plan": .plan, "stage": .stage])
        case "--log": log = log == .none ? .none : try Self.choice(name, value(), ["text": .text, "json": .json])
        case "--socket-group": owner.socketGroup = try value()
        default: throw UsageError(reason: "there is no option \(name)")
        }
    }

    /// - Returns: false if it is no flag.
    private mutating func take(flag name: String) throws -> Bool {
        switch name {
        case "--help", "-h": showsHelp = true
        case "--migrate-only": migratesOnly = true
        case "--no-backup": owner.backupsKept = nil
        case "--allow-loss": owner.allowsLoss = true
        case "--allow-skipped": owner.allowsSkipped = true
        case "--allow-fs": owner.allowsAnyFileSystem = true
        case "--adopt": owner.adopts = true
        case "--quiet": log = .none
        default: return false
        }
        return true
    }

    private static func choice<Choice>(_ name: String, _ text: String, _ choices: KeyValuePairs<String, Choice>) throws -> Choice {
        guard let choice = choices.first(where: { $0.key == text }) else {
            throw UsageError(reason: "\(name) \(text): it is \(choices.map(\.key).joined(separator: " or "))")
        }
        return choice.value
    }

    private static func number(_ name: String, _ text: String, from least: Int64) throws -> Int64 {
        guard let number = Int64(text), number >= least, number <= 1_000_000_000 else {
            throw UsageError(reason: "\(name) \(text) is not a whole number from \(least) on")
        }
        return number
    }

    private static func seconds(_ name: String, _ text: String) throws -> Duration {
        guard let seconds = Double(text), seconds >= 0, seconds <= 1_000_000_000 else {
            throw UsageError(reason: "\(name) \(text) is not a number of seconds")
        }
        return .milliseconds(Int64(seconds * 1000))
    }
}
