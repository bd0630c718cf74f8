import Glibc
import StoreShared

/// SIGTERM and SIGINT for a program that is an owner.
public enum TerminationSignals {
    /// Turns the first SIGTERM or SIGINT into a cancellation, on a thread of its own. The second ends the process at once.
    ///
    /// Call it first thing in `main`: the signals are blocked in the calling thread and in every thread that it starts.
    ///
    /// - Parameter status: the exit status of a process that a second signal ends. What was not committed the next owner undoes.
    /// - Throws: when the system has no thread left.
    public static func cancel(_ cancellation: Cancellation, status: Int32 = 5) throws {
        var signals = set
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        try WorkerThread("storekeeper-sig") {
            wait()
            cancellation.cancel()
            wait()
            System.end(status)
        }.detach()
    }

    private static func wait() {
        var signals = set
        var signal: Int32 = 0
        while sigwait(&signals, &signal) != 0 {}
    }

    private static var set: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }
}
