import Foundation

/// Where a container keeps its models, and as what it opens that place.
///
/// With `allowsSave`, which is the default, a container becomes the store's owner: it migrates, publishes and writes.
/// Without, it is a reader.
public struct ModelConfiguration: Identifiable, Hashable, Sendable {
    public let url: URL
    public let name: String
    public let groupAppContainerIdentifier: String?
    public let cloudKitContainerIdentifier: String?
    public let groupContainer: GroupContainer
    /// Accepted and without effect: there is no CloudKit here.
    public let cloudKitDatabase: CloudKitDatabase
    public var schema: Schema?
    public let allowsSave: Bool
    public let isStoredInMemoryOnly: Bool
    /// How much of the store's history its owner keeps: all of it, unless bounds are set before the container is made.
    public var historyRetention = HistoryRetention.unlimited
    /// Whether the place is the one that is chosen where none is named.
    let hasDefaultPlace: Bool

    /// Which cloud database a store is mirrored to. Accepted and without effect: there is no CloudKit here.
    public struct CloudKitDatabase: Sendable {
        let privateName: String?
        public static var automatic: CloudKitDatabase { CloudKitDatabase(privateName: nil) }
        public static var none: CloudKitDatabase { CloudKitDatabase(privateName: nil) }
        public static func `private`(_ privateDBName: String) -> CloudKitDatabase { CloudKitDatabase(privateName: privateDBName) }
    }

    /// A folder that several programs share: `$XDG_STATE_HOME/<name>`, or `~/.local/state/<name>`.
    public struct GroupContainer: Sendable {
        let identifier: String?
        /// The user's folder for application data: a program on Linux has no entitlement that names a group.
        public static var automatic: GroupContainer { GroupContainer(identifier: nil) }
        public static var none: GroupContainer { GroupContainer(identifier: nil) }
        public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer(identifier: groupName) }
    }

    public init(isStoredInMemoryOnly: Bool = false) {
        self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
        self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    /// A store of this name in the user's folder for application data, `$XDG_DATA_HOME` or `~/.local/share`, or in that of a group.
    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
        groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        self.name = name ?? "default"
        self.schema = schema
        self.allowsSave = allowsSave
        self.isStoredInMemoryOnly = isStoredInMemoryOnly
        self.groupContainer = groupContainer
        self.cloudKitDatabase = cloudKitDatabase
        groupAppContainerIdentifier = groupContainer.identifier
        cloudKitContainerIdentifier = cloudKitDatabase.privateName
        hasDefaultPlace = !isStoredInMemoryOnly
        url =
            isStoredInMemoryOnly
            ? URL(fileURLWithPath: "/dev/null") : Self.folder(of: groupContainer).appendingPathComponent("\(self.name).store")
    }

    public init(
        _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true, cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        self.name = name ?? url.deletingPathExtension().lastPathComponent
        self.schema = schema
        self.allowsSave = allowsSave
        self.cloudKitDatabase = cloudKitDatabase
        groupContainer = .none
        groupAppContainerIdentifier = nil
        cloudKitContainerIdentifier = cloudKitDatabase.privateName
        isStoredInMemoryOnly = false
        hasDefaultPlace = false
        self.url = url
    }

    private static func folder(of group: GroupContainer) -> URL {
        if let group = group.identifier {
            return userFolder("XDG_STATE_HOME", else: ".local/state").appendingPathComponent(group, isDirectory: true)
        }
        return userFolder("XDG_DATA_HOME", else: ".local/share")
    }

    private static func userFolder(_ variable: String, else path: String) -> URL {
        if let folder = ProcessInfo.processInfo.environment[variable], folder.hasPrefix("/") {
            return URL(fileURLWithPath: folder, isDirectory: true)
        }
        return URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true).appendingPathComponent(path, isDirectory: true)
    }

    public var id: URL { url }

    public static func == (left: ModelConfiguration, right: ModelConfiguration) -> Bool {
        left.url == right.url && left.name == right.name && left.allowsSave == right.allowsSave
            && left.isStoredInMemoryOnly == right.isStoredInMemoryOnly
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(name)
    }
}

extension ModelConfiguration: CustomDebugStringConvertible {
    public var debugDescription: String {
        isStoredInMemoryOnly ? "\(name) in memory" : "\(name) at \(url.path)\(allowsSave ? "" : ", read only")"
    }
}

extension ModelConfiguration: DataStoreConfiguration {
    public typealias Store = DefaultStore

    /// - Throws: `SwiftDataError.configurationFileNameTooLong` or `.configurationFileNameContainsInvalidCharacters`, for a name that no file
    ///   can have.
    public func validate() throws {
        guard !isStoredInMemoryOnly else { return }
        let fileName = hasDefaultPlace ? "\(name).store" : url.lastPathComponent
        if hasDefaultPlace, name.isEmpty || name.contains("/") || name.contains("\0") || name == "." || name == ".." {
            throw SwiftDataError(
                .configurationFileNameContainsInvalidCharacters, "\"\(name)\" cannot be the name of a store's file",
                remedy: "give the configuration a name without a slash, or a url")
        }
        // The sidecar folder's name is the longest that stands beside it.
        let longest = fileName.utf8.count + ".keeper".utf8.count
        guard longest > 255 else { return }
        throw SwiftDataError(
            .configurationFileNameTooLong, "the name of the file \(fileName) has \(fileName.utf8.count) bytes, and at most 248 fit",
            remedy: "give the configuration a shorter name, or a url")
    }
}
