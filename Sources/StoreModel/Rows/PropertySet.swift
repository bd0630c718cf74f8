/// Some of the properties of a model, by their indexes.
///
/// Nothing is allocated as long as none is above the 64th.
package struct PropertySet: Hashable, Sendable {
    /// Bit n: property n.
    private var low: UInt64
    /// The same for those from the 64th on, in words of 64; nil where there is none of them. The last word is not 0.
    private var high: [UInt64]?

    /// None.
    package init() { low = 0 }

    /// One property.
    package init(_ index: Int) {
        self.init()
        insert(index)
    }

    /// All properties of a model that has so many.
    package static func all(_ count: Int) -> PropertySet {
        var all = PropertySet()
        for index in 0..<count { all.insert(index) }
        return all
    }

    @inline(__always)
    package var isEmpty: Bool { low == 0 && high == nil }

    @inline(__always)
    package func contains(_ index: Int) -> Bool { index < 64 ? low & 1 << UInt64(index) != 0 : containsHigh(index - 64) }

    @inline(__always)
    package mutating func insert(_ index: Int) {
        if index < 64 {
            low |= 1 << UInt64(index)
        } else {
            insertHigh(index - 64)
        }
    }

    /// Takes one out.
    package mutating func remove(_ index: Int) {
        guard contains(index) else { return }
        if index < 64 {
            low &= ~(1 << UInt64(index))
        } else {
            var words = high ?? []
            words[(index - 64) / 64] &= ~(1 << UInt64(index % 64))
            while words.last == 0 { words.removeLast() }
            high = words.isEmpty ? nil : words
        }
    }

    private func containsHigh(_ bit: Int) -> Bool {
        guard let high, bit / 64 < high.count else { return false }
        return high[bit / 64] & 1 << UInt64(bit % 64) != 0
    }

    private mutating func insertHigh(_ bit: Int) {
        var words = high ?? []
        high = nil
        if words.count <= bit / 64 { words += Array(repeating: 0, count: bit / 64 + 1 - words.count) }
        words[bit / 64] |= 1 << UInt64(bit % 64)
        high = words
    }
}
