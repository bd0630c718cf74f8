import StoreShared

/// Room on a file system.
package enum FreeSpace {
    /// Bytes that an ordinary user may still write on the file system of `path`; nil if it cannot be told.
    package static func bytes(at path: String) -> Int64? {
        try? System.freeSpace(at: path)
    }
}
