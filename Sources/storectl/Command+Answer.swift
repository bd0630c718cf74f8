import StoreSQLite
import StoreShared

/// How an answer is given: what is printed goes to standard output, why goes to standard error.
extension Command {
    /// Resolves the store and carries out an act on it.
    ///
    /// - Parameter body: gives the exit status; what it throws is explained.
    func answering(_ body: (StoreLocation) throws -> Int32) throws -> Int32 {
        let location: StoreLocation
        do {
            location = try StoreLocation(path: store)
        } catch let error as StoreError {
            explain(error.description)
            if output == .json { show(Failure(failure: error.description)) }
            return 8
        }
        do {
            return try body(location)
        } catch let error as StoreError {
            explain(error.description)
            if output == .json { show(Failure(failure: error.description)) }
            return Self.status(of: error)
        } catch let error as SQLiteError {
            return failed(error.description)
        } catch let error as SystemError {
            return failed(error.description)
        }
    }

    /// It was begun and could not be done.
    private func failed(_ reason: String) -> Int32 {
        explain(reason)
        if output == .json { show(Failure(failure: reason)) }
        return 7
    }

    /// The exit status of an act that could not be carried out.
    private static func status(of error: StoreError) -> Int32 {
        switch error.code {
        case .ownedByAnother, .cancelled, .timedOut: 5
        case .absent, .unreadable, .foreign: 8
        case .misuse: 2
        default: 7
        }
    }

    func show(_ answer: some Encodable) {
        say(String(decoding: MessageCoding.line(answer), as: UTF8.self) + "\n")
    }

    /// Says why, unless it was told to be quiet.
    func explain(_ reason: String) {
        if output != .quiet { System.print("storectl: \(reason.onOneLine)\n", toError: true) }
    }

    /// The object in JSON, or the text for a person.
    func tell(_ answer: some Encodable, _ text: @autoclosure () -> String) {
        switch output {
        case .text: say(text().forTerminal)
        case .json: show(answer)
        case .quiet: break
        }
    }
}

/// Why nothing was done.
struct Failure: Encodable {
    let failure: String
}
