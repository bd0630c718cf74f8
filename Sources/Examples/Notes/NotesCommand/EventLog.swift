import Foundation
import Storekeeper
import Synchronization

/// What a program writes while it runs: one event a line on standard output, and on a terminal its progress as a line
/// of standard error that is rewritten in place.
///
/// Lines of several programs in one pipe or on one terminal stay whole.
public final class EventLog: Sendable {
    /// How events are written.
    public enum Format: String, Sendable {
        /// `03:14:15.926535 event the rest for people`.
        case text
        /// One object a line, as `{"time":"…","event":"…",…}`.
        case json
    }

    /// A value in an event.
    public enum Field: Sendable {
        case text(String)
        case number(Int64)
        case flag(Bool)
        case null
    }

    private struct State {
        var line = ""
        var nextProgress = ContinuousClock.now
    }

    private let format: Format
    private let writesEvents: Bool
    private let showsLine: Bool
    private let output: @Sendable (_ text: String, _ ending: String, _ toError: Bool) -> Void
    private let lastly: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - writesEvents: whether anything goes to standard output.
    ///   - showsProgress: whether progress is shown on standard error, if that is a terminal.
    ///   - isHurried: that the program cannot wait for one who does not read: what a full pipe does not take is dropped and counted.
    public init(format: Format, writesEvents: Bool = true, showsProgress: Bool = true, isHurried: Bool = false) {
        self.format = format
        self.writesEvents = writesEvents
        showsLine = showsProgress && isatty(STDERR_FILENO) == 1
        guard isHurried else {
            output = { text, ending, toError in emit(text + ending, to: toError ? STDERR_FILENO : STDOUT_FILENO) }
            lastly = {}
            return
        }
        let notice = { @Sendable (count: Int) in "\(count) lines of this log are missing: nobody read it" }
        let events = PatientOutput { count in
            let time = timestamp()
            return format == .json
                ? json(time, "warning", [("reason", .text(notice(count)))]) : "\(time.clock) warning \(notice(count))"
        }
        let complaints = PatientOutput(toError: true, dropNotice: notice)
        output = { text, ending, toError in (toError ? complaints : events).write(text, ending: ending) }
        lastly = {
            events.finish()
            complaints.finish()
        }
    }

    /// Writes an event; `text` is for people, `fields` are for programs.
    public func write(_ event: String, _ text: String, _ fields: [(String, Field)] = []) {
        let time = timestamp()
        guard writesEvents else { return }
        let line = format == .json ? json(time, event, fields) : "\(time.clock) \(event) \(text)"
        state.withLock { state in
            clear(&state)
            output(line, "\n", false)
        }
    }

    /// Shows progress: on a terminal as `line`, rewritten in place; elsewhere as an event `progress`, at most once a second (ten times as JSON).
    public func progress(line: @autoclosure () -> String, _ fields: [(String, Field)]) {
        guard writesEvents || showsLine else { return }
        let time = timestamp()
        state.withLock { state in
            guard ContinuousClock.now >= state.nextProgress else { return }
            state.nextProgress = .now + .milliseconds(showsLine || format == .json ? 100 : 1000)
            if showsLine {
                state.line = line()
                output("\r\(fitted(state.line))\u{1B}[K", "", true)
            }
            guard writesEvents else { return }
            if format == .json {
                output(json(time, "progress", fields), "\n", false)
            } else if !showsLine {
                output("\(time.clock) progress \(line())", "\n", false)
            }
        }
    }

    /// Takes the line of progress off the terminal.
    public func endProgress() {
        state.withLock { clear(&$0) }
    }

    /// Says on standard error why the program ends, the first line first.
    public func complain(_ reason: String) {
        state.withLock { state in
            clear(&state)
            output(reason, "\n", true)
        }
    }

    /// Gives the last lines a moment; before the process ends.
    public func finish() { lastly() }

    private func clear(_ state: inout State) {
        state.nextProgress = .now
        guard !state.line.isEmpty else { return }
        state.line = ""
        output("\r\u{1B}[K", "", true)
    }
}

private func json(_ time: Timestamp, _ event: String, _ fields: [(String, EventLog.Field)]) -> String {
    var text = "{\"time\":\"\(time.date)T\(time.clock)Z\",\"event\":\(quoted(event))"
    for (key, field) in fields {
        switch field {
        case .text(let value): text += ",\(quoted(key)):\(quoted(value))"
        case .number(let value): text += ",\(quoted(key)):\(value)"
        case .flag(let value): text += ",\(quoted(key)):\(value)"
        case .null: text += ",\(quoted(key)):null"
        }
    }
    return text + "}"
}

private struct Timestamp {
    var date: String
    var clock: String
}

/// The time in UTC, to the microsecond: the programs of a demonstration are compared by it.
private func timestamp() -> Timestamp {
    let microseconds = Int((Date.now.timeIntervalSince1970 * 1_000_000).rounded(.down))
    var seconds = time_t(microseconds / 1_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func padded(_ number: some BinaryInteger, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return Timestamp(
        date: "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))",
        clock: "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2)).\(padded(microseconds % 1_000_000, 6))")
}

private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": result += "\\\(scalar)"
        case "\n": result += "\\n"
        case _ where scalar.value < 0x20: result += "\\u00" + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}

/// The part of a line that fits on the terminal without wrapping.
private func fitted(_ line: String) -> String {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return line }
    return String(line.prefix(Int(size.ws_col) - 1))
}

/// Writes all of it; what cannot be written is lost, since nobody is left to read it.
private func emit(_ text: String, to descriptor: Int32) {
    var rest = Substring(text).utf8[...]
    while !rest.isEmpty {
        let count = Array(rest).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
