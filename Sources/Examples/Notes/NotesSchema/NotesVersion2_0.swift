import Foundation
import Storekeeper

/// `body` is text instead of bytes.
public enum NotesVersion2_0: VersionedSchema {
    public static let versionIdentifier = Schema.Version(2, 0, 0)
    public static var models: [any PersistentModel.Type] { [Note.self, Folder.self, Tag.self] }

    @Model public final class Note {
        @Attribute(.unique) public var key: String
        public var title: String
        public var body: String = ""
        public var createdAt: Date
        public var wordCount: Int = 0
        public var folder: Folder?
        @Relationship(inverse: \Tag.notes) public var tags: [Tag] = []

        public init(key: String, title: String, body: String, createdAt: Date) {
            self.key = key
            self.title = title
            self.body = body
            self.createdAt = createdAt
        }
    }

    @Model public final class Folder {
        @Attribute(.unique) public var name: String
        @Relationship(deleteRule: .cascade, inverse: \Note.folder) public var notes: [Note] = []

        public init(name: String) {
            self.name = name
        }
    }

    @Model public final class Tag {
        @Attribute(.unique) public var name: String
        public var notes: [Note] = []

        public init(name: String) {
            self.name = name
        }
    }
}
