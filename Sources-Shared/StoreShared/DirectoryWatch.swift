/// Tells that something in a folder changed: for those who wait without an owner to tell them.
///
/// The folder is watched, not a file in it: a watch on a file dies with the first rename. One instance a wait, since a user
/// has 128; where there is none left, the caller goes on by its ticks alone.
package final class DirectoryWatch {
    private let file: Descriptor

    /// - Parameter creations: whether it also tells of what is made there; else only of what is renamed into it or removed, which is one
    ///   event for each publication.
    /// - Throws: `SystemError` when the folder is missing or the system has no instance left.
    package init(folder: String, creations: Bool) throws(SystemError) {
        file = try System.watch(folder: folder, creations: creations)
    }

    /// For poll(2).
    package var descriptor: Int32 { file.raw }

    /// Takes the events that are there; what they say does not matter, only that the world is to be judged again.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func drain() -> Int {
        var count = 0
        while let bytes = try? System.readSome(file), !bytes.isEmpty {
            // inotify(7): 16 bytes, the last four the length of the name that follows.
            var start = 0
            while start + 16 <= bytes.count {
                count += 1
                start += 16 + bytes[(start + 12)..<(start + 16)].reversed().reduce(0) { $0 << 8 | Int($1) }
            }
        }
        return count
    }
}
