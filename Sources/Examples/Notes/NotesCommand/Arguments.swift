import Storekeeper

/// The arguments of a command: one name of a store, and options in any order.
public struct Arguments {
    private var words: [String]
    private let usage: String

    /// - Parameter usage: printed with every complaint; one line or more.
    public init(_ words: some Sequence<String>, usage: String) {
        self.words = Array(words)
        self.usage = usage
    }

    /// The words of this process's command line; nil after the usage was printed because they ask for it.
    public static func read(usage: String) throws(UsageError) -> [String]? {
        let words: [String]
        do {
            words = try ProgramArguments.read()
        } catch {
            throw UsageError(reason: "\(error)", usage: usage)
        }
        guard words.contains("--help") || words.contains("-h") else { return words }
        print(usage)
        return nil
    }

    /// Takes an option that has no value; whether it was there.
    public mutating func takeFlag(_ name: String) -> Bool {
        guard let index = words.firstIndex(of: name) else { return false }
        words.remove(at: index)
        return true
    }

    /// Takes an option with its value, `--name value` or `--name=value`; nil if it was not there.
    public mutating func takeValue(_ name: String) throws(UsageError) -> String? {
        guard let index = words.firstIndex(where: { $0 == name || $0.hasPrefix(name + "=") }) else { return nil }
        let word = words.remove(at: index)
        if word != name { return String(word.dropFirst(name.utf8.count + 1)) }
        guard index < words.count else { throw complaint("\(name) needs a value") }
        return words.remove(at: index)
    }

    /// Takes an option whose value `read` understands; the complaint says what it `expects`.
    public mutating func takeValue<Value>(_ name: String, expects: String, _ read: (String) -> Value?) throws(UsageError) -> Value? {
        guard let text = try takeValue(name) else { return nil }
        guard let value = read(text) else { throw complaint("\(name) \(text): expected \(expects)") }
        return value
    }

    /// Takes the one argument that is no option, after all options were taken.
    public mutating func takeOnly(_ what: String) throws(UsageError) -> String {
        if let unknown = words.first(where: { $0.hasPrefix("-") && $0 != "-" }) { throw complaint("unknown option \(unknown)") }
        guard let word = words.first, !word.isEmpty else { throw complaint("\(what) is missing") }
        guard words.count == 1 else { throw complaint("one argument too many: \(words[1])") }
        return word
    }

    /// A complaint about the arguments, with the usage.
    public func complaint(_ reason: String) -> UsageError { UsageError(reason: reason, usage: usage) }
}

/// The command was called wrongly: exit 2.
public struct UsageError: Error, CustomStringConvertible {
    public var reason: String
    public var usage: String

    public var description: String { "\(reason)\n\(usage)" }
}

extension Duration {
    /// Reads `30`, `30s`, `500ms`, `2m`, `1h`.
    public init?(argument text: String) {
        let units: [(suffix: String, milliseconds: Int64)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("", 1000)]
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let number = Int64(text.dropLast(unit.suffix.utf8.count)), number >= 0 else { return nil }
            let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
            guard !overflow else { return nil }
            self = .milliseconds(milliseconds)
            return
        }
        return nil
    }
}
