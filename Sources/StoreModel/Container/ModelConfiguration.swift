import Foundation

/// Where a container keeps its models, and as what it opens that place.
///
/// With `allowsSave`, which is the default, a container becomes the store's owner: it migrates, publishes and writes.
/// Without, it is a reader.
public struct ModelConfiguration: Identifiable, Hashable, Sendable {
    public let url: URL
    public let name: String
    public var schema: Schema?
    public let allowsSave: Bool
    public let isStoredInMemoryOnly: Bool
    /// Whether the place is the one that is chosen where none is named.
    let hasDefaultPlace: Bool

    public init(isStoredInMemoryOnly: Bool = false) {
        self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
        self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    /// A store of this name in the user's folder for application data, `$XDG_DATA_HOME` or `~/.local/share`.
    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true
    ) {
        self.name = name ?? "default"
        self.schema = schema
        self.allowsSave = allowsSave
        self.isStoredInMemoryOnly = isStoredInMemoryOnly
        hasDefaultPlace = !isStoredInMemoryOnly
        url = isStoredInMemoryOnly ? URL(fileURLWithPath: "/dev/null") : Self.defaultFolder.appendingPathComponent("\(self.name).store")
    }

    public init(_ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true) {
        self.name = name ?? url.deletingPathExtension().lastPathComponent
        self.schema = schema
        self.allowsSave = allowsSave
        isStoredInMemoryOnly = false
        hasDefaultPlace = false
        self.url = url
    }

    private static var defaultFolder: URL {
        if let folder = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
            return URL(fileURLWithPath: folder, isDirectory: true)
        }
        return URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true).appendingPathComponent(".local/share", isDirectory: true)
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
