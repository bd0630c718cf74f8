import Glibc

/// A system call that failed: which, on what, with which error number.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    package let call: String
    package let path: String
    package let number: Int32

    package init(call: String, path: String, number: Int32) {
        (self.call, self.path, self.number) = (call, path, number)
    }

    package var description: String { "\(call)\(path.isEmpty ? "" : " " + path): \(String(cString: strerror(number)))" }

    /// What a person can do about it; nil where that depends on what was to be done.
    package var remedy: String? {
        switch number {
        case ENOSPC: "make room on the file system: bytes, or files where it has no inode left"
        case EDQUOT: "make room within the user's quota"
        case EFBIG: "raise the limit of the size of files"
        case EMFILE, ENFILE: "raise the limit of open files"
        case ENOMEM: "make memory free"
        case EROFS: "the file system is mounted read-only: mount it for writing"
        case EIO: "check the disk"
        case ELOOP, EISDIR, ENXIO, ENOTDIR: "move away what stands there instead, while no owner runs"
        case EACCES, EPERM: "check the permissions of it and of every folder above it"
        default: nil
        }
    }

    package var isMissing: Bool { number == ENOENT || number == ENOTDIR }
    package var isDenied: Bool { number == EACCES || number == EPERM }
    package var isFull: Bool { number == ENOSPC || number == EDQUOT || number == EFBIG }
    package var isExhausted: Bool { number == EMFILE || number == ENFILE }
    package var wouldBlock: Bool { number == EAGAIN }
    /// Of the machine as it is now, and not of what was asked of it.
    package var isOfTheMoment: Bool {
        isFull || isExhausted || isDenied || wouldBlock || number == EIO || number == ENOMEM || number == EROFS
    }
    /// A symbolic link or a folder where a file was to be.
    package var isOfWrongKind: Bool { number == ELOOP || number == EISDIR || number == ENXIO }
    package var exists: Bool { number == EEXIST }
    /// A folder that is to be removed and has something in it.
    package var isNotEmpty: Bool { number == ENOTEMPTY || number == EEXIST }
    /// A name that is not UTF-8.
    package var isNoText: Bool { number == EILSEQ }
    /// Whoever listened at the socket ended in the middle.
    package var isBrokenOff: Bool { number == ECONNRESET || number == EPIPE }
    /// Nobody listens at the socket.
    package var isRefused: Bool { number == ECONNREFUSED || number == ECONNRESET || number == EPIPE || number == EPROTOTYPE }
}
