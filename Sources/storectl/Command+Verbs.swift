import StoreReader
import StoreShared

extension Command {
    /// Resolves the store and answers a question about it, also where not even its folder can be reached.
    private func locating(_ body: (StoreLocation) throws -> Int32) throws -> Int32 {
        let location: StoreLocation
        do {
            location = try StoreLocation(path: store)
        } catch let error as StoreError {
            return unreachable(error)
        }
        return try body(location)
    }

    /// The version that the store really has, read in a snapshot, whatever the record says.
    func printVersion() throws -> Int32 {
        try locating { location in
            let sight = try StoreSight.look(at: location, for: nil, checksShape: false)
            guard let version = sight.metadata?.version else {
                explain(sight.problem?.description ?? "\(location.store) is not a store")
                if output == .json { show(try judge(location, for: nil).status) }
                return Verdict.unreadable.exitCode
            }
            if output == .json {
                show(try judge(location, for: nil).status)
            } else {
                say("\(version)\n")
            }
            return 0
        }
    }

    /// Everything that can be told.
    func printStatus() throws -> Int32 {
        try locating { location in
            let judgement = try judge(location, for: nil)
            var status = judgement.status
            if judgement.facts.owner == .alive, let greeting = Greeting.ask(location, within: .seconds(1)) {
                status.readers = greeting.status.readers
                if status.owner.pid == nil { status.owner = greeting.status.owner }
            }
            if judgement.facts.store == .drifted { status.failure = judgement.problem?.message }
            if let error = judgement.error { explain(error.description) }
            switch output {
            case .text: say(StatusText(status, judgement.record).description)
            case .json: show(status)
            case .quiet: break
            }
            return judgement.verdict == .absent || judgement.verdict == .unreadable ? judgement.verdict.exitCode : 0
        }
    }

    func check() throws -> Int32 {
        try locating { location in
            tell(try judge(location, for: wanted, strict: isStrict))
        }
    }

    func wait() throws -> Int32 {
        let deadline = timeout.map { Deadline.after($0) } ?? .never
        let location: StoreLocation
        do {
            location = try StoreLocation(path: store, until: requiresOwner ? .now : deadline)
        } catch let error as StoreError {
            let code = unreachable(error)
            return deadline.hasPassed && timeout != .zero ? 5 : code
        }
        guard let wanted else { return 2 }
        if timeout == .zero { return tell(try judge(location, for: wanted, strict: isStrict)) }
        let waiter = StoreWaiter(location, for: wanted, strict: isStrict)
        var told = ""
        let outcome = try waiter.wait(
            until: deadline, requiresOwner: requiresOwner,
            onProgress: { progress in
                // Not every row: the log of a service should stay short.
                let line = "\(progress.verdict.rawValue)\(progress.stageName.map { ": \($0)" } ?? "")"
                if line != told { explain("waiting for \(wanted.version): \(line)") }
                told = line
            })
        let code = tell(outcome.judgement)
        if outcome.timedOut {
            explain("timed out after \(timeout.map { "\($0)" } ?? "a while")")
            return 5
        }
        return code
    }

    private var wanted: SchemaIdentity? { want.map { SchemaIdentity(version: $0) } }

    /// Prints a verdict in the form that was asked for.
    private func tell(_ judgement: Judgement) -> Int32 {
        if let error = judgement.error { explain(error.description) }
        switch output {
        case .text: say("\(judgement.verdict.rawValue)\n")
        case .json: show(judgement.status)
        case .quiet: break
        }
        return judgement.verdict.exitCode
    }

    /// Not even the folder can be reached.
    func unreachable(_ error: StoreError) -> Int32 {
        let isMissing = (error.cause as? SystemError)?.isMissing ?? false
        explain(error.description)
        if output == .json { show(Status(verdict: isMissing ? .absent : .unreadable, path: store)) }
        return Verdict.absent.exitCode
    }
}
