import Foundation
import Storekeeper

/// Notes as the first release wrote them. `key` is not unique yet: its importer could store a note twice.
public enum NotesVersion1_0: VersionedSchema {
    public static let versionIdentifier = Schema.Version(1, 0, 0)
    public static var models: [any PersistentModel.Type] { [Note.self, Folder.self, Tag.self] }

    @Model public final class Note {
        public var key: String
        public var title: String
        public var body: Data
        public var created: Date
        public var folder: Folder?
        @Relationship(inverse: \Tag.notes) public var tags: [Tag] = []

        public init(key: String, title: String, body: Data, created: Date) {
            self.key = key
            self.title = title
            self.body = body
            self.created = created
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
