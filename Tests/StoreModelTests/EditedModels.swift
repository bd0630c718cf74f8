import SwiftData

/// One version of notes as it was edited after it shipped, each time under the same number.
enum Shipped: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        var title: String
        var old: String?
        var tags: [Tag] = []
        init(title: String) { self.title = title }
    }

    @Model final class Tag {
        var name: String
        @Relationship(inverse: \Note.tags) var notes: [Note] = []
        init(name: String) { self.name = name }
    }
}

/// With everything that may be added: values with a default and optional ones, relationships, a model.
enum Grown: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        var title: String
        var old: String?
        var tags: [Tag] = []
        var rating = 3
        var words: [String] = ["none"]
        var due: Date?
        var folder: Folder?
        init(title: String) { self.title = title }
    }

    @Model final class Tag {
        var name: String
        @Relationship(inverse: \Note.tags) var notes: [Note] = []
        init(name: String) { self.name = name }
    }

    @Model final class Folder {
        var name: String
        @Relationship(inverse: \Note.folder) var notes: [Note] = []
        init(name: String) { self.name = name }
    }
}

/// Without the property that may be empty, and without the tags.
enum Narrowed: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        var title: String
        var old: String?
        init(title: String) { self.title = title }
    }
}

/// With a value that the rows that exist cannot have.
enum Demanding: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        var title: String
        var old: String?
        var author: String
        var tags: [Tag] = []
        init(title: String, author: String) {
            self.title = title
            self.author = author
        }
    }

    @Model final class Tag {
        var name: String
        @Relationship(inverse: \Note.tags) var notes: [Note] = []
        init(name: String) { self.name = name }
    }
}

/// The version before.
enum Earlier: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }

    @Model final class Note {
        var title: String
        init(title: String) { self.title = title }
    }
}

/// What is grown, under the next number.
enum Renumbered: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { Grown.models }
}

/// The version after the edited one.
enum Next: VersionedSchema {
    static let versionIdentifier = Schema.Version(4, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }
    @Model final class Note {
        @Attribute(originalName: "title") var name: String
        var rating = 3
        init(name: String) { self.name = name }
    }
}

/// Two stages, of which the second cannot fill what it requires: its rows are copied before its code runs.
enum UnfillableFirst: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }
    @Model final class Note {
        var title: String
        var extra = 1
        init(title: String) { self.title = title }
    }
}

enum UnfillableSecond: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }
    @Model final class Note {
        var title: String
        var length: Int
        init(title: String) {
            self.title = title
            length = title.count
        }
    }
}
