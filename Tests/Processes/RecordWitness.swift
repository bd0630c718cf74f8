import Foundation
import StoreSQLite
import Testing

/// Looks at the record and then at the store: since the store was looked at later, it must be at least where the record says.
final class RecordWitness {
    private let path: String
    private let connection: Connection
    private(set) var looks = 0

    init(_ path: String) throws {
        self.path = path
        connection = try Connection(path: path, access: .readOnly)
    }

    deinit {
        connection.close()
    }

    /// The lines of a store's record by their keys; nil if there is none.
    static func fields(of path: String) -> [String: String]? {
        // It is another file than the store's own three, so reading it drops no lock.
        guard let text = try? String(contentsOfFile: "\(path).keeper/record", encoding: .utf8) else { return nil }
        var fields: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
        }
        return fields
    }

    /// Expects that the record is not ahead of the store; the version that the record says.
    @discardableResult
    func look(sourceLocation: SourceLocation = #_sourceLocation) throws -> String? {
        guard let fields = Self.fields(of: path) else { return nil }
        let recorded = Int64(fields["STORE_GENERATION"] ?? "") ?? 0
        let stored = try connection.reading { () -> (generation: Int64, version: String) in
            let version = try connection.scalar("SELECT value FROM storekeeper_metadata WHERE key = 'version'")
            guard case .integer(let generation)? = try connection.scalar("PRAGMA user_version"), case .text(let text)? = version else {
                return (0, "")
            }
            return (generation, text)
        }
        looks += 1
        #expect(recorded <= stored.generation, "the record is ahead of the store", sourceLocation: sourceLocation)
        if recorded == stored.generation {
            #expect(fields["STORE_VERSION"] == stored.version, sourceLocation: sourceLocation)
        }
        return fields["STORE_VERSION"]
    }
}
