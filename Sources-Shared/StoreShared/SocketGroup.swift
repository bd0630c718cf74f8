/// The group that may ask on the socket, also where it may not read the store.
///
/// Groups are looked up in `/etc/group` alone: the C library's lookup loads plug-ins, which a static program cannot.
package struct SocketGroup: Hashable, Sendable {
    package let id: UInt32

    /// - Parameter name: the name of a group, or its number.
    /// - Throws: `StoreError.misuse` for a group that does not exist.
    package init(_ name: String) throws {
        if let number = UInt32(name) {
            id = number
            return
        }
        let lines = ProcessIdentity.text("/etc/group", limit: 1 << 20)?.split(separator: "\n") ?? []
        let found = lines.lazy.map { $0.split(separator: ":", omittingEmptySubsequences: false) }.first { $0.count > 2 && $0[0] == name }
        guard let found, let number = UInt32(found[2]) else {
            throw StoreError(.misuse, "there is no group \(name) in /etc/group", remedy: "make it, or give its number")
        }
        id = number
    }

    /// Gives the socket to the group, and lets the group through the folder to it.
    package func share(_ socket: String, of location: StoreLocation) throws {
        do {
            try System.setGroup(socket, id)
            try System.setMode(socket, location.socketMode | 0o660)
            let folder = try System.stat(location.keeper)
            if folder.group != id { try System.setGroup(location.keeper, id) }
            if folder.mode & 0o010 == 0 { try System.setMode(location.keeper, folder.mode & 0o7777 | 0o010) }
        } catch {
            throw StoreError(
                .unsuitablePlace, "the socket of \(location.store) cannot be given to the group \(id)",
                remedy: "run the owner as a member of that group", path: location.socket, cause: error)
        }
    }
}
