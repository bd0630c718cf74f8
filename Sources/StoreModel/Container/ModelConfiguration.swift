import Foundation

/// Where a container keeps its models, and as what it opens that place.
///
/// With `allowsSave`, which is the default, a container becomes the store's owner: it migrates, publishes and writes.
/// Without, it is a reader.
public struct ModelConfiguration: Identifiable, Hashable, Sendable {
    /// The file of the store; `/dev/null` for one in memory.
    public let url: URL
    /// Tells the configurations of a container apart; the file's name without its extension, unless given.
    public let name: String
    /// The name of the group, where one was given.
    public let groupAppContainerIdentifier: String?
    /// The name of the private database, where one was given. Without effect.
    public let cloudKitContainerIdentifier: String?
    /// The group whose folder the store lies in.
    public let groupContainer: GroupContainer
    /// Accepted and without effect: there is no CloudKit here.
    public let cloudKitDatabase: CloudKitDatabase
    /// The models that lie in this store; nil for all that no other configuration of the container has.
    public var schema: Schema?
    /// Whether the container owns the store, migrates and writes it; else it reads what an owner writes.
    public let allowsSave: Bool
    /// Whether nothing is written to a file: the store is gone with its container.
    public let isStoredInMemoryOnly: Bool
    /// How much of the store's history its owner keeps: all of it, unless bounds are set before the container is made.
    public var historyRetention = HistoryRetention.unlimited
    /// Whether the place is the one that is chosen where none is named.
    let hasDefaultPlace: Bool

    /// Which cloud database a store is mirrored to. Accepted and without effect: there is no CloudKit here.
    public struct CloudKitDatabase: Sendable {
        let privateName: String?
        /// Without effect.
        public static var automatic: CloudKitDatabase { CloudKitDatabase(privateName: nil) }
        /// Without effect.
        public static var none: CloudKitDatabase { CloudKitDatabase(privateName: nil) }
        /// Keeps the name, and is without effect.
        public static func `private`(_ privateDBName: String) -> CloudKitDatabase { CloudKitDatabase(privateName: privateDBName) }
    }

    /// A folder that several programs share: `$XDG_STATE_HOME/<name>`, or `~/.local/state/<name>`.
    public struct GroupContainer: Sendable {
        let identifier: String?
        /// The user's folder for application data: a program on Linux has no entitlement that names a group.
        public static var automatic: GroupContainer { GroupContainer(identifier: nil) }
        /// As `automatic`: the user's own folder.
        public static var none: GroupContainer { GroupContainer(identifier: nil) }
        /// The folder of that name in the user's folder for state.
        ///
        /// - Parameter groupName: a name without a slash.
        public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer(identifier: groupName) }
    }

    /// The store of the name `default` in the user's folder for application data, or one in memory.
    public init(isStoredInMemoryOnly: Bool = false) {
        self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    /// As above, for these models and those that they relate to.
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

    /// A store in a file of the program's choice. Its folder must be there when the container is made.
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

    /// The URL: a place has one configuration.
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
