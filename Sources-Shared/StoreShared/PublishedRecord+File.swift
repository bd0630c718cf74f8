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
    /// On a full disk the spare that was set aside earlier takes the place of the temporary file.
    /// - Throws: `StoreError` with the path; the record that was there stays.
    package func publish(to location: StoreLocation) throws {
        do {
            try replace(with: Array(text().utf8), mode: location.fileMode, at: location)
            try System.sync(try System.open(location.keeper, [.read, .folder]), path: location.keeper)
        } catch {
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

    private func replace(with bytes: [UInt8], mode: UInt32, at location: StoreLocation) throws(SystemError) {
        do {
            try write(bytes, mode: mode, to: location)
        } catch {
            guard error.isFull else { throw error }
            try useSpare(bytes, mode: mode, at: location)
        }
    }

    private func write(_ bytes: [UInt8], mode: UInt32, to location: StoreLocation) throws(SystemError) {
        let temporary = location.keeper + "/.record.\(System.processID).tmp"
        // What a killed owner with our pid left there.
        try? System.unlink(temporary)
        let file = try System.open(temporary, [.readWrite, .create, .exclusive], mode: mode)
        do {
            try location.giveToStoreOwner(file, path: temporary)
            try System.setMode(file, mode, path: temporary)
            try System.writeAll(file, bytes, path: temporary)
            try System.sync(file, path: temporary)
            try rename(temporary, over: location)
        } catch {
            try? System.unlink(temporary)
            throw error
        }
    }

    private func useSpare(_ bytes: [UInt8], mode: UInt32, at location: StoreLocation) throws(SystemError) {
        let path = Self.spare(location)
        let file = try System.open(path, .readWrite)
        try System.writeAll(file, bytes, path: path)
        try System.truncate(file, to: Int64(bytes.count), path: path)
        try System.setMode(file, mode, path: path)
        try System.sync(file, path: path)
        try rename(path, over: location)
    }

    /// A folder in the record's place is moved aside: rename(2) does not replace it, and it holds nothing of ours.
    private func rename(_ temporary: String, over location: StoreLocation) throws(SystemError) {
        do {
            try System.rename(temporary, to: location.record)
        } catch {
            guard error.isOfWrongKind else { throw error }
            try System.rename(location.record, to: location.record + ".folder.\(System.processID)")
            try System.rename(temporary, to: location.record)
        }
    }

    private static func remedy(_ error: SystemError) -> String {
        if error.isFull { return "free some space on the disk" }
        if error.isDenied { return "give the owner's user permission to write the folder" }
        if error.isMissing { return "do not remove the folder beside the store; the next owner makes it again" }
        return "see the cause"
    }
}
