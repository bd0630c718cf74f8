import StoreReader
import StoreShared

/// `storectl readers`: those who speak to the owner, and those whom the kernel's table of locks knows.
extension Command {
    func printReaders() throws -> Int32 {
        try answering { location in
            _ = try StoreSight.read(location) { _, metadata in metadata }
            let readers = Self.readers(of: location)
            tell(ReadersAnswer(readers: readers), ReadersText(readers).description)
            return 0
        }
    }

    /// Everybody who reads now, by process.
    static func readers(of location: StoreLocation) -> [ReaderDescription] {
        var readers = OwnerRequest.readers(of: location) ?? []
        let known = Set(readers.map(\.pid))
        // The owner's own snapshots pass by themselves.
        let owner = PublishedRecord.read(from: location).record?.owner.pid
        for pid in silentReaders(of: location) where !known.contains(pid) && pid != owner && pid != System.processID {
            readers.append(
                ReaderDescription(
                    pid: pid, uid: (try? System.stat("/proc/\(pid)"))?.owner, version: nil, since: nil, snapshotAge: nil, speaks: false))
        }
        return readers.sorted { $0.pid < $1.pid }
    }

    /// Who holds a snapshot or the gate, spoken to or not.
    private static func silentReaders(of location: StoreLocation) -> Set<Int32> {
        Set(KernelLocks.snapshotHolders(of: location) + KernelLocks.gateHolders(of: location))
    }
}

private struct ReadersAnswer: Encodable {
    let readers: [ReaderDescription]
}

/// The readers for a person, a line each.
private struct ReadersText: CustomStringConvertible {
    let readers: [ReaderDescription]

    init(_ readers: [ReaderDescription]) {
        self.readers = readers
    }

    var description: String {
        TextTable(
            readers.map { reader in
                [
                    "pid \(reader.pid)", reader.uid.map { "user \($0)" } ?? "", reader.version.map { "built for \($0)" } ?? "",
                    reader.since.map { "since \($0)" } ?? "",
                    reader.snapshotAge.map { "snapshot of \($0) s ago" }
                        ?? (reader.speaks ? "" : "holds a snapshot or the gate, does not speak"),
                ]
            }
        ).description
    }
}
