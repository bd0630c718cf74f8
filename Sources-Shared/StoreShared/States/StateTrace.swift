#if STORE_FAULTS
import Synchronization

/// Tells a test what happens in which state, on the thread on which it happens: there it may be held up, stopped or killed.
package enum StateTrace {
    package typealias Hook = @Sendable (_ machine: StaticString, _ state: String, _ event: String) -> Void
    private static let hook = Mutex<Hook?>(nil)

    package static func setHook(_ new: Hook?) {
        hook.withLock { $0 = new }
    }

    package static func note(_ machine: StaticString, _ state: String, _ event: String) {
        hook.withLock { $0 }?(machine, state, event)
    }
}
#endif
