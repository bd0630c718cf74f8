import StoreShared

/// The folder of a plan: one folder a version, named by its number.
struct PlanFolder {
    /// The files of one version, as they are.
    struct Version {
        let version: SchemaVersion
        let schema: PlanFile
        let will: PlanFile?
        let did: PlanFile?
        let seed: PlanFile?
        let reverse: PlanFile?
        let stage: PlanFile?
        /// The folder itself.
        let path: String
    }

    /// What the files of a version may be called.
    private static let fileNames: Set<String> = ["schema.sql", "will.sql", "did.sql", "seed.sql", "reverse.sql", "stage.json"]

    let path: String
    /// From the lowest number to the highest.
    let versions: [Version]

    /// Reads every file of the plan.
    ///
    /// - Throws: `StoreError.planRefused` for a folder that cannot be read, has no version, or holds a folder that is no version; for a
    ///   version without schema.sql, and for SQL under a name that is never read.
    init(path: String) throws {
        self.path = path
        var numbers: [SchemaVersion] = []
        for name in try Self.names(in: path, "the plan") {
            let kind = (try? System.stat(path + "/" + name))?.kind
            // A file beside the versions is nobody's business, unless it stands where a version must be.
            guard kind == .folder || SchemaVersion(name) != nil else { continue }
            guard kind == .folder else {
                throw StoreError(
                    .planRefused, "\(path)/\(name): version \(name) of the plan is no folder that can be reached",
                    remedy: "make it a folder with a schema.sql, or move it away", path: path + "/" + name)
            }
            guard let version = SchemaVersion(name) else {
                throw StoreError(
                    .planRefused, "\(path): the folder \(name) is no version",
                    remedy: "name it by three numbers, such as 2.0.0, or move it away",
                    path: path)
            }
            numbers.append(version)
        }
        guard !numbers.isEmpty else {
            throw StoreError(
                .planRefused, "\(path): the plan has no version", remedy: "make a folder such as 1.0.0 with a schema.sql in it", path: path)
        }
        versions = try numbers.sorted().map { try Self.read($0, in: path) }
    }

    private static func read(_ version: SchemaVersion, in plan: String) throws -> Version {
        let folder = "\(plan)/\(version)"
        let names = try Set(names(in: folder, "version \(version)"))
        for name in names.sorted(by: SQLName.precedes) where !fileNames.contains(name) && isSource(name) {
            throw StoreError(
                .planRefused, "\(version)/\(name): a plan has no file of this name, and would never read it",
                remedy: "name it as one of \(fileNames.sorted(by: SQLName.precedes).joined(separator: ", ")), or move it away",
                path: folder + "/" + name)
        }
        func file(_ name: String) throws -> PlanFile? {
            names.contains(name) ? try PlanFile(name: "\(version)/\(name)", path: "\(folder)/\(name)") : nil
        }
        guard let schema = try file("schema.sql") else {
            throw StoreError(
                .planRefused, "\(version)/schema.sql: the file is missing", remedy: "write the whole schema of version \(version) into it",
                path: folder)
        }
        return Version(
            version: version, schema: schema, will: try file("will.sql"), did: try file("did.sql"), seed: try file("seed.sql"),
            reverse: try file("reverse.sql"), stage: try file("stage.json"), path: folder)
    }

    private static func isSource(_ name: String) -> Bool {
        !name.hasPrefix(".") && (name.hasSuffix(".sql") || name.hasSuffix(".json"))
    }

    /// The names in a folder that are not hidden.
    private static func names(in path: String, _ what: String) throws -> [String] {
        do {
            return try System.names(in: path).filter { !$0.hasPrefix(".") }
        } catch {
            throw StoreError(
                .planRefused, "\(path): the folder of \(what) cannot be read", remedy: "check that it exists and may be read", path: path,
                cause: error)
        }
    }
}
