import StoreShared

/// One request to the owner that lives, which carries it out and answers then.
struct OwnerRequest {
    private let location: StoreLocation

    init(_ location: StoreLocation) {
        self.location = location
    }

    /// What is read of any line: which request it answers, and why not.
    private struct Head: Decodable {
        var reply: String?
        var error: String?
    }

    /// How long the owner may take for it: a large store is copied twice.
    private static let patience: Duration = .seconds(1800)

    /// Waits for the answer while the connection stands, half an hour at most.
    ///
    /// - Returns: the state afterwards.
    /// - Throws: `StoreError.ownedByAnother` when nobody answers, `.timedOut`, `.planRefused` with the owner's reason.
    func make(_ request: Request) throws -> Status {
        let client = try connect()
        do {
            try client.send(MessageCoding.line(request), until: .after(.seconds(5)))
        } catch {
            throw silent(error)
        }
        let deadline = Deadline.after(Self.patience)
        while case .line(let line) = client.receive(until: deadline) {
            guard let head = MessageCoding.read(Head.self, line), head.reply == request.request else { continue }
            if let reason = head.error {
                throw StoreError(.planRefused, "the owner of \(location.store) refused: \(reason)", path: location.store)
            }
            if let status = MessageCoding.read(Status.self, line) { return status }
        }
        if deadline.hasPassed {
            throw StoreError(
                .timedOut, "the owner of \(location.store) has not answered within \(Self.patience), and may still be at it",
                remedy: "see its log and storectl history", path: location.store)
        }
        throw StoreError(
            .planRefused, "the owner of \(location.store) ended before it had answered", remedy: "see its log, then ask again",
            path: location.store)
    }

    private func connect() throws -> LineClient {
        do {
            let client = try LineClient(location, until: .after(.seconds(2)))
            try client.send(MessageCoding.line(Hello(role: .shell, wanted: nil)), until: .after(.seconds(1)))
            guard case .line = client.receive(until: .after(.seconds(2))) else { throw silent(nil) }
            return client
        } catch let error as SystemError {
            throw silent(error)
        }
    }

    private func silent(_ cause: (any Error)?) -> StoreError {
        let record = PublishedRecord.read(from: location).record
        let pid = record?.owner.pid
        return StoreError(
            .ownedByAnother,
            "\(location.store) is owned by another process" + (pid.map { ", pid \($0)" } ?? "") + ", which does not answer",
            remedy: "let it go on, or stop it", path: location.store, cause: cause, ownerPID: pid, storeVersion: record?.version)
    }

    private struct Readers: Decodable {
        var readers: [ReaderDescription]?
    }

    /// Those who speak to the owner; nil when none answers within a second.
    static func readers(of location: StoreLocation) -> [ReaderDescription]? {
        let deadline = Deadline.after(.seconds(1))
        guard let client = try? LineClient(location, until: deadline),
            (try? client.send(MessageCoding.line(Hello(role: .shell, wanted: nil)), until: deadline)) != nil,
            (try? client.send(MessageCoding.line(Request(.readers)), until: deadline)) != nil
        else { return nil }
        while case .line(let line) = client.receive(until: deadline) {
            if let readers = MessageCoding.read(Readers.self, line)?.readers { return readers }
        }
        return nil
    }
}
