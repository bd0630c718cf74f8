import Glibc

#if STORE_FAULTS
import StoreSQLite
#endif

/// Every system call of the package below the models: thin, EINTR repeated, failure thrown with its path.
package enum System {
    #if STORE_FAULTS
    /// Tests put failures here; release builds do not have it.
    package static let faults = FaultTable()
    #endif

    /// Runs a call that returns a negative number on failure, again while a signal interrupts it.
    @discardableResult
    static func run<Result: SignedInteger>(_ call: StaticString, _ path: @autoclosure () -> String, _ body: () -> Result)
        throws(SystemError) -> Result
    {
        while true {
            #if STORE_FAULTS
            if let number = faults.next("\(call)") {
                if number == EINTR { continue }
                throw SystemError(call: "\(call)", path: path(), number: number)
            }
            defer { FailPoint.pass("\(call) \(path())") }
            #endif
            let result = body()
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { throw SystemError(call: "\(call)", path: path(), number: number) }
        }
    }

    /// As `run`, for a call that returns a null pointer on failure.
    static func runPointer<Pointer>(_ call: StaticString, _ path: @autoclosure () -> String, _ body: () -> Pointer?)
        throws(SystemError) -> Pointer
    {
        var found: Pointer?
        while true {
            try run(call, path()) {
                found = body()
                return found == nil ? -1 : 0
            }
            if let found { return found }
        }
    }
}
