/// Counts over all notes of a store, and a digest of what they say. Equal for equal content, in whatever version and order it is stored.
public struct NotesSurvey: Equatable, Sendable {
    /// Notes as they are stored, with those that are stored twice.
    public private(set) var notes = 0
    /// Different notes.
    public private(set) var distinct = 0
    /// Pairs of a different note and a tag.
    public private(set) var links = 0
    /// Words of the different notes, as counted in their bodies.
    public private(set) var words = 0
    public var folders = 0
    public var tags = 0
    private var sums: (UInt64, UInt64) = (0, 0)
    private var key = ""
    private var seen: Set<UInt64> = []

    public init() {}

    /// Adds a note. Notes with the same key must come one after another.
    public mutating func add(_ note: NoteContent) {
        notes += 1
        if note.key != key {
            key = note.key
            seen = []
        }
        let hash = note.hash(seed: 0xcbf2_9ce4_8422_2325)
        guard seen.insert(hash).inserted else { return }
        distinct += 1
        links += note.tags.count
        words += wordCount(ofUTF8: note.body)
        sums.0 &+= hash
        sums.1 &+= note.hash(seed: 0x9e37_79b9_7f4a_7c15)
    }

    /// 32 hexadecimal digits: two sums over the hashes of the different notes, which come out the same in any order.
    public var digest: String {
        [sums.0, sums.1].map { sum in
            let digits = String(sum, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.notes == right.notes && left.distinct == right.distinct && left.links == right.links && left.words == right.words
            && left.folders == right.folders && left.tags == right.tags && left.sums == right.sums
    }
}

extension NoteContent {
    /// FNV-1a over every field with its length, then mixed so that sums of it spread. It finds accidents, not forgeries.
    fileprivate func hash(seed: UInt64) -> UInt64 {
        var hash = seed
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        func add(_ bytes: some Collection<UInt8>) {
            var count = bytes.count
            repeat {
                add(UInt8(truncatingIfNeeded: count))
                count >>= 8
            } while count > 0
            for byte in bytes { add(byte) }
        }
        add(key.utf8)
        add(title.utf8)
        add(body)
        add(folder.utf8)
        for tag in tags { add(tag.utf8) }
        hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
        return hash ^ (hash >> 31)
    }
}
