// What ThreadSanitizer must say nothing of, and, with any argument, what it must report: four threads change a dictionary, under a
// Mutex, or half of the time without it.
import Glibc
import Synchronization

nonisolated final class Guarded: @unchecked Sendable {
    // The lock is passed by on purpose.
    let lock = Mutex(0)
    nonisolated(unsafe) var words: [Int: String] = [:]

    func change(_ number: Int) {
        words[number % 7, default: ""] += "x"
        if words[number % 7, default: ""].count > 5 { words = [:] }
    }
}

nonisolated let guarded = Guarded()
nonisolated let isRace = CommandLine.arguments.count > 1
nonisolated(unsafe) var plain = 0

nonisolated func run() {
    let threads = (0..<4).map { _ in
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { @Sendable _ in
                for number in 0..<3000 {
                    guarded.lock.withLock { _ in guarded.change(number) }
                    if isRace { plain += 1 }
                }
                return nil
            }, nil)
        return thread
    }
    for thread in threads { pthread_join(thread, nil) }
}

@main enum Race {
    static func main() { run() }
}
