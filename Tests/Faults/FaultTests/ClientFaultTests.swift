#if STORE_FAULTS
import FaultHarness
import FaultPlan
import StoreReader
import StoreShared
import Testing

/// Clients of the socket: numbers 26 and 27 of the list of fault tests.
@Suite struct ClientFaultTests {
    @Test func fault26_aSlowClientHoldsNobodyUp() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1))
        func subscribe() throws -> LineClient {
            let client = try LineClient(stage.location, until: .after(.seconds(10)))
            try client.send(MessageCoding.line(Hello(role: .shell, wanted: nil)), until: .after(.seconds(10)))
            try client.send(MessageCoding.line(Request(.subscribe)), until: .after(.seconds(10)))
            return client
        }
        let slow = try subscribe()
        let fast = try (0..<200).map { _ in try subscribe() }
        // More than fits into the slow one's buffer.
        for round in 0..<400 {
            try stage(.write("o1", 1))
            guard round % 40 == 0 else { continue }
            for client in fast { while case .line = client.receive(until: .now) {} }
        }
        try stage(.migrate("o1", 2))
        for client in fast {
            var told = false
            while !told, case .line(let line) = client.receive(until: .after(.seconds(20))) {
                // Whatever the event is called: of those that were not sent yet only the newest is.
                told = MessageCoding.read(Event.self, line)?.status.store.version == "2.0.0"
            }
            #expect(told)
        }
        // The slow one has lost what came in between, and hears the newest state.
        var last: Event?
        while case .line(let line) = slow.receive(until: .after(.milliseconds(500))) { last = MessageCoding.read(Event.self, line) ?? last }
        #expect(last?.status.store.version == "2.0.0")
        try stage.end()
    }

    @Test func fault27_clientsLeaveBeforeTheyAreTold() throws {
        let stage = try FaultStage()
        try stage(.own("o1", 1))
        for round in 0..<1000 {
            let client = try LineClient(stage.location, until: .after(.seconds(10)))
            try client.send(MessageCoding.line(Hello(role: .shell, wanted: nil)), until: .after(.seconds(10)))
            try client.send(MessageCoding.line(Request(.subscribe)), until: .after(.seconds(10)))
            if round % 50 == 0 { try stage(.write("o1", 1)) }
        }
        #expect(stage.run.isAlive("o1"))
        #expect(try stage.answers())
        try stage.end()
    }
}
#endif
