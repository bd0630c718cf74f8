#if STORE_FAULTS
import Glibc
import StoreShared

/// What is to happen to this process when it comes to some event in some state.
struct Trap {
    enum Action: String {
        /// Ends as by `kill -9`, there and then.
        case kill
        /// Stops the whole process as by SIGSTOP.
        case stop
        /// Holds up the thread that came there; the others go on.
        case hold
    }

    let machine: String
    let state: String
    let event: String
    /// How often it may come there before.
    var passes: Int
    let action: Action
}

/// Tells the harness of each (state, event), and springs the traps.
final class Traps: @unchecked Sendable {
    // Under the latch.
    private var traps: [Trap] = []
    private var isHolding = true
    private var held = 0
    private let latch = Latch()

    func set(_ trap: Trap) {
        latch.change {
            isHolding = true
            traps.append(trap)
        }
    }

    /// Lets everything go on, and takes every trap away.
    func release() {
        latch.change {
            traps = []
            isHolding = false
        }
    }

    func pass(_ machine: String, _ state: String, _ event: String) {
        Wire.say("~ \(machine) \(state) \(event)")
        let action: Trap.Action? = latch.change {
            guard let index = traps.firstIndex(where: { $0.machine == machine && $0.state == state && $0.event == event }) else {
                return nil
            }
            guard traps[index].passes == 0 else {
                traps[index].passes -= 1
                return nil
            }
            return traps.remove(at: index).action
        }
        switch action {
        case .kill:
            kill(getpid(), SIGKILL)
            while true { pause() }
        case .stop:
            Wire.say("! stopped \(machine) \(state) \(event)")
            kill(getpid(), SIGSTOP)
        case .hold:
            Wire.say("! held \(machine) \(state) \(event)")
            _ = latch.wait { isHolding ? nil : true }
        case nil:
            return
        }
    }
}
#endif
