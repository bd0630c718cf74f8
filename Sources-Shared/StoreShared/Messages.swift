import FoundationEssentials

/// The lines of the owner's socket, one JSON object each. Keys that are not known are ignored.
package enum MessageCoding {
    /// One line without its end. Encoding our own types does not fail.
    package static func line(_ message: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(message) else { return Array("{}".utf8) }
        return Array(data)
    }

    package static func read<Message: Decodable>(_ type: Message.Type, _ line: [UInt8]) -> Message? {
        try? JSONDecoder().decode(type, from: Data(line))
    }
}

/// What a client says first: who it is and what it was built for.
package struct Hello: Codable, Hashable, Sendable {
    package enum Role: String, Sendable { case reader, waiter, shell }

    package var hello = 1
    /// A `Role`, or what a later release calls itself.
    package var role: String?
    package var pid: Int32?
    package var version: String?
    package var fingerprint: String?

    package init(role: Role, pid: Int32 = System.processID, wanted: SchemaIdentity?) {
        self.role = role.rawValue
        self.pid = pid
        version = wanted?.version.description
        fingerprint = wanted?.fingerprint?.hex
    }

    /// What the client was built for; without a fingerprint it is judged by number. Nil when it said none.
    package var wanted: SchemaIdentity? {
        guard let version = version.flatMap({ SchemaVersion($0) }) else { return nil }
        return SchemaIdentity(version: version, fingerprint: fingerprint.flatMap { Fingerprint(hex: $0) })
    }
}

/// The answer to a hello of another version of the protocol; the connection ends with it.
package struct HelloRefusal: Encodable, Sendable {
    package var hello = 1
    package var error: String

    package init(of hello: Hello) {
        error = "this owner speaks version 1 of the protocol, not \(hello.hello)"
    }
}

/// The answer to a hello: the whole state, with the verdict for that client.
package struct Greeting: Codable, Hashable, Sendable {
    package var hello = 1
    package var status: Status

    package init(status: Status) {
        self.status = status
    }

    private enum Keys: String, CodingKey { case hello }

    package init(from decoder: any Decoder) throws {
        hello = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .hello)
        status = try Status(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try status.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(hello, forKey: .hello)
    }
}

/// What a client asks for.
package struct Request: Codable, Hashable, Sendable {
    package enum Name: String, Sendable { case status, subscribe, readers, restore, rollback, drained, report, bye }

    /// A `Name`, or what this release does not know.
    package var request: String
    /// Repeated in the answer.
    package var id: RequestID?
    /// The file to restore from, by its whole path.
    package var from: String?
    /// The version to roll back to.
    package var to: String?
    /// Seconds that the oldest snapshot has been held, with `report`.
    package var age: Double?

    package init(_ name: Name, id: RequestID? = nil, from: String? = nil, to: String? = nil, age: Double? = nil) {
        request = name.rawValue
        self.id = id
        self.from = from
        self.to = to
        self.age = age
    }

    package var name: Name? { Name(rawValue: request) }
}

/// A client's own mark of a request: a number or a text.
package enum RequestID: Codable, Hashable, Sendable {
    case number(Int64)
    case text(String)

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        }
    }
}

/// The answer to a request: the name and mark of the request with the whole state, with the readers, or with an error.
package struct Reply: Encodable, Sendable {
    package var reply: String
    package var id: RequestID?
    package var status: Status?
    package var readers: [ReaderDescription]?
    /// Of the last change of rows that was told, with `subscribe`: the next one's follows it.
    package var token: Int64?
    package var error: String?

    package init(
        to request: Request, status: Status? = nil, readers: [ReaderDescription]? = nil, token: Int64? = nil, error: String? = nil
    ) {
        reply = request.request
        id = request.id
        self.status = status
        self.readers = readers
        self.token = token
        self.error = error
    }

    private enum Keys: String, CodingKey { case reply, id, readers, token, error }

    package func encode(to encoder: any Encoder) throws {
        try status?.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(reply, forKey: .reply)
        try container.encodeIfPresent(id, forKey: .id)
        try container.encodeIfPresent(readers, forKey: .readers)
        try container.encodeIfPresent(token, forKey: .token)
        try container.encodeIfPresent(error, forKey: .error)
    }
}

/// One reader as the owner lists it.
package struct ReaderDescription: Codable, Hashable, Sendable {
    package var pid: Int32
    package var uid: UInt32?
    package var version: String?
    package var since: String?
    /// Seconds that its oldest snapshot has been held; nil when it holds none, or does not say: the kernel's table of locks has no times.
    package var snapshotAge: Double?
    /// Whether it speaks the protocol; else it is known from the kernel's table of locks alone.
    package var speaks: Bool

    package init(pid: Int32, uid: UInt32?, version: String?, since: String?, snapshotAge: Double?, speaks: Bool) {
        self.pid = pid
        self.uid = uid
        self.version = version
        self.since = since
        self.snapshotAge = snapshotAge
        self.speaks = speaks
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(pid, forKey: .pid)
        try container.encode(uid, forKey: .uid)
        try container.encode(version, forKey: .version)
        try container.encode(since, forKey: .since)
        try container.encode(snapshotAge, forKey: .snapshotAge)
        try container.encode(speaks, forKey: .speaks)
    }
}

/// What the owner tells those who subscribed. It carries the whole state, so only the newest matters.
package struct Event: Codable, Sendable {
    package enum Name: String, Codable, Sendable { case progress, published, failed, drain, report, changed, closing }

    package var event: Name
    package var status: Status
    /// Entities whose rows a commit changed, with `changed`.
    package var entities: [String]?
    /// One more than that of the change told before, with `changed`: whoever finds a gap has missed some.
    package var token: Int64?

    package init(_ event: Name, status: Status, entities: [String]? = nil, token: Int64? = nil) {
        self.event = event
        self.status = status
        self.entities = entities
        self.token = token
    }

    private enum Keys: String, CodingKey { case event, entities, token }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        event = try container.decode(Name.self, forKey: .event)
        entities = try container.decodeIfPresent([String].self, forKey: .entities)
        token = try container.decodeIfPresent(Int64.self, forKey: .token)
        status = try Status(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try status.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(event, forKey: .event)
        try container.encodeIfPresent(entities, forKey: .entities)
        try container.encodeIfPresent(token, forKey: .token)
    }
}

/// A line from a client.
package enum ClientLine: Sendable {
    case hello(Hello)
    case request(Request)

    /// Nil for a line that is neither; the connection is then closed.
    package init?(_ line: [UInt8]) {
        if let request = MessageCoding.read(Request.self, line) {
            self = .request(request)
        } else if let hello = MessageCoding.read(Hello.self, line), hello.hello == 1 {
            self = .hello(hello)
        } else {
            return nil
        }
    }
}
