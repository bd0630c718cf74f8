import Foundation
import StoreSQLite

/// The tables that a store keeps its history in.
///
/// A transaction is a row; what it did to the rows of one entity in one way is another, with all their numbers in one blob: the history of a
/// large save is a few rows. The format is in `docs/format.md`.
enum HistoryTables {
    private static let statements = [
        """
        CREATE TABLE IF NOT EXISTS storekeeper_transactions(id INTEGER PRIMARY KEY AUTOINCREMENT, saved_at REAL NOT NULL, author TEXT, \
        program TEXT NOT NULL, process TEXT NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS storekeeper_changes(transaction_id INTEGER NOT NULL, number INTEGER NOT NULL, entity TEXT NOT NULL, \
        kind TEXT NOT NULL, rows BLOB NOT NULL, properties TEXT, tombstones TEXT, PRIMARY KEY (transaction_id, number)) WITHOUT ROWID
        """,
    ]

    static func exist(_ connection: Connection) throws -> Bool {
        try connection.scalar("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'storekeeper_changes'") != nil
    }

    /// Makes them in a store that has none.
    static func make(_ connection: Connection) throws {
        guard try !exist(connection) else { return }
        for statement in statements { try connection.execute(statement) }
    }
}

/// Row numbers in a blob: each as its difference from the one before, zigzag, seven bits a byte, the lowest first.
enum PackedRows {
    static func pack(_ rows: [Int64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rows.count)
        var last: Int64 = 0
        for row in rows {
            let difference = row &- last
            last = row
            var value = UInt64(bitPattern: (difference << 1) ^ (difference >> 63))
            while value >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
                value >>= 7
            }
            bytes.append(UInt8(value))
        }
        return bytes
    }

    /// What does not end is left out.
    static func unpack(_ bytes: [UInt8]) -> [Int64] {
        var rows: [Int64] = []
        var (last, value, shift): (Int64, UInt64, UInt64) = (0, 0, 0)
        for byte in bytes {
            value |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            last &+= Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
            rows.append(last)
            (value, shift) = (0, 0)
        }
        return rows
    }
}
