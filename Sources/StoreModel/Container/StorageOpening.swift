import Foundation
import StoreMigration
import StoreOwner
import StoreReader
import StoreShared

/// Opens what a configuration names, in the role that it says.
struct StorageOpening {
    private let configuration: ModelConfiguration
    private let mapping: SchemaMapping
    private let plan: (any SchemaMigrationPlan.Type)?

    init(_ configuration: ModelConfiguration, _ mapping: SchemaMapping, _ plan: (any SchemaMigrationPlan.Type)?) {
        self.configuration = configuration
        self.mapping = mapping
        self.plan = plan
    }

    /// The plan is checked here too: a mistake in it shows in tests in memory.
    func inMemory() throws -> InMemoryStorage {
        let target = try TypedPlan(mapping, plan).plan.target
        return try InMemoryStorage(
            statements: target.statements, allowsSave: configuration.allowsSave, retention: configuration.historyRetention)
    }

    func owner(_ options: OwnerOptions) throws -> OwnerStorage {
        let plan = try TypedPlan(mapping, plan).plan
        try makeDefaultFolder()
        let location = try StoreLocation(path: path())
        let owner = try StoreOwner.shared(at: location, plan: plan, options: options)
        return OwnerStorage(owner, identity: plan.target.identity, retention: configuration.historyRetention)
    }

    /// A reader never migrates; a plan that it is given is checked and tells what it was built for.
    func reader(_ options: ReaderOptions) throws -> ReaderStorage {
        let identity = try TypedPlan(mapping, plan).plan.target.identity
        let reader = try StoreReader.open(
            at: path(), identity: identity, wait: options.wait, cancellation: options.cancellation,
            onProgress: options.onProgress)
        return ReaderStorage(reader, budget: options.readBudget)
    }

    private func path() throws -> String {
        guard configuration.url.isFileURL else {
            throw SwiftDataError.load("\(configuration.url) is not the URL of a file", remedy: "make it with URL(fileURLWithPath:)")
        }
        let name = configuration.url.lastPathComponent
        guard name.utf8.count <= Self.longestName else {
            throw SwiftDataError(
                .configurationFileNameTooLong,
                "the name of the file \(name.prefix(40))… has \(name.utf8.count) bytes, but only \(Self.longestName) have a place beside it "
                    + "for the files that belong to it", remedy: "give the store a shorter name")
        }
        return configuration.url.path
    }

    /// A name has at most 255 bytes, and the longest of a store's is that of SQLite's journal.
    private static let longestName = 255 - "-journal".utf8.count

    /// The folder of a store that has no place of its own; that of another must be there.
    private func makeDefaultFolder() throws {
        guard configuration.hasDefaultPlace else { return }
        let folder = configuration.url.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                .unsuitablePlace, "the folder \(folder.path) for stores without a place of their own cannot be made",
                remedy: "make it, or give the configuration a url", path: folder.path, cause: error)
        }
    }
}
