import Foundation
import SwiftData
import Testing

@testable import StoreModel

@Model
final class Crate {
    var name: String
    @Relationship(inverse: \Bottle.crate) var bottles: [Bottle] = []
    @Relationship(inverse: \Seal.crate) var seal: Seal?
    init(name: String) { self.name = name }
}

@Model
final class Bottle {
    var label: String
    var crate: Crate?
    @Relationship(inverse: \Cork.bottles) var corks: [Cork] = []

    init(label: String) { self.label = label }

    /// Relates itself as the last thing it does.
    init(_ label: String, in crate: Crate) {
        self.label = label
        self.crate = crate
    }
}

@Model
final class Cork {
    var number: Int
    var bottles: [Bottle] = []
    init(number: Int) { self.number = number }
}

@Model
final class Seal {
    var crate: Crate
    init(crate: Crate) { self.crate = crate }
}

private func container() throws -> ModelContainer {
    try ModelContainer(for: Crate.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
}

/// A context with one crate, and what another context sees after a save.
private func managedCrate(_ container: ModelContainer) throws -> (ModelContext, Crate) {
    let context = ModelContext(container)
    let crate = Crate(name: "C")
    context.insert(crate)
    try context.save()
    return (context, crate)
}

private func labels(_ container: ModelContainer) throws -> [String] {
    let crates = try ModelContext(container).fetch(FetchDescriptor<Crate>())
    return crates.flatMap { $0.bottles.map(\.label) }.sorted()
}

@Suite struct FollowingTests {
    @Test func aModelFollowsTheTargetOfItsToOneIntoTheContext() throws {
        let container = try container()
        let (context, crate) = try managedCrate(container)
        let bottle = Bottle(label: "a")
        #expect(bottle.modelContext == nil)
        bottle.crate = crate
        #expect(bottle.modelContext === context)
        #expect(crate.bottles.map(\.label) == ["a"])
        #expect(context.insertedModelsArray.count == 1)
        context.insert(bottle)
        #expect(context.insertedModelsArray.count == 1)
        try context.save()
        #expect(try labels(container) == ["a"])
    }

    @Test func aModelFollowsTheTargetsOfItsToManyIntoTheContext() throws {
        let container = try container()
        let context = ModelContext(container)
        let bottle = Bottle(label: "a")
        context.insert(bottle)
        let crate = Crate(name: "C")
        crate.bottles = [Bottle(label: "b"), bottle]
        #expect(bottle.crate === crate)
        let cork = Cork(number: 1)
        cork.bottles.append(bottle)
        #expect(bottle.corks.map(\.number) == [1])
        try context.save()
        #expect(try labels(container) == ["a", "b"])
        #expect(try ModelContext(container).fetch(FetchDescriptor<Cork>()).map(\.bottles.count) == [1])
    }

    @Test func aModelThatIsAppendedToAManagedToManyIsInserted() throws {
        let container = try container()
        let (context, crate) = try managedCrate(container)
        let bottle = Bottle(label: "a")
        crate.bottles.append(bottle)
        #expect(bottle.crate === crate && bottle.modelContext === context)
        try context.save()
        #expect(try labels(container) == ["a"])
    }

    @Test func aModelThatIsGivenToAManagedToOneIsInserted() throws {
        let container = try container()
        let (context, crate) = try managedCrate(container)
        let bottle = Bottle(label: "a")
        context.insert(bottle)
        let other = Crate(name: "D")
        bottle.crate = other
        #expect(other.modelContext === context && other.bottles.map(\.label) == ["a"])
        bottle.crate = crate
        #expect(other.bottles.isEmpty)
        try context.save()
        #expect(try labels(container) == ["a"])
    }

    @Test func whatTheFollowerPointsToComesAlong() throws {
        let container = try container()
        let (context, crate) = try managedCrate(container)
        let bottle = Bottle(label: "a")
        bottle.corks = [Cork(number: 1), Cork(number: 2)]
        bottle.crate = crate
        #expect(context.insertedModelsArray.count == 3)
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Cork>(sortBy: [SortDescriptor(\.number)])).map(\.number) == [1, 2])
    }

    @Test func anOptionalRelationshipSetInTheInitialiserIsFollowed() throws {
        let container = try container()
        let (context, crate) = try managedCrate(container)
        let bottle = Bottle("a", in: crate)
        #expect(bottle.modelContext === context)
        #expect(crate.bottles.map(\.label) == ["a"])
        try context.save()
        #expect(try labels(container) == ["a"])
    }

    @Test func aRequiredRelationshipSetInTheInitialiserIsFollowedOnlyOnceInserted() throws {
        let container = try container()
        let (context, crate) = try managedCrate(container)
        let seal = Seal(crate: crate)
        #expect(seal.modelContext == nil && crate.seal == nil)
        seal.crate = crate
        #expect(seal.modelContext === context && crate.seal === seal)
        try context.save()
        #expect(try ModelContext(container).fetch(FetchDescriptor<Crate>()).first?.seal != nil)
    }

    @Test func settingByKeyPathIsFollowedToo() throws {
        let container = try container()
        let (context, crate) = try managedCrate(container)
        let bottle = Bottle(label: "a")
        bottle.setValue(forKey: \.crate, to: crate)
        #expect(bottle.modelContext === context)
        try context.save()
        #expect(try labels(container) == ["a"])
    }

    @Test func aRollbackTakesTheFollowerOutAndItMayFollowAgain() throws {
        let container = try container()
        let (context, crate) = try managedCrate(container)
        let bottle = Bottle(label: "a")
        bottle.crate = crate
        context.rollback()
        #expect(bottle.modelContext == nil && crate.bottles.isEmpty && !context.hasChanges)
        bottle.crate = crate
        try context.save()
        #expect(try labels(container) == ["a"])
    }

    @Test func nobodyFollowsIntoAContextThatIsGone() throws {
        let container = try container()
        let crate = try managedCrate(container).1
        let bottle = Bottle(label: "a")
        bottle.crate = crate
        #expect(bottle.modelContext == nil)
        #expect(bottle.crate === crate)
    }

    @Test func aModelOfAnotherContextIsTakenAsItsTwinWhenItsFollowerIsInserted() throws {
        let container = try container()
        let (context, crate) = try managedCrate(container)
        let other = ModelContext(container)
        let (bottle, cork) = (Bottle(label: "a"), Cork(number: 1))
        bottle.corks = [cork]
        other.insert(cork)
        try other.save()
        bottle.crate = crate
        #expect(bottle.modelContext === context && bottle.corks.map(\.number) == [1])
        #expect(bottle.corks.first !== cork && cork.bottles.isEmpty)
        try context.save()
        #expect(try labels(container) == ["a"])
        #expect(cork.bottles.map(\.label) == ["a"])
    }

    @Test func anUnsavedModelOfAnotherContextIsReported() throws {
        let container = try container()
        let (context, crate) = try managedCrate(container)
        let other = ModelContext(container)
        let (bottle, cork) = (Bottle(label: "a"), Cork(number: 1))
        bottle.corks = [cork]
        other.insert(cork)
        bottle.crate = crate
        #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(bottle.corks.isEmpty && cork.bottles.isEmpty)
        try context.save()
        #expect(try labels(container) == ["a"])
    }
}
