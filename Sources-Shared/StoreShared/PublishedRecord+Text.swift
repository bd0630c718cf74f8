/// The text of the record: os-release(5), so that a shell, grep and systemd read it, and no value runs as code.
extension PublishedRecord {
    /// The longest record that is believed, in bytes.
    static let limit = 65536

    /// All lines, the sum last.
    package func text() -> String {
        var lines = ""
        func put(_ key: String, _ value: String?) {
            if let value { lines += "STORE_\(key)=\(Self.quoted(value))\n" }
        }
        put("RECORD", "1")
        put("ID", storeID)
        put("STATE", state.rawValue)
        put("VERSION", version?.description ?? "")
        put("FINGERPRINT", fingerprint?.hex ?? "")
        put("GENERATION", String(generation))
        put("READABLE_BY", SchemaIdentity.list(readableBy))
        put("EPOCH", String(epoch))
        put("OWNER_PID", String(owner.pid))
        put("OWNER_BOOT", owner.boot)
        put("OWNER_START", String(owner.start))
        put("OWNER_SINCE", ownerSince?.description)
        put("TARGET", target?.description)
        put("STAGE", stage.map(String.init))
        put("STAGES", stages.map(String.init))
        put("STAGE_NAME", stageName.map { Self.cut($0, to: 200) })
        put("ROWS_DONE", rowsDone.map(String.init))
        put("ROWS_TOTAL", rowsTotal.map(String.init))
        put("MIGRATION_STARTED", migrationStarted?.description)
        put("HEARTBEAT", heartbeat.description)
        put("EXCLUSIVE", exclusive ? "1" : nil)
        put("REASON", reason.map { Self.cut($0, to: 1000) })
        return lines + "STORE_SUM=\(Self.sum(lines.utf8))\n"
    }

    /// Reads a whole record.
    ///
    /// - Throws: `Broken` with the reason; such a record is never believed in part.
    package init(text: String) throws(Broken) {
        guard text.utf8.count <= Self.limit else { throw Broken(reason: "longer than \(Self.limit) bytes") }
        guard text.utf8.last == UInt8(ascii: "\n") else { throw Broken(reason: "the last line is not complete") }
        var lines = text.utf8.dropLast().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let mark = Array("STORE_SUM=".utf8)
        guard let last = lines.popLast(), last.starts(with: mark) else { throw Broken(reason: "the last line is not STORE_SUM") }
        let body = text.utf8.prefix(text.utf8.count - last.count - 1)
        guard last.dropFirst(mark.count).elementsEqual(Self.sum(body).utf8) else { throw Broken(reason: "STORE_SUM does not fit") }

        var values: [String: String] = [:]
        for line in lines {
            guard let (key, value) = Self.parse(Substring(line)) else { throw Broken(reason: "a line is not KEY=value") }
            guard values.updateValue(value, forKey: key) == nil else { throw Broken(reason: "STORE_\(key) occurs twice") }
        }
        let fields = Fields(values: values)
        guard try fields.required("RECORD") == "1" else { throw Broken(reason: "STORE_RECORD is not 1: made by another release") }
        self.init(
            storeID: try fields.required("ID"),
            state: try fields.required("STATE") { RecordState(rawValue: $0) },
            version: try fields.optional("VERSION") { SchemaVersion($0) },
            fingerprint: try fields.optional("FINGERPRINT") { Fingerprint(hex: $0) },
            generation: try fields.required("GENERATION") { Int64($0).flatMap { StoreMetadata.generations.contains($0) ? $0 : nil } },
            readableBy: try fields.required("READABLE_BY") { SchemaIdentity.parseList($0) },
            epoch: try fields.required("EPOCH") { Int64($0).flatMap { (0...StoreMetadata.highestEpoch).contains($0) ? $0 : nil } },
            owner: ProcessIdentity(
                pid: try fields.required("OWNER_PID") { Int32($0) },
                boot: try fields.required("OWNER_BOOT"),
                start: try fields.required("OWNER_START") { UInt64($0) }),
            ownerSince: try fields.optional("OWNER_SINCE") { Timestamp($0) },
            target: try fields.optional("TARGET") { SchemaVersion($0) },
            stage: try fields.optional("STAGE") { Int($0) },
            stages: try fields.optional("STAGES") { Int($0) },
            stageName: fields.values["STAGE_NAME"],
            rowsDone: try fields.optional("ROWS_DONE") { Int64($0) },
            rowsTotal: try fields.optional("ROWS_TOTAL") { Int64($0) },
            migrationStarted: try fields.optional("MIGRATION_STARTED") { Timestamp($0) },
            heartbeat: try fields.required("HEARTBEAT") { Timestamp($0) },
            exclusive: fields.values["EXCLUSIVE"] == "1",
            reason: fields.values["REASON"])
    }

    /// The values of a record by their key, read as what they are.
    private struct Fields {
        let values: [String: String]

        func required(_ key: String) throws(Broken) -> String {
            guard let value = values[key] else { throw Broken(reason: "STORE_\(key) is missing") }
            return value
        }

        func required<Value>(_ key: String, _ make: (String) -> Value?) throws(Broken) -> Value {
            guard let value = make(try required(key)) else { throw Broken(reason: "STORE_\(key) cannot be read") }
            return value
        }

        func optional<Value>(_ key: String, _ make: (String) -> Value?) throws(Broken) -> Value? {
            guard let text = values[key], !text.isEmpty else { return nil }
            guard let value = make(text) else { throw Broken(reason: "STORE_\(key) cannot be read") }
            return value
        }
    }

    /// Why a record is not believed.
    package struct Broken: Error, Hashable, Sendable {
        package let reason: String
    }

    /// The first 16 digits of SHA-256 over every byte before the line of the sum.
    private static func sum(_ bytes: some Sequence<UInt8>) -> String {
        String(SHA256.hex(of: Array(bytes)).prefix(16))
    }

    /// At most so many bytes, and an ellipsis where there were more. Cut between scalars: one character may be of any length.
    private static func cut(_ text: String, to count: Int) -> String {
        guard text.utf8.count > count else { return text }
        var short = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            if length >= count { break }
            short.append(scalar)
        }
        return String(short) + "…"
    }

    /// The value as a shell's word: bare where nothing in it means anything to a shell, else in double quotes.
    static func quoted(_ value: String) -> String {
        let bare = value.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || "_.:/+,@%-".utf8.contains(byte)
        }
        if bare { return value }
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            // In single quotes between two pairs of double ones, which sh, systemd and Python's shlex read alike: some keep a
            // backslash before these inside double quotes, and systemd takes what follows a bare one for the end of the quotes.
            case "$", "`": text += "\"'\(scalar)'\""
            // Control characters, line separators among them, would end the line for one reader or another.
            case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value): text += " "
            case "\u{2028}", "\u{2029}": text += " "
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// A line's key without its prefix, and its value without quotes; nil when it is not what `quoted` writes.
    private static func parse(_ line: Substring) -> (String, String)? {
        guard line.hasPrefix("STORE_"), let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let key = line[line.index(line.startIndex, offsetBy: 6)..<equals]
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x41...0x5a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5f }) else {
            return nil
        }
        let word = String(line[line.utf8.index(after: equals)...])
        var value = String.UnicodeScalarView()
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in word.unicodeScalars {
            if isEscaped {
                value.append(scalar)
                isEscaped = false
            } else if scalar == quote {
                quote = nil
            } else if quote == nil, scalar == "\"" || scalar == "'" {
                quote = scalar
            } else if quote == "\"", scalar == "\\" {
                isEscaped = true
            } else {
                value.append(scalar)
            }
        }
        // Whatever a shell would make of another spelling, it is none that we write.
        return quoted(String(value)) == word ? (String(key), String(value)) : nil
    }
}
