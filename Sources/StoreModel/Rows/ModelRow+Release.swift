import Glibc

extension ModelRow {
    /// Lets the models that a row holds go, when it goes itself.
    ///
    /// One after the other, however long the chain of models is that end with it: left to itself, each would be released from within
    /// the release of the one before, until the stack is full.
    final func releaseModels() {
        var visitor = GiveUp()
        for index in 0..<_count { _visit(index, &visitor) }
        if !visitor.models.isEmpty { ReleaseQueue.release(&visitor.models) }
    }
}

private struct GiveUp: SlotVisitor {
    var models: [any PersistentModel] = []
    mutating func visit<S: Slot>(_ slot: inout S) { slot.giveUp(to: &models) }
}

/// The models that wait for their release on a thread.
private final class ReleaseQueue {
    private var waiting: [any PersistentModel] = []

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Releases models, and those that go with them, before it returns; within another release of this thread, after that one.
    ///
    /// Takes them out of the list: whoever still held one would release it after the queue has come to its end, from within.
    static func release(_ models: inout [any PersistentModel]) {
        if let pointer = pthread_getspecific(key) {
            let queue = Unmanaged<ReleaseQueue>.fromOpaque(pointer).takeUnretainedValue()
            queue.waiting += models
            models = []
            return
        }
        let queue = ReleaseQueue()
        swap(&queue.waiting, &models)
        pthread_setspecific(key, Unmanaged.passUnretained(queue).toOpaque())
        while queue.waiting.popLast() != nil {}
        pthread_setspecific(key, nil)
        withExtendedLifetime(queue) {}
    }
}
