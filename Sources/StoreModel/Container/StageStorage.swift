import StoreMigration
import StoreShared
import StoreSQLite

/// A store in the middle of a stage: the owner's one connection, inside the stage's transaction.
///
/// Each save is a savepoint, so that what the stage's code saved is undone with the stage. Used on the thread of the
/// migration, while the stage's code runs; afterwards it throws.
final class StageStorage: ModelStorage {
    let storeIdentifier: String
    private var stage: StageContext?
    private(set) var commitCount: UInt64 = 0

    init(_ stage: StageContext) throws {
        self.stage = stage
        storeIdentifier = try StoreMetadata.read(stage.connection)?.storeID ?? ""
    }

    /// What a migration does to rows is in the store's own history of versions.
    let historyRetention: HistoryRetention? = nil

    var allowsSave: Bool { stage?.isReadOnly == false }

    /// So that the code of a stage can go through any number of rows in little memory. What SQLite keeps to undo the save of so many rows
    /// mostly fits into the 64 KB that it keeps in memory; beyond them it writes a file, which made a stage a tenth slower.
    var pendingLimit: Int? { 200 }

    var isStage: Bool { true }

    private func open() throws -> StageContext {
        guard let stage else {
            throw StoreError(.misuse, "the stage of a migration is over", remedy: "use its context within its closure only")
        }
        return stage
    }

    func read<T>(_ body: (Connection) throws -> T) throws -> T { try body(open().connection.equipped()) }

    func write<T>(changing entities: Set<String>, _ body: (Connection) throws -> T) throws -> T {
        let stage = try open()
        guard !stage.isReadOnly else {
            throw StoreError(.misuse, "the old side of a mapped stage can only be read", remedy: "write through the new context")
        }
        let connection = try stage.connection.equipped()
        let result = try connection.savepoint { try body(connection) }
        commitCount += 1
        try stage.advance(rows: 0)
        return result
    }

    func expect(rows: Int) { stage?.expect(rows: rows) }

    func advance(rows: Int) throws { try open().advance(rows: rows) }

    func close() { stage = nil }
}
