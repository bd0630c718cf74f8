import Glibc

/// What stat(2) says that we ask for.
package struct FileFacts: Hashable, Sendable {
    package enum Kind: Sendable { case regular, folder, socket, link, other }
    package let device: UInt64
    package let inode: UInt64
    package let mode: UInt32
    package let links: UInt64
    package let owner: UInt32
    package let group: UInt32
    /// Bytes.
    package let size: Int64

    package var kind: Kind {
        switch mode & UInt32(S_IFMT) {
        case UInt32(S_IFREG): .regular
        case UInt32(S_IFDIR): .folder
        case UInt32(S_IFSOCK): .socket
        case UInt32(S_IFLNK): .link
        default: .other
        }
    }
    /// The permission bits, 0o777 at most.
    package var permissions: UInt32 { mode & 0o777 }
}

extension FileFacts {
    init(_ found: stat) {
        self.init(
            device: UInt64(found.st_dev), inode: UInt64(found.st_ino), mode: UInt32(found.st_mode), links: UInt64(found.st_nlink),
            owner: UInt32(found.st_uid), group: UInt32(found.st_gid), size: Int64(found.st_size))
    }
}
