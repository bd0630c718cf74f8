/// Says of what lies at a place that a move has put it there, and from where.
package struct StoreMoveMark {
    package let source: String
    package let storeID: String
    package let epoch: Int64

    package static func path(at place: StoreLocation) -> String { place.keeper + "/moving" }

    /// Nil for one that is missing, or that was cut off in the middle: then nothing else has been put there.
    package static func read(at place: StoreLocation) -> StoreMoveMark? {
        guard let file = try? System.open(path(at: place), [.read, .nonBlocking]),
            let bytes = try? System.readAll(file, path: path(at: place), limit: 1 << 16)
        else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let epoch = Int64(parts[0]), parts[2].last == "\n" else { return nil }
        return StoreMoveMark(source: String(parts[2].dropLast()), storeID: String(parts[1]), epoch: epoch)
    }

    package func write(at place: StoreLocation) throws {
        let path = Self.path(at: place)
        let file = try System.open(path, [.write, .create, .exclusive], mode: 0o600)
        try System.writeAll(file, Array("\(epoch)\n\(storeID)\n\(source)\n".utf8), path: path)
        try System.sync(file, path: path)
        for folder in [place.keeper, place.folder] { try System.sync(System.open(folder, [.read, .folder]), path: folder) }
    }

    package init(source: String, storeID: String, epoch: Int64) {
        (self.source, self.storeID, self.epoch) = (source, storeID, epoch)
    }
}

extension StoreLocation {
    /// Why a copy that a killed move has left here is not the store: that one is still where it was. Nil for any other store.
    package var unfinishedMove: StoreError? {
        guard let mark = StoreMoveMark.read(at: self), (try? System.linkStat(mark.source)) != nil else { return nil }
        return StoreError(
            .unsuitablePlace, "\(store) is the copy of a move that was cut off: the store is still \(mark.source)",
            remedy: "move it once more, which finishes it", path: store)
    }
}
