/// The results of a fetch, read from the store in batches when they are first asked for.
///
/// Which rows belong to it, and their order, were settled when it was fetched; the rows themselves are as they are when their batch is read.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
    public typealias Index = Int
    public typealias Indices = Range<Int>
    public typealias Iterator = IndexingIterator<FetchResultsCollection<Element>>
    public typealias SubSequence = Slice<FetchResultsCollection<Element>>

    private let batches: Batches

    /// 0.
    public var startIndex: Int { 0 }
    /// How many models there are.
    public var endIndex: Int { batches.count }

    /// The model at a place; its batch is read where it is not there.
    public subscript(position: Int) -> Element {
        precondition(indices.contains(position), "the index \(position) is out of the range 0..<\(endIndex) of the fetch results")
        return batches.element(at: position)
    }

    /// Results whose batches are read by `load`.
    ///
    /// - Parameters:
    ///   - count: how many results there are.
    ///   - batchSize: how many are read at a time; at least one.
    ///   - load: gives the results of a range, one for each position: a getter cannot throw, so it gives a substitute for what it cannot read.
    package init(count: Int, batchSize: Int, load: @escaping (Range<Int>) -> [Element]) {
        batches = Batches(count: count, size: Swift.max(batchSize, 1), load: load)
    }

    /// Results that have been read already.
    package init(_ elements: [Element]) {
        batches = Batches(count: elements.count, size: Swift.max(elements.count, 1)) { Array(elements[$0]) }
    }

    /// The batch that was read last: going through the collection once reads every row once and holds one batch.
    private final class Batches {
        let count: Int
        private let size: Int
        private let load: (Range<Int>) -> [Element]
        private var current: (range: Range<Int>, elements: [Element]) = (0..<0, [])

        init(count: Int, size: Int, load: @escaping (Range<Int>) -> [Element]) {
            (self.count, self.size, self.load) = (count, size, load)
        }

        func element(at position: Int) -> Element {
            if !current.range.contains(position) {
                let start = position / size * size
                let range = start..<Swift.min(start + size, count)
                current = (range, load(range))
            }
            return current.elements[position - current.range.lowerBound]
        }
    }
}
