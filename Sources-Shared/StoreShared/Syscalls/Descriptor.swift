import Glibc

/// A file descriptor that is closed when the last reference to it goes.
package final class Descriptor: Sendable {
    package let raw: Int32

    package init(_ raw: Int32) {
        self.raw = raw
    }

    deinit {
        // Never repeated: after EINTR the descriptor is gone on Linux.
        _ = close(raw)
    }
}
