/// The record as a file: replaced whole by rename, durable with its folder, possible on a full disk.
extension PublishedRecord {
    /// Bytes set aside for a record on a full disk.
    private static let spareLength: Int64 = 8192

    /// Reads the record of a store. Never throws: whatever is there instead of a record is `broken`.
    package static func read(from location: StoreLocation) -> RecordReading {
        let bytes: [UInt8]
        do {
            guard let found = try contents(of: location.record) else { return .broken("not a regular file, or longer than \(limit) bytes") }
            bytes = found
        } catch {
            return error.isMissing ? .missing : .broken(error.description)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return .broken("not UTF-8") }
        do {
            return .valid(try PublishedRecord(text: text))
        } catch {
            return .broken(error.reason)
        }
    }

    private static func contents(of path: String) throws(SystemError) -> [UInt8]? {
        // Not to wait for a writer when somebody put a pipe there.
        let file = try System.open(path, [.read, .nonBlocking])
        let facts = try System.stat(file, path: path)
        guard facts.kind == .regular, facts.size <= limit else { return nil }
        return try System.readAll(file, path: path, limit: limit + 1)
    }

    /// Replaces the record of a store: temporary file, fsync, rename, fsync of the folder. For the owner alone.
    ///
    /// On a full disk the spare that was set aside earlier becomes the temporary file. An owner that comes removes the temporary files of
    /// those before it (`StoreLocation.removeLeftovers`), so that one which was superseded after the check finds nothing to rename.
    ///
    /// - Parameter check: called when the temporary file is there, just before the rename; what it throws leaves the record as it was.
    /// - Throws: `StoreError` with the path; the record that was there stays.
    package func publish(to location: StoreLocation, unless check: () throws(StoreError) -> Void = {}) throws {
        do {
            let temporary = try makeTemporary(at: location)
            do {
                try check()
                try Self.rename(temporary, over: location)
            } catch {
                try? System.unlink(temporary)
                throw error
            }
            try System.sync(try System.open(location.keeper, [.read, .folder]), path: location.keeper)
        } catch let error as SystemError {
            throw StoreError(
                .system, "the record \(location.record) could not be written", remedy: Self.remedy(error), path: location.record,
                cause: error)
        }
        Self.prepareSpare(at: location)
    }

    /// Sets bytes aside for a record on a full disk. Failing is no error: it is tried again with every record.
    package static func prepareSpare(at location: StoreLocation) {
        let path = spare(location)
        if let facts = try? System.linkStat(path), facts.kind == .regular, facts.size == spareLength { return }
        try? System.unlink(path)
        do {
            let file = try System.open(path, [.readWrite, .create, .exclusive], mode: 0o600)
            try location.giveToStoreOwner(file, path: path)
            try System.allocate(file, length: spareLength, path: path)
            try System.sync(file, path: path)
        } catch {
            try? System.unlink(path)
        }
    }

    private static func spare(_ location: StoreLocation) -> String { location.keeper + "/.record.spare" }

    /// Writes the record, durably, to a file whose name no other owner uses.
    private func makeTemporary(at location: StoreLocation) throws(SystemError) -> String {
        let path = location.keeper + "/" + location.temporaryName(for: "record", epoch: epoch)
        // What was begun and not removed.
        try? System.unlink(path)
        do throws(SystemError) {
            do throws(SystemError) {
                try write(to: path, made: try System.open(path, [.readWrite, .create, .exclusive], mode: location.fileMode), at: location)
            } catch {
                guard error.isFull else { throw error }
                try takeSpare(at: location, as: path, insteadOf: error)
                try write(to: path, made: try System.open(path, .readWrite), at: location)
            }
        } catch {
            try? System.unlink(path)
            throw error
        }
        return path
    }

    /// Without a spare it is the full disk that is the matter, and not that there is none.
    private func takeSpare(at location: StoreLocation, as path: String, insteadOf error: SystemError) throws(SystemError) {
        do {
            try System.rename(Self.spare(location), to: path)
        } catch let failure {
            throw failure.isMissing ? error : failure
        }
    }

    private func write(to path: String, made file: Descriptor, at location: StoreLocation) throws(SystemError) {
        let bytes = Array(text().utf8)
        try location.giveToStoreOwner(file, path: path)
        try System.setMode(file, location.fileMode, path: path)
        try System.writeAll(file, bytes, path: path)
        try System.truncate(file, to: Int64(bytes.count), path: path)
        try System.sync(file, path: path)
    }

    /// A folder in the record's place is moved aside: rename(2) does not replace it, and it holds nothing of ours.
    private static func rename(_ temporary: String, over location: StoreLocation) throws(SystemError) {
        do {
            try System.rename(temporary, to: location.record)
        } catch {
            guard error.isOfWrongKind else { throw error }
            try System.rename(location.record, to: location.record + ".folder.\(System.processID)")
            try System.rename(temporary, to: location.record)
        }
    }

    private static func remedy(_ error: SystemError) -> String {
        if error.isDenied { return "give the owner's user permission to write the folder" }
        if error.isMissing { return "do not remove the folder beside the store; the next owner makes it again" }
        return error.remedy ?? "see the cause"
    }
}
