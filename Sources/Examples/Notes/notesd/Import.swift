import Foundation
import NotesCommand
import NotesSchema
import Storekeeper

/// Fills an empty store at 1.0.0 from a package database: a package is a note, its section a folder, its dependencies are tags.
///
/// The packages are repeated until there are `count` notes. Every hundredth note is stored twice, as the importer of the
/// first release did: it knew no unique keys.
func importPackages(
    from path: String, count: Int?, into container: ModelContainer, log: EventLog, cancellation: Cancellation
) throws {
    let packages = try PackageDatabase(path: path).packages
    let count = count ?? packages.count
    if try ModelContext(container).fetchCount(FetchDescriptor<NotesVersion1_0.Note>()) > 0 {
        throw StoreError(.misuse, "the store has notes already", remedy: "import into a store that does not exist yet")
    }
    log.write(
        "importing", "\(grouped(count)) notes from the \(grouped(packages.count)) packages of \(path)",
        [("file", .text(path)), ("packages", .number(Int64(packages.count))), ("notes", .number(Int64(count)))])
    let progress = ProgressText("importing")
    var importer = Importer(packages: packages, container: container)
    for start in stride(from: 0, to: count, by: 2000) {
        if cancellation.isCancelled {
            throw StoreError(.cancelled, "the import was told to stop", remedy: "remove the store and import again")
        }
        try importer.insert(start..<min(count, start + 2000))
        let done = Int64(min(count, start + 2000))
        log.progress(
            line: progress(done: done, total: Int64(count)),
            [("rowsDone", .number(done)), ("rowsTotal", .number(Int64(count)))])
    }
    log.write("imported", "\(grouped(importer.inserted)) notes", [("notes", .number(Int64(importer.inserted)))])
}

/// Inserts notes batch by batch, each in a context of its own: a context lets go of its models when it goes away, so memory stays flat.
private struct Importer {
    private typealias Version = NotesVersion1_0

    private let packages: [Package]
    private let container: ModelContainer
    private var folders: [String: PersistentIdentifier] = [:]
    private var tags: [String: PersistentIdentifier] = [:]
    private(set) var inserted = 0

    init(packages: [Package], container: ModelContainer) {
        self.packages = packages
        self.container = container
    }

    mutating func insert(_ numbers: Range<Int>) throws {
        let context = ModelContext(container)
        var batchFolders: [String: Version.Folder] = [:]
        var batchTags: [String: Version.Tag] = [:]
        for number in numbers {
            let package = packages[number % packages.count]
            let folder = model(package.section, &batchFolders, folders, in: context) { Version.Folder(name: $0) }
            let noteTags = package.dependencies.map { model($0, &batchTags, tags, in: context) { Version.Tag(name: $0) } }
            for _ in 0..<(number % 100 == 99 ? 2 : 1) {
                let note = Version.Note(
                    key: key(of: package, number), title: package.synopsis, body: Data(package.description.utf8),
                    created: Date(timeIntervalSinceReferenceDate: Double(number) * 60))
                context.insert(note)
                note.folder = folder
                note.tags = noteTags
                inserted += 1
            }
        }
        try context.save()
        folders.merge(batchFolders.mapValues(\.persistentModelID)) { _, new in new }
        tags.merge(batchTags.mapValues(\.persistentModelID)) { _, new in new }
    }

    private func key(of package: Package, _ number: Int) -> String {
        let round = number / packages.count
        return round == 0 ? package.name : "\(package.name)#\(round + 1)"
    }

    /// The model of this name: the one of this batch, else the one of an earlier batch, else a new one.
    private func model<Model: PersistentModel>(
        _ name: String, _ batch: inout [String: Model], _ earlier: [String: PersistentIdentifier], in context: ModelContext,
        make: (String) -> Model
    ) -> Model {
        if let model = batch[name] { return model }
        if let id = earlier[name], let model = context.model(for: id) as? Model {
            batch[name] = model
            return model
        }
        let model = make(name)
        context.insert(model)
        batch[name] = model
        return model
    }
}
