/// The owner's socket as a file: bound under a temporary name and renamed into place, so that there is no moment without one.
package enum UnixSocket {
    /// Refuses to put a socket in the place of another kind of file.
    package static func checkPlace(_ location: StoreLocation) throws {
        let path = location.socket
        if let facts = try? System.linkStat(path), facts.kind != .socket {
            throw StoreError(
                .unsuitablePlace, "\(path) is not a socket but another kind of file", remedy: "move it away, then start the owner again",
                path: path)
        }
    }

    /// Listens. For the holder of the owner lock alone.
    ///
    /// - Parameters:
    ///   - epoch: the owner's.
    ///   - group: may connect besides those who may read the store.
    ///   - check: called just before the rename, as in `PublishedRecord.publish`; what it throws leaves the socket that is there.
    /// - Throws: `StoreError` when something that is no socket stands at the path, or the system refuses.
    package static func listen(
        _ location: StoreLocation, epoch: Int64, group: SocketGroup? = nil, unless check: () throws(StoreError) -> Void = {}
    ) throws -> Descriptor {
        try checkPlace(location)
        let path = location.socket
        let temporary = location.temporaryName(for: "socket", epoch: epoch)
        do {
            try? System.unlink(location.keeper + "/" + temporary)
            let listener = try System.unixSocket()
            try reach(location.keeper, temporary) { path throws(SystemError) in try System.bind(listener, path) }
            try System.setMode(location.keeper + "/" + temporary, location.socketMode)
            try group?.share(location.keeper + "/" + temporary, of: location)
            try System.listen(listener, path: path)
            try check()
            try System.rename(location.keeper + "/" + temporary, to: path)
            return listener
        } catch {
            try? System.unlink(location.keeper + "/" + temporary)
            if let error = error as? StoreError { throw error }
            throw StoreError(
                .system, "the socket \(path) cannot be made", remedy: (error as? SystemError)?.remedy ?? "see the cause", path: path,
                cause: error)
        }
    }

    /// Removes the socket. For the holder of the owner lock alone, where nobody can take the store over meanwhile.
    package static func remove(_ location: StoreLocation) {
        if (try? System.linkStat(location.socket))?.kind == .socket { try? System.unlink(location.socket) }
    }

    /// Connects without ever blocking longer than the deadline: a stopped owner's full queue must not hold anybody.
    static func connect(_ location: StoreLocation, until deadline: Deadline) throws(SystemError) -> Descriptor {
        while true {
            let socket = try System.unixSocket()
            do {
                try reach(location.keeper, "socket") { path throws(SystemError) in try System.connect(socket, path) }
                return socket
            } catch {
                // The queue of connections is full.
                guard error.wouldBlock, !deadline.hasPassed else { throw error }
                System.sleep(.milliseconds(5))
            }
        }
    }

    /// Calls with a path to the name in the folder that fits into a socket's address.
    private static func reach(_ folder: String, _ name: String, _ body: (String) throws(SystemError) -> Void) throws(SystemError) {
        let path = folder + "/" + name
        if path.utf8.count <= System.socketPathLimit { return try body(path) }
        let opened = try System.open(folder, [.pathOnly, .folder])
        try body("/proc/self/fd/\(opened.raw)/\(name)")
        withExtendedLifetime(opened) {}
    }
}
