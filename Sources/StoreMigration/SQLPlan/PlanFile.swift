import StoreSQLite
import StoreShared

/// One file of a plan folder, read whole.
struct PlanFile: Sendable {
    /// As people know it: `2.0.0/schema.sql`.
    let name: String
    let text: String

    /// The most that a file of a plan may hold, in bytes.
    private static let limit = 64 << 20

    init(name: String, text: String) {
        self.name = name
        self.text = text
    }

    /// Reads a file; links are followed, since that is how folders of settings are mounted.
    ///
    /// - Throws: `StoreError.planRefused` for a file that cannot be read, is too long, is not UTF-8, or holds zero bytes.
    init(name: String, path: String) throws {
        let bytes: [UInt8]
        do {
            let real = try System.realPath(path)
            // Opening a pipe would wait for somebody to write into it.
            let file = try System.open(real, [.read, .nonBlocking])
            guard try System.stat(file, path: path).kind == .regular else {
                throw Self.unreadable(name, "it is no plain file", "put a file with the text there")
            }
            bytes = try System.readAll(file, path: path, limit: Self.limit + 1)
        } catch let error as SystemError {
            throw Self.unreadable(name, "it cannot be read", "check that it exists and may be read", error)
        }
        guard bytes.count <= Self.limit else {
            throw Self.unreadable(name, "it holds more than \(Self.limit >> 20) MiB", "move rows out of the plan")
        }
        if let zero = bytes.firstIndex(of: 0) {
            let line = 1 + bytes[..<zero].count { $0 == UInt8(ascii: "\n") }
            throw Self.unreadable(name, "line \(line) holds a zero byte", "save it as plain UTF-8 text")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Self.unreadable(name, "it is not UTF-8", "save it as UTF-8")
        }
        self.init(name: name, text: text)
    }

    /// The number of the line, from 1, that holds this UTF-8 byte of the text.
    func line(at offset: Int) -> Int {
        1 + text.utf8.prefix(offset).count { $0 == UInt8(ascii: "\n") }
    }

    /// What is wrong with this file as a whole.
    func refusal(_ reason: String, remedy: String, cause: (any Error)? = nil) -> StoreError {
        StoreError(.planRefused, "\(name): \(reason)", remedy: remedy, cause: cause)
    }

    /// What is wrong at a UTF-8 byte of this file.
    func refusal(_ reason: String, at position: Int, remedy: String) -> StoreError {
        StoreError(.planRefused, "\(name), line \(line(at: position)): \(reason)", remedy: remedy)
    }

    private static func unreadable(
        _ name: String, _ reason: String, _ remedy: String, _ cause: SystemError? = nil
    ) -> StoreError {
        StoreError(.planRefused, "\(name): \(reason)", remedy: remedy, cause: cause)
    }
}

/// One statement of a file of a plan: enough to name it to a person.
struct PlanStatement: Sendable {
    let file: PlanFile
    /// Where it stands in the file in UTF-8 bytes, leading space and comments included.
    let range: Range<Int>
    /// From its first word on.
    let tokens: [SQLToken]

    init(_ file: PlanFile, _ range: Range<Int>) {
        self.file = file
        self.range = range
        // To SQLite empty statements before it are part of it.
        tokens = Array(SQLTokenizer.tokens(of: file.text.slice(range)).drop { $0.isSymbol(";") })
    }

    /// The first word in capitals if it is a keyword, else empty.
    var verb: String { tokens.first?.keyword ?? "" }

    /// The statement without the space, comments and semicolon around it.
    var text: String {
        let body = tokens.last?.isSymbol(";") == true ? tokens.dropLast() : tokens[...]
        guard let first = body.first, let last = body.last else { return "" }
        return file.text.slice(range.lowerBound + first.range.lowerBound..<range.lowerBound + last.range.upperBound)
    }

    /// The line of its first token.
    var line: Int { file.line(at: range.lowerBound + (tokens.first?.range.lowerBound ?? 0)) }

    /// An error that names file, line and statement, all on one line.
    ///
    /// - Parameter errorPosition: the byte of the file at which SQLite saw the error, where it is known.
    func error(
        _ reason: String, code: StoreError.Code = .planRefused, remedy: String, cause: StatementFailure? = nil, errorPosition: Int? = nil
    ) -> StoreError {
        let line = errorPosition.map { file.line(at: $0) } ?? line
        return StoreError(
            code, "\(file.name), line \(line): \(reason), in: \(Self.onOneLine(text))", remedy: remedy, cause: cause)
    }

    /// The text with single spaces, cut where it is long.
    private static func onOneLine(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.count > 160 ? words.prefix(159) + "…" : words
    }
}

/// What SQLite said against a statement of a plan; its words stand in the message that carries it.
struct StatementFailure: ToldByItsCarrier, MomentaryError {
    let error: SQLiteError

    var isOfTheMoment: Bool { error.isOfTheMoment }
}
