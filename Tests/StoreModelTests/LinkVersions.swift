import SwiftData

/// One way to declare that owners have items. All have the same links, which lie in different places.
protocol LinkVersion: SendableMetatype {
    static var models: [any PersistentModel.Type] { get }
    /// Inserts owners and items, and links them as `owner-item` says.
    static func fill(_ context: ModelContext, _ links: [(Int, Int)]) throws
    /// The links as `owner-item`, as each side of the relationship says.
    static func links(_ context: ModelContext) throws -> [Set<String>]
}

enum First<V: LinkVersion>: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { V.models }
}

enum Second<V: LinkVersion>: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { V.models }
}

enum LightweightStep<A: LinkVersion, B: LinkVersion>: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [First<A>.self, Second<B>.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: First<A>.self, toVersion: Second<B>.self)] }
}

enum CustomStep<A: LinkVersion, B: LinkVersion>: SchemaMigrationPlan {
    struct LinksAreMissing: Error {}

    static var schemas: [any VersionedSchema.Type] { [First<A>.self, Second<B>.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: First<A>.self, toVersion: Second<B>.self, willMigrate: { _ in }) { context in
                // A store without rows has no links to lose.
                let isEmpty = try B.models.allSatisfy { try count($0, context) == 0 }
                if try !isEmpty && B.links(context).contains(where: \.isEmpty) { throw LinksAreMissing() }
            }
        ]
    }
}

private func count<M: PersistentModel>(_: M.Type, _ context: ModelContext) throws -> Int {
    try context.fetchCount(FetchDescriptor<M>())
}

/// A to-one without the other side: a column of the owner.
enum ToOne: LinkVersion {
    static var models: [any PersistentModel.Type] { [Owner.self, Item.self] }

    @Model final class Owner {
        var number: Int
        @Relationship(originalName: "items") var item: Item?
        init(number: Int) { self.number = number }
    }
    @Model final class Item {
        var number: Int
        init(number: Int) { self.number = number }
    }

    static func fill(_ context: ModelContext, _ links: [(Int, Int)]) throws {
        let (owners, items) = (numbers.map(Owner.init), numbers.map(Item.init))
        owners.forEach(context.insert)
        items.forEach(context.insert)
        for (owner, item) in links { owners[owner].item = items[item] }
        try context.save()
    }

    static func links(_ context: ModelContext) throws -> [Set<String>] {
        let owners = try context.fetch(FetchDescriptor<Owner>())
        return [Set(owners.compactMap { owner in owner.item.map { "\(owner.number)-\($0.number)" } })]
    }
}

/// A to-many without the other side: a table of pairs.
enum ToMany: LinkVersion {
    static var models: [any PersistentModel.Type] { [Owner.self, Item.self] }

    @Model final class Owner {
        var number: Int
        @Relationship(originalName: "item") var items: [Item] = []
        init(number: Int) { self.number = number }
    }
    @Model final class Item {
        var number: Int
        init(number: Int) { self.number = number }
    }

    static func fill(_ context: ModelContext, _ links: [(Int, Int)]) throws {
        let (owners, items) = (numbers.map(Owner.init), numbers.map(Item.init))
        owners.forEach(context.insert)
        items.forEach(context.insert)
        for (owner, item) in links { owners[owner].items.append(items[item]) }
        try context.save()
    }

    static func links(_ context: ModelContext) throws -> [Set<String>] {
        let owners = try context.fetch(FetchDescriptor<Owner>())
        return [Set(owners.flatMap { owner in owner.items.map { "\(owner.number)-\($0.number)" } })]
    }
}

/// A to-one of the owner with a to-many of the item: a column of the owner.
enum ManyToOne: LinkVersion {
    static var models: [any PersistentModel.Type] { [Owner.self, Item.self] }

    @Model final class Owner {
        var number: Int
        @Relationship(originalName: "items", inverse: \Item.owners) var item: Item?
        init(number: Int) { self.number = number }
    }
    @Model final class Item {
        var number: Int
        @Relationship(originalName: "owner") var owners: [Owner] = []
        init(number: Int) { self.number = number }
    }

    static func fill(_ context: ModelContext, _ links: [(Int, Int)]) throws {
        let (owners, items) = (numbers.map(Owner.init), numbers.map(Item.init))
        owners.forEach(context.insert)
        items.forEach(context.insert)
        for (owner, item) in links { owners[owner].item = items[item] }
        try context.save()
    }

    static func links(_ context: ModelContext) throws -> [Set<String>] {
        let (owners, items) = (try context.fetch(FetchDescriptor<Owner>()), try context.fetch(FetchDescriptor<Item>()))
        return [
            Set(owners.compactMap { owner in owner.item.map { "\(owner.number)-\($0.number)" } }),
            Set(items.flatMap { item in item.owners.map { "\($0.number)-\(item.number)" } }),
        ]
    }
}

/// To-manys on both sides: a table of pairs, named after the item.
enum ManyToMany: LinkVersion {
    static var models: [any PersistentModel.Type] { [Owner.self, Item.self] }

    @Model final class Owner {
        var number: Int
        @Relationship(originalName: "item", inverse: \Item.owners) var items: [Item] = []
        init(number: Int) { self.number = number }
    }
    @Model final class Item {
        var number: Int
        @Relationship(originalName: "owner") var owners: [Owner] = []
        init(number: Int) { self.number = number }
    }

    static func fill(_ context: ModelContext, _ links: [(Int, Int)]) throws {
        let (owners, items) = (numbers.map(Owner.init), numbers.map(Item.init))
        owners.forEach(context.insert)
        items.forEach(context.insert)
        for (owner, item) in links { owners[owner].items.append(items[item]) }
        try context.save()
    }

    static func links(_ context: ModelContext) throws -> [Set<String>] {
        let (owners, items) = (try context.fetch(FetchDescriptor<Owner>()), try context.fetch(FetchDescriptor<Item>()))
        return [
            Set(owners.flatMap { owner in owner.items.map { "\(owner.number)-\($0.number)" } }),
            Set(items.flatMap { item in item.owners.map { "\($0.number)-\(item.number)" } }),
        ]
    }
}

/// A to-many of the owner with a to-one of the item: a column of the item.
enum OneToMany: LinkVersion {
    static var models: [any PersistentModel.Type] { [Owner.self, Item.self] }

    @Model final class Owner {
        var number: Int
        @Relationship(originalName: "item", inverse: \Item.owner) var items: [Item] = []
        init(number: Int) { self.number = number }
    }
    @Model final class Item {
        var number: Int
        @Relationship(originalName: "owners") var owner: Owner?
        init(number: Int) { self.number = number }
    }

    static func fill(_ context: ModelContext, _ links: [(Int, Int)]) throws {
        let (owners, items) = (numbers.map(Owner.init), numbers.map(Item.init))
        owners.forEach(context.insert)
        items.forEach(context.insert)
        for (owner, item) in links { owners[owner].items.append(items[item]) }
        try context.save()
    }

    static func links(_ context: ModelContext) throws -> [Set<String>] {
        let (owners, items) = (try context.fetch(FetchDescriptor<Owner>()), try context.fetch(FetchDescriptor<Item>()))
        return [
            Set(owners.flatMap { owner in owner.items.map { "\(owner.number)-\($0.number)" } }),
            Set(items.compactMap { item in item.owner.map { "\($0.number)-\(item.number)" } }),
        ]
    }
}

/// To-ones on both sides: a column of each.
enum OneToOne: LinkVersion {
    static var models: [any PersistentModel.Type] { [Owner.self, Item.self] }

    @Model final class Owner {
        var number: Int
        @Relationship(originalName: "items", inverse: \Item.owner) var item: Item?
        init(number: Int) { self.number = number }
    }
    @Model final class Item {
        var number: Int
        @Relationship(originalName: "owners") var owner: Owner?
        init(number: Int) { self.number = number }
    }

    static func fill(_ context: ModelContext, _ links: [(Int, Int)]) throws {
        let (owners, items) = (numbers.map(Owner.init), numbers.map(Item.init))
        owners.forEach(context.insert)
        items.forEach(context.insert)
        for (owner, item) in links { owners[owner].item = items[item] }
        try context.save()
    }

    static func links(_ context: ModelContext) throws -> [Set<String>] {
        let (owners, items) = (try context.fetch(FetchDescriptor<Owner>()), try context.fetch(FetchDescriptor<Item>()))
        return [
            Set(owners.compactMap { owner in owner.item.map { "\(owner.number)-\($0.number)" } }),
            Set(items.compactMap { item in item.owner.map { "\($0.number)-\(item.number)" } }),
        ]
    }
}

/// An owner whose items are owners.
enum OtherTarget: LinkVersion {
    static var models: [any PersistentModel.Type] { [Owner.self, Item.self] }

    @Model final class Owner {
        var number: Int
        var item: Owner?
        init(number: Int) { self.number = number }
    }
    @Model final class Item {
        var number: Int
        init(number: Int) { self.number = number }
    }

    static func fill(_ context: ModelContext, _ links: [(Int, Int)]) throws {}
    static func links(_ context: ModelContext) throws -> [Set<String>] { [] }
}

private let numbers = 0..<4
