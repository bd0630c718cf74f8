import Foundation
import SwiftData

/// A plan of two versions that goes up by inference.
enum Lightweight<Old: VersionedSchema, New: VersionedSchema>: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Old.self, New.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: Old.self, toVersion: New.self)] }
}

/// What a lightweight stage takes, all at once.
enum Accepted {
    enum Old: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self, Shelf.self, Gone.self, Book.self] }

        @Model final class Item {
            var name: String
            var required: String
            var removed = "x"
            var shelf: Shelf?
            var spare: Shelf?
            init(name: String, required: String) { (self.name, self.required) = (name, required) }
        }

        @Model final class Shelf {
            @Relationship(deleteRule: .nullify, inverse: \Item.shelf) var items: [Item] = []
            @Relationship(inverse: \Item.spare) var spares: [Item] = []
            init() {}
        }

        @Model final class Gone {
            var name = ""
            init() {}
        }

        @Model class Book {
            var title = ""
            init() {}
        }
    }

    enum New: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self, Shelf.self, Fresh.self, Book.self, Novel.self] }

        @Model final class Item {
            @Attribute(originalName: "name") var label: String
            var required: String?
            var note: String?
            var rank = 4
            var shelf: Shelf?
            var fresh: Fresh?
            init(label: String) { self.label = label }
        }

        @Model final class Shelf {
            @Relationship(deleteRule: .cascade, inverse: \Item.shelf) var items: [Item] = []
            init() {}
        }

        @Model final class Fresh {
            @Relationship(inverse: \Item.fresh) var items: [Item] = []
            init() {}
        }

        @Model class Book {
            var title = ""
            init() {}
        }

        @Model final class Novel: Book {
            var pages = 0
            override init() { super.init() }
        }
    }
}

/// Names that become free in the next version and are taken by others, and names that are swapped.
enum FreedNames {
    enum Old: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self, Part.self, Mark.self] }

        @Model final class Item {
            var key: String
            var value: Int
            var left: String
            var right: String
            var main: Part?
            var parts: [Part] = []
            init(key: String, value: Int, left: String, right: String) {
                (self.key, self.value, self.left, self.right) = (key, value, left, right)
            }
        }

        @Model final class Part {
            var name: String
            init(name: String) { self.name = name }
        }

        @Model final class Mark {
            var number: Int
            init(number: Int) { self.number = number }
        }
    }

    enum New: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self, Part.self, Other.self] }

        @Model final class Item {
            var key: String
            @Attribute(originalName: "value") var number: Int
            /// Of another type than what had the name.
            var value = "new"
            @Attribute(originalName: "right") var left: String
            @Attribute(originalName: "left") var right: String
            @Relationship(originalName: "main") var former: Part?
            /// To other models than what had the name.
            var main: Other?
            @Relationship(originalName: "parts") var pieces: [Part] = []
            var parts: [Other] = []
            init(key: String) {
                self.key = key
                number = 0
                left = ""
                right = ""
            }
        }

        @Model final class Part {
            var name: String
            init(name: String) { self.name = name }
        }

        @Model final class Other {
            var title: String
            init(title: String) { self.title = title }
        }
    }

    /// The name of a model that went in version 2 stands for another one.
    enum Third: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static var models: [any PersistentModel.Type] { New.models + [Mark.self] }

        @Model final class Mark {
            var text: String
            var isDone = false
            init(text: String) { self.text = text }
        }
    }
}

/// Two names that are swapped in the second version, which is edited afterwards.
enum Swapped {
    enum Old: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self] }

        @Model final class Item {
            var left: String
            var right: String
            init(left: String, right: String) { (self.left, self.right) = (left, right) }
        }
    }

    enum New: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self] }

        @Model final class Item {
            @Attribute(originalName: "right") var left: String = ""
            @Attribute(originalName: "left") var right: String = ""
            /// A swap alone is no other version.
            var mark = 0
            init() {}
        }
    }

    enum Edited: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self] }

        @Model final class Item {
            @Attribute(originalName: "right") var left: String = ""
            @Attribute(originalName: "left") var right: String = ""
            /// A swap alone is no other version.
            var mark = 0
            var note: String?
            init() {}
        }
    }

    enum Renumbered: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static var models: [any PersistentModel.Type] { Edited.models }
    }
}

/// One property in several forms.
enum Values {
    enum Text: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self] }

        @Model final class Item {
            var value: String?
            init(value: String?) { self.value = value }
        }
    }

    enum Number: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self] }

        @Model final class Item {
            var value: Int?
            init(value: Int?) { self.value = value }
        }
    }

    enum Required: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self] }

        @Model final class Item {
            var value: String
            init(value: String) { self.value = value }
        }
    }

    enum ClaimedTwice: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Item.self] }

        @Model final class Item {
            @Attribute(originalName: "value") var first: String?
            @Attribute(originalName: "value") var second: String?
            init() {}
        }
    }
}

/// The same model told otherwise in ways that do not count, and in ways that do.
enum Counting {
    enum Plain {
        @Model final class Item {
            var name: String
            var count: Int = 1
            var note: String?
            init(name: String) { self.name = name }
        }
    }

    enum Told {
        @Model final class Item {
            var note: String?
            @Attribute(.preserveValueOnDeletion, originalName: "total") var count: Int = 2
            @Attribute(originalName: "title") var name: String = "unnamed"
            init() {}
        }
    }

    enum Nullable {
        @Model final class Item {
            var name: String?
            var count: Int = 1
            var note: String?
            init() {}
        }
    }

    enum Typed {
        @Model final class Item {
            var name: String
            var count: Double = 1
            var note: String?
            init(name: String) { self.name = name }
        }
    }

    enum Unique {
        @Model final class Item {
            @Attribute(.unique) var name: String
            var count: Int = 1
            var note: String?
            init(name: String) { self.name = name }
        }
    }

    enum More {
        @Model final class Item {
            var name: String
            var count: Int = 1
            var note: String?
            var more: String?
            init(name: String) { self.name = name }
        }
    }
}
