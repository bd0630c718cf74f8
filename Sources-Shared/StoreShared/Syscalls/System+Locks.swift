import CStoreSystem
import Glibc

/// Open-file-description locks: fcntl(2).
extension System {
    package enum Lock: Sendable { case shared, exclusive, none }

    /// Sets or clears an open-file-description lock on one byte. False when another holds it.
    package static func setLock(_ file: Descriptor, _ lock: Lock, byte: Int64, path: String) throws(SystemError) -> Bool {
        let type =
            switch lock {
            case .shared: Int16(F_RDLCK)
            case .exclusive: Int16(F_WRLCK)
            case .none: Int16(F_UNLCK)
            }
        do {
            try run("fcntl(F_OFD_SETLK)", path) { store_lock_set(file.raw, type, off_t(byte), 1) }
            return true
        } catch {
            if error.number == EAGAIN || error.number == EACCES { return false }
            throw error
        }
    }

    /// Whether somebody else's exclusive lock lies on that byte; takes nothing.
    package static func isLocked(_ file: Descriptor, byte: Int64, path: String) throws(SystemError) -> Bool {
        var type = Int16(F_RDLCK)
        try run("fcntl(F_OFD_GETLK)", path) { store_lock_get(file.raw, &type, off_t(byte), 1) }
        return type != Int16(F_UNLCK)
    }
}
