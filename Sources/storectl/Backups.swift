import StoreMigration
import StoreOwner
import StoreReader
import StoreSQLite
import StoreShared

/// `storectl backup`: no owner's help, only the right to read.
extension Command {
    func backUp() throws -> Int32 {
        try answering { location in
            let cancellation = Cancellation()
            try TerminationSignals.cancel(cancellation)
            let began = Timestamp.now
            let target = try file.map { try Self.wholePath($0) }
            var made = ""
            // A snapshot that fails to be read may be tried again: nothing is written before the copy is whole.
            let metadata = try StoreSight.read(location) { connection, metadata in
                made = target ?? StoreBackup.name(for: metadata, at: location)
                try copy(connection, metadata, to: made, location, cancellation)
                do {
                    try SchemaDrift.checkMemory(connection, metadata)
                } catch let error as StoreError {
                    explain("warning: \(error.message); the backup holds the rows, but cannot be restored as it is")
                }
                return metadata
            }
            let size = (try? System.stat(made).size) ?? 0
            let seconds = began.seconds()
            let answer = BackupAnswer(
                backup: .init(
                    file: made, version: metadata.version.description, fingerprint: metadata.fingerprint.hex,
                    generation: metadata.generation, bytes: size, seconds: seconds))
            // Where it was put is the answer, unless the caller has said where.
            if output == .quiet, target == nil { say(made + "\n") }
            tell(answer, made + "\n")
            return 0
        }
    }

    /// The whole copy comes from the one snapshot of the open transaction: writers do not disturb it, nor it them.
    private func copy(
        _ connection: Connection, _ metadata: StoreMetadata, to target: String, _ location: StoreLocation, _ cancellation: Cancellation
    ) throws {
        do {
            if file == nil {
                try StoreBackup(connection: connection, location: location).prepareFolder()
                StoreCopy.removeLeftovers(in: location.backups)
            }
            try StoreCopy(to: target).make(
                from: connection, of: metadata, mode: location.fileMode, tick: { !cancellation.isCancelled },
                progress: { _, _ in
                    if cancellation.isCancelled {
                        throw StoreError(.cancelled, "the backup was stopped", remedy: "start it again", path: target)
                    }
                })
        } catch let error as SystemError {
            throw StoreError(
                .unsuitablePlace, "the backup \(target) could not be written",
                remedy: error.isDenied ? "choose a folder where this user may write" : "see the cause", path: target, cause: error)
        } catch let error as SQLiteError {
            if cancellation.isCancelled {
                throw StoreError(.cancelled, "the backup was stopped", remedy: "start it again", path: target)
            }
            // What lies with the store may pass by itself; what lies with the copy does not.
            guard error.path == location.store else {
                let remedy = error.code.primary == .cannotOpen ? "choose a folder where this user may write" : error.remedy
                throw StoreError(
                    .unsuitablePlace, "the backup \(target) could not be written", remedy: remedy, path: target, cause: error)
            }
            throw error
        }
    }

    /// The path without links in its folder, which must exist.
    static func wholePath(_ path: String) throws -> String {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        do {
            let real = try System.realPath(folder)
            return real == "/" ? "/" + name : real + "/" + name
        } catch {
            throw StoreError(
                .unsuitablePlace, "the folder of \(path) cannot be reached", remedy: "make it first, or correct the path", path: path,
                cause: error)
        }
    }
}

private struct BackupAnswer: Encodable {
    struct Backup: Encodable {
        let file: String
        let version: String
        let fingerprint: String
        let generation: Int64
        let bytes: Int64
        let seconds: Double
    }

    let backup: Backup
}
