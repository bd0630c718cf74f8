import StoreReader
import StoreShared
import StoreSQLite
import Synchronization

/// A store that another process owns: reads only, each in a checked snapshot.
final class ReaderStorage: ModelStorage {
    let storeIdentifier: String
    let allowsSave = false
    private let reader: StoreReader
    private let budget: Duration?
    private let asked = Atomic<UInt64>(0)
    private let isWatching = Atomic<Bool>(false)

    init(_ reader: StoreReader, budget: Duration?) {
        self.reader = reader
        self.budget = budget
        storeIdentifier = reader.storeID
    }

    /// Another number each time: the owner may have committed since, and lists of rows are read anew.
    var commitCount: UInt64 { asked.add(1, ordering: .relaxed).newValue }

    func read<T>(_ body: (Connection) throws -> T) throws -> T {
        try reader.read(budget: budget) { try body($0.equipped()) }
    }

    func write<T>(changing entities: Set<String>, _ body: (Connection) throws -> T) throws -> T {
        throw StoreError(.misuse, "a reader cannot write", remedy: "save in the process that owns the store")
    }

    /// Follows the owner's notices until the reader is closed. A notice comes after its commit, so that a read that follows sees it.
    func watchOthers() {
        guard !isWatching.exchange(true, ordering: .relaxed) else { return }
        let (changes, hub) = (reader.changes(), StoreHub.of(storeIdentifier))
        Task.detached {
            // Nothing is thrown: the sequence ends where the reader does.
            while let change = try? await changes.next() { hub.announce(change.entities.map(Array.init), isRemote: true) }
        }
    }

    func close() { reader.close() }
}
