/// A list of models that grows one by one, where the compiler does not know their type.
///
/// An `Array` there looks its own type up for each element, which costs a fetch one part in twenty.
struct ModelList<Model: AnyObject>: ~Copyable {
    private var place: UnsafeMutablePointer<Model>
    private var capacity = 64
    private(set) var count = 0

    init() { place = .allocate(capacity: 64) }

    deinit {
        place.deinitialize(count: count)
        place.deallocate()
    }

    @inline(__always)
    mutating func append(_ model: consuming Model) {
        if count == capacity { grow() }
        (place + count).initialize(to: model)
        count += 1
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Model>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: place, count: count)
        place.deallocate()
        place = larger
        capacity *= 2
    }

    /// The models as an array; the list is empty then.
    mutating func take() -> [Model] {
        Array(unsafeUninitializedCapacity: count) { buffer, taken in
            buffer.baseAddress?.moveInitialize(from: place, count: count)
            (taken, count) = (count, 0)
        }
    }
}
