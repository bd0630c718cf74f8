import StoreShared

/// A command line that was understood.
struct Command {
    enum Verb: String, CaseIterable {
        case version, status, check, wait, watch, readers, history, schema, plan, rehearse, backup, restore, adopt, rollback, metrics
        case doctor
    }

    enum Output {
        case text, json, quiet
    }

    enum SchemaFormat: String, CaseIterable {
        case sql, mermaid, json
    }

    private(set) var verb = Verb.version
    private(set) var store = ""
    private(set) var output = Output.text
    private(set) var want: SchemaVersion?
    private(set) var isStrict = false
    /// Nil for ever.
    private(set) var timeout: Duration? = .seconds(30)
    private(set) var requiresOwner = false
    /// The folder of a plan.
    private(set) var plan: String?
    /// The file of a backup.
    private(set) var file: String?
    /// Another version than the obvious one: to adopt as, to go to, to show.
    private(set) var version: SchemaVersion?
    private(set) var format = SchemaFormat.sql
    private(set) var allowsExtra = false
    private(set) var allowsLoss = false
    private(set) var allowsAnyFileSystem = false
    /// Whether a person has agreed beforehand.
    private(set) var agrees = false
    private var showsHelp = false

    /// - Throws: `UsageError`.
    init(_ arguments: [String]) throws {
        guard let first = arguments.first else { throw UsageError(reason: "which verb? \(Self.verbs)") }
        if first == "--help" || first == "-h" || first == "help" {
            showsHelp = true
            return
        }
        guard let verb = Verb(rawValue: first) else { throw UsageError(reason: "\(first) is not a verb; \(Self.verbs)") }
        self.verb = verb
        var operands: [String] = []
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            guard argument.hasPrefix("--") else {
                operands.append(argument)
                continue
            }
            try take(argument, &rest)
        }
        if showsHelp { return }
        guard let store = operands.first, !store.isEmpty else { throw UsageError(reason: "\(first): which store?") }
        guard operands.count == 1 else { throw UsageError(reason: "\(first): one store, not \(operands.count)") }
        self.store = store
        try checkNeeds()
    }

    /// Options without which a verb makes no sense.
    private func checkNeeds() throws {
        let missing: String? =
            switch verb {
            case .check, .wait: want == nil ? "--want VERSION" : nil
            case .plan, .rehearse, .adopt: plan == nil ? "--plan DIR" : nil
            case .restore: file == nil ? "--from FILE" : nil
            case .rollback: version == nil ? "--to VERSION" : nil
            default: nil
            }
        if let missing { throw UsageError(reason: "\(verb.rawValue): \(missing) is missing") }
    }

    private static var verbs: String {
        "the verbs are " + Verb.allCases.map(\.rawValue).joined(separator: ", ")
    }

    private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        func value() throws -> String {
            let found = parts.count == 2 ? String(parts[1]) : rest.popFirst()
            guard let found, !found.isEmpty else { throw UsageError(reason: "\(name) needs a value") }
            return found
        }
        if take(flag: name) {
            if parts.count == 2 { throw UsageError(reason: "\(name) takes no value") }
            return
        }
        switch (name, verb) {
        case ("--want", .check), ("--want", .wait):
            want = try Self.version(name, value())
        case ("--timeout", .wait):
            timeout = try Self.duration(try value())
        case ("--plan", .plan), ("--plan", .rehearse), ("--plan", .adopt), ("--plan", .doctor):
            plan = try value()
        case ("--as", .adopt), ("--to", .rollback), ("--version", .schema), ("--to", .plan), ("--to", .rehearse):
            version = try Self.version(name, value())
        case ("--to", .backup), ("--from", .restore):
            file = try value()
        case ("--format", .schema):
            let text = try value()
            guard let format = SchemaFormat(rawValue: text) else {
                throw UsageError(reason: "--format \(text): it is sql, mermaid or json")
            }
            self.format = format
        default:
            throw UsageError(reason: "\(verb.rawValue) has no option \(name)")
        }
    }

    /// - Returns: false if it is no flag of the verb.
    private mutating func take(flag name: String) -> Bool {
        switch (name, verb) {
        case ("--help", _): showsHelp = true
        case ("--json", _): output = .json
        case ("--quiet", _): if output == .text { output = .quiet }
        case ("--strict", .check), ("--strict", .wait): isStrict = true
        case ("--require-owner", .wait): requiresOwner = true
        case ("--allow-extra", .adopt): allowsExtra = true
        case ("--allow-loss", .plan), ("--allow-loss", .rehearse): allowsLoss = true
        case ("--allow-fs", .adopt), ("--allow-fs", .restore), ("--allow-fs", .rollback): allowsAnyFileSystem = true
        case ("--yes", .rollback): agrees = true
        default: return false
        }
        return true
    }

    private static func version(_ name: String, _ text: String) throws -> SchemaVersion {
        guard let version = SchemaVersion(text) else {
            throw UsageError(reason: "\(name) \(text) is not a version: it has the form major.minor.patch")
        }
        return version
    }

    /// `30`, `30s`, `500ms`, `2m`, `0`; nil for `forever`.
    private static func duration(_ text: String) throws -> Duration? {
        if text == "forever" { return nil }
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units: [String: Int64] = ["": 1000, "s": 1000, "ms": 1, "m": 60000]
        guard let unit = units[String(text.dropFirst(digits.count))], let number = Int64(digits),
            case let (milliseconds, isTooLong) = number.multipliedReportingOverflow(by: unit), !isTooLong
        else { throw UsageError(reason: "--timeout \(text) is not a time: 30, 30s, 500ms, 2m, 0 or forever") }
        return .milliseconds(milliseconds)
    }

    /// Carries it out.
    ///
    /// - Returns: the exit status.
    func run() throws -> Int32 {
        if showsHelp {
            say(Usage.text)
            return 0
        }
        switch verb {
        case .version: return try printVersion()
        case .status: return try printStatus()
        case .check: return try check()
        case .wait: return try wait()
        case .watch: return try watch()
        case .readers: return try printReaders()
        case .history: return try printHistory()
        case .schema: return try printSchema()
        case .plan: return try printPlan()
        case .rehearse: return try rehearse()
        case .backup: return try backUp()
        case .restore: return try restore()
        case .adopt: return try adopt()
        case .rollback: return try rollBack()
        case .metrics: return try printMetrics()
        case .doctor: return try examine()
        }
    }
}
