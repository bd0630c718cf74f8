import SwiftData

/// Three versions of notes: a rename and a new default; a new uniqueness with clean-up; a change of type.
enum PlanV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        var key: String
        var text: Data
        var folder: Folder?
        @Relationship(inverse: \Tag.notes) var tags: [Tag] = []
        init(key: String, text: Data) {
            self.key = key
            self.text = text
        }
    }

    @Model final class Folder {
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \Note.folder) var notes: [Note] = []
        init(name: String) { self.name = name }
    }

    @Model final class Tag {
        var name: String
        var notes: [Note] = []
        init(name: String) { self.name = name }
    }
}

enum PlanV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        var key: String
        @Attribute(originalName: "text") var body: Data
        var count: Int = 7
        @Relationship(originalName: "folder") var place: Folder?
        @Relationship(originalName: "tags", inverse: \Tag.notes) var labels: [Tag] = []
        init(key: String, body: Data) {
            self.key = key
            self.body = body
        }
    }

    @Model final class Folder {
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \Note.place) var notes: [Note] = []
        init(name: String) { self.name = name }
    }

    @Model final class Tag {
        var name: String
        var notes: [Note] = []
        init(name: String) { self.name = name }
    }
}

enum PlanV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        @Attribute(.unique) var key: String
        var body: Data
        var count: Int = 7
        /// Required and without a default: `didMigrate` fills it in.
        var length: Int
        var place: Folder?
        @Relationship(inverse: \Tag.notes) var labels: [Tag] = []
        init(key: String, body: Data) {
            self.key = key
            self.body = body
            length = body.count
        }
    }

    @Model final class Folder {
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \Note.place) var notes: [Note] = []
        init(name: String) { self.name = name }
    }

    @Model final class Tag {
        var name: String
        var notes: [Note] = []
        init(name: String) { self.name = name }
    }
}

enum PlanV4: VersionedSchema {
    static let versionIdentifier = Schema.Version(4, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        @Attribute(.unique) var key: String
        /// Another type: the default stands there until the stage's code has set it.
        var body: String = ""
        var count: Int = 7
        var length: Int
        var place: Folder?
        @Relationship(inverse: \Tag.notes) var labels: [Tag] = []
        init(key: String, body: String) {
            self.key = key
            self.body = body
            length = body.utf8.count
        }
    }

    @Model final class Folder {
        var name: String
        @Relationship(deleteRule: .cascade, inverse: \Note.place) var notes: [Note] = []
        init(name: String) { self.name = name }
    }

    @Model final class Tag {
        var name: String
        var notes: [Note] = []
        init(name: String) { self.name = name }
    }
}

enum NotePlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [PlanV1.self, PlanV2.self, PlanV3.self, PlanV4.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: PlanV1.self, toVersion: PlanV2.self),
            .custom(
                fromVersion: PlanV2.self, toVersion: PlanV3.self,
                willMigrate: { context in
                    var seen: Set<String> = []
                    for note in try context.fetch(FetchDescriptor<PlanV2.Note>()) where !seen.insert(note.key).inserted {
                        context.delete(note)
                    }
                    try context.save()
                },
                didMigrate: { context in
                    try context.enumerate(FetchDescriptor<PlanV3.Note>(), batchSize: 2) { $0.length = $0.body.count }
                }),
            .mapped(fromVersion: PlanV3.self, toVersion: PlanV4.self) { old, new in
                for note in try old.fetch(FetchDescriptor<PlanV3.Note>()) {
                    guard let copy = new.model(for: note.persistentModelID) as? PlanV4.Note else { continue }
                    copy.body = String(decoding: note.body, as: UTF8.self)
                }
                try new.save()
            },
        ]
    }
}

enum UniqueKeys: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }
    @Model final class Note {
        @Attribute(.unique) var key: String
        var text: Data
        init(key: String, text: Data) {
            self.key = key
            self.text = text
        }
    }
}

enum PlainItems {
    @Model final class Item {
        var name: String = "a"
        init() {}
    }
}
enum ModifiedItems {
    @Model final class Item {
        @Attribute(hashModifier: "2") var name: String = "a"
        init() {}
    }
}
enum RedefaultedItems {
    @Model final class Item {
        @Attribute(originalName: "title") var name: String = "b"
        init() {}
    }
}

/// A model that a version adds.
@Model
final class Marker {
    var text = ""
    init() {}
}
