extension Greeting {
    /// What a live owner says of the store when asked; nil when none answers in time.
    package static func ask(_ location: StoreLocation, within duration: Duration) -> Greeting? {
        let deadline = Deadline.after(duration)
        guard let client = try? LineClient(location, until: deadline),
            (try? client.send(MessageCoding.line(Hello(role: .shell, wanted: nil)), until: deadline)) != nil,
            case .line(let line) = client.receive(until: deadline)
        else { return nil }
        return MessageCoding.read(Greeting.self, line)
    }

    /// Whether an owner answers a hello in time. A stopped one cannot be told from none by this alone.
    package static func probe(_ location: StoreLocation, within duration: Duration) -> OwnerLiveness {
        let deadline = Deadline.after(duration)
        do {
            let client = try LineClient(location, until: deadline)
            try client.send(MessageCoding.line(Hello(role: .shell, wanted: nil)), until: deadline)
            if case .line = client.receive(until: deadline) { return .alive }
            return .unknown
        } catch {
            return error.isMissing || error.isRefused ? .dead : .unknown
        }
    }
}
