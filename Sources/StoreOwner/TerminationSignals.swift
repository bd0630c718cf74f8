import StoreShared

/// SIGTERM and SIGINT for a program that is an owner.
public enum TerminationSignals {
    /// Turns the first SIGTERM or SIGINT into a cancellation, on a thread of its own. The second ends the process at once.
    ///
    /// Call it first thing in `main`: the signals are blocked in the calling thread and in every thread that it starts. A file that
    /// grows beyond the limit of the system does not end the process any more either.
    ///
    /// - Parameter status: the exit status of a process that a second signal ends. What was not committed the next owner undoes.
    /// - Throws: when the system has no thread left.
    public static func cancel(_ cancellation: Cancellation, status: Int32 = 5) throws {
        System.blockTermination()
        System.ignoreFileSizeLimit()
        try WorkerThread("storekeeper-sig") {
            System.waitForTermination()
            cancellation.cancel()
            System.waitForTermination()
            System.end(status)
        }.detach()
    }
}
