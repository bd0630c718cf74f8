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
    package func drain() {
        while let bytes = try? System.readSome(file), !bytes.isEmpty {}
    }
}
