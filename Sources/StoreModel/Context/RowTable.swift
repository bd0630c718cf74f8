import CStoreSystem
import Synchronization

/// The models of one entity that a context knows, by row number.
///
/// It holds none of them: a model leaves when its row is destroyed, which may happen on any thread. The lock covers that
/// and nothing else; all other use is the context's.
final class RowTable {
    let entity: EntityMapping
    /// Owns the table.
    private let owner: Unmanaged<ContextCore>
    /// One for all models that share a table.
    let index: SharedIndex

    init(_ entity: EntityMapping, core: ContextCore, index: SharedIndex) {
        self.entity = entity
        owner = Unmanaged.passUnretained(core)
        self.index = index
    }

    var core: ContextCore { owner.takeUnretainedValue() }

    /// As `ContextCore.isTracking`, without taking a reference to the core.
    func isTracking() -> Bool { owner._withUnsafeGuaranteedRef { $0.isTracking() } }

    /// Row numbers and rows, under a lock.
    final class SharedIndex {
        fileprivate let rows = Mutex(RowIndex())
    }

    /// The model of that row, if it is alive.
    func model(_ id: Int64) -> (any PersistentModel)? {
        index.rows.withLock { index in
            // A row in the table has not been freed, and its model's memory goes only after it: it leaves the table
            // first. The model's release may have begun, though, and then it must not come back to life.
            guard let pointer = index.find(id) else { return nil }
            return Unmanaged<ModelRow>.fromOpaque(pointer)._withUnsafeGuaranteedRef { row in
                guard let model = row.model else { return nil }
                let object = Unmanaged.passUnretained(model as AnyObject)
                guard store_try_retain(object.toOpaque()) != nil else { return nil }
                object.release()
                return model
            }
        }
    }

    /// The rows of the store whose models are there.
    var storedNumbers: [Int64] { index.rows.withLock { $0.keys.filter { $0 > 0 } } }

    /// Whether no model of the table is there.
    var isEmpty: Bool { index.rows.withLock { $0.isEmpty } }

    func insert(_ id: Int64, _ row: ModelRow) {
        let pointer = Unmanaged.passUnretained(row).toOpaque()
        index.rows.withLock { $0.insert(id, pointer) }
    }

    /// Forgets a row that is being destroyed.
    func remove(_ id: Int64, row: ModelRow) {
        let pointer = Unmanaged.passUnretained(row).toOpaque()
        index.rows.withLock { $0.remove(id, ifHolding: pointer) }
    }

    func remove(_ id: Int64) {
        index.rows.withLock { $0.remove(id, ifHolding: nil) }
    }
}

/// Open addressing by row number, with linear probing and no tombstones.
private struct RowIndex: ~Copyable, @unchecked Sendable {
    // Unchecked: the pointers are only compared and retained, under the lock of the table.
    private struct Place {
        /// 0 in a free place.
        var key: Int64 = 0
        var value: UnsafeMutableRawPointer?
    }

    private var places: UnsafeMutablePointer<Place>
    private var capacity = 16
    private var count = 0

    init() { places = Self.free(capacity) }

    deinit { places.deallocate() }

    private static func free(_ count: Int) -> UnsafeMutablePointer<Place> {
        let places = UnsafeMutablePointer<Place>.allocate(capacity: count)
        places.initialize(repeating: Place(), count: count)
        return places
    }

    var isEmpty: Bool { count == 0 }

    /// All keys, in no order.
    var keys: [Int64] { (0..<capacity).compactMap { places[$0].key == 0 ? nil : places[$0].key } }

    /// Numbers that follow each other lie side by side, 64 at a time: rows come and go in their order.
    private func home(_ key: Int64) -> Int {
        let mixed = UInt64(bitPattern: key >> 6) &* 0x9E37_79B9_7F4A_7C15
        return (Int(truncatingIfNeeded: mixed >> 26) & ~63 | Int(truncatingIfNeeded: key & 63)) & (capacity - 1)
    }

    /// Where the key is, or the free place where it would be.
    private func place(_ key: Int64) -> Int {
        var place = home(key)
        while places[place].key != 0, places[place].key != key { place = (place + 1) & (capacity - 1) }
        return place
    }

    func find(_ key: Int64) -> UnsafeMutableRawPointer? { places[place(key)].value }

    mutating func insert(_ key: Int64, _ value: UnsafeMutableRawPointer) {
        if (count + 1) * 4 > capacity * 3 { grow() }
        let place = place(key)
        if places[place].key == 0 { count += 1 }
        places[place] = Place(key: key, value: value)
    }

    /// Removes the key; with a value, only if it is still that one's.
    mutating func remove(_ key: Int64, ifHolding value: UnsafeMutableRawPointer?) {
        var hole = place(key)
        guard places[hole].key == key, value == nil || places[hole].value == value else { return }
        count -= 1
        // Those behind that would not be found over a hole move into it.
        var next = (hole + 1) & (capacity - 1)
        while places[next].key != 0 {
            let distance = (next - home(places[next].key)) & (capacity - 1)
            if distance >= (next - hole) & (capacity - 1) {
                places[hole] = places[next]
                hole = next
            }
            next = (next + 1) & (capacity - 1)
        }
        places[hole] = Place()
    }

    private mutating func grow() {
        let (old, oldCapacity) = (places, capacity)
        capacity *= 2
        places = Self.free(capacity)
        for index in 0..<oldCapacity where old[index].key != 0 { places[place(old[index].key)] = old[index] }
        old.deallocate()
    }
}
