/// A moment of the wall clock for people: RFC 3339 in UTC. It decides nothing.
package struct Timestamp: Hashable, Sendable, Comparable, LosslessStringConvertible {
    /// Milliseconds since 1970.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static var now: Timestamp {
        let (seconds, nanoseconds) = wallClock()
        return Timestamp(milliseconds: seconds * 1000 + nanoseconds / 1_000_000)
    }

    /// How long it was from this moment; 0 where the clock has been put back.
    package func seconds(until end: Timestamp = .now) -> Double { Double(max(0, end.milliseconds - milliseconds)) / 1000 }

    /// `2026-11-29T23:39:33Z`, with `.123` before the Z when there are milliseconds.
    package var description: String {
        let whole = milliseconds.floored(by: 1000)
        let part = milliseconds - whole * 1000
        let day = whole.floored(by: 86400)
        let second = whole - day * 86400
        // Days to a date of the proleptic Gregorian calendar, counted from March so that the leap day is last.
        let shifted = day + 719_468
        let era = shifted.floored(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let date = dayOfYear - (153 * month + 2) / 5 + 1
        let calendarMonth = month < 10 ? month + 3 : month - 9
        let year = yearOfEra + era * 400 + (calendarMonth <= 2 ? 1 : 0)
        var text = "\(padded(year, 4))-\(padded(calendarMonth, 2))-\(padded(date, 2))"
        text += "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        if part != 0 { text += ".\(padded(part, 3))" }
        return text + "Z"
    }

    /// Reads what `description` writes.
    package init?(_ description: String) {
        let bytes = Array(description.utf8)
        guard bytes.count == 20 || bytes.count == 24, bytes.last == UInt8(ascii: "Z"), bytes[4] == UInt8(ascii: "-"),
            bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            bytes.count == 20 || bytes[19] == UInt8(ascii: ".")
        else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let date = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), (1...12).contains(month), (1...31).contains(date),
            hour < 24, minute < 60, second < 61
        else { return nil }
        guard let part = bytes.count == 24 ? number(20..<23) : 0 else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.floored(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + date - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let day = era * 146_097 + dayOfEra - 719_468
        milliseconds = (day * 86400 + hour * 3600 + minute * 60 + second) * 1000 + part
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    private func padded(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}

extension Int64 {
    /// The quotient rounded down, for a positive divisor.
    fileprivate func floored(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
