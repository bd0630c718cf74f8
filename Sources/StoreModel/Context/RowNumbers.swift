/// The numbers of many rows, four bytes each as long as they are small enough.
struct RowNumbers {
    private var small: [UInt32] = []
    private var large: [Int64] = []

    init(expecting count: Int) { small.reserveCapacity(count) }

    var count: Int { small.count + large.count }

    /// From the first large number on, all that follow are kept in eight bytes.
    mutating func append(_ number: Int64) {
        if large.isEmpty, let number = UInt32(exactly: number) {
            small.append(number)
        } else {
            large.append(number)
        }
    }

    subscript(range: Range<Int>) -> [Int64] {
        range.map { $0 < small.count ? Int64(small[$0]) : large[$0 - small.count] }
    }
}
