import StoreShared

/// A command line that was understood.
struct Command {
    enum Verb: String, CaseIterable {
        case version, status, check, wait
    }

    enum Output {
        case text, json, quiet
    }

    private(set) var verb = Verb.version
    private(set) var store = ""
    private(set) var output = Output.text
    private(set) var want: SchemaVersion?
    private(set) var isStrict = false
    /// Nil for ever.
    private(set) var timeout: Duration? = .seconds(30)
    private(set) var requiresOwner = false
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
        if want == nil, verb == .check || verb == .wait { throw UsageError(reason: "\(first): --want VERSION is missing") }
    }

    private static var verbs: String {
        "the verbs are " + Verb.allCases.map(\.rawValue).joined(separator: ", ")
    }

    private mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        func value() throws -> String {
            if parts.count == 2 { return String(parts[1]) }
            guard let next = rest.popFirst() else { throw UsageError(reason: "\(name) needs a value") }
            return next
        }
        func flag() throws {
            if parts.count == 2 { throw UsageError(reason: "\(name) takes no value") }
        }
        switch (name, verb) {
        case ("--help", _):
            showsHelp = true
        case ("--json", _):
            try flag()
            output = .json
        case ("--quiet", _):
            try flag()
            if output == .text { output = .quiet }
        case ("--want", .check), ("--want", .wait):
            let text = try value()
            guard let version = SchemaVersion(text) else {
                throw UsageError(reason: "--want \(text) is not a version: it has the form major.minor.patch")
            }
            want = version
        case ("--strict", .check), ("--strict", .wait):
            try flag()
            isStrict = true
        case ("--timeout", .wait):
            timeout = try Self.duration(try value())
        case ("--require-owner", .wait):
            try flag()
            requiresOwner = true
        default:
            throw UsageError(reason: "\(verb.rawValue) has no option \(name)")
        }
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
            System.print(Usage.text)
            return 0
        }
        switch verb {
        case .version: return try printVersion()
        case .status: return try printStatus()
        case .check: return try check()
        case .wait: return try wait()
        }
    }
}
