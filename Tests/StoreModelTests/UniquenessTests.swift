import Foundation
import Synchronization
import SwiftData
import Testing

@testable import StoreModel

@Model final class Account {
    @Attribute(.unique) var name: String
    var balance = 0
    var owner: AccountOwner?
    init(name: String, balance: Int = 0) {
        self.name = name
        self.balance = balance
    }
}

@Model final class AccountOwner {
    var name: String
    @Relationship(inverse: \Account.owner) var accounts: [Account] = []
    init(name: String) { self.name = name }
}

@Model final class Seat {
    #Unique<Seat>([\.row, \.number], [\.guest])
    var row: Int
    var number: Int
    var guest: Guest?
    init(row: Int, number: Int) {
        self.row = row
        self.number = number
    }
}

@Model final class Guest {
    var name: String
    init(name: String) { self.name = name }
}

@Model private final class Bag {
    @Attribute(.unique) var labels: Set<String>
    var number: Int
    init(_ labels: Set<String>, number: Int) { (self.labels, self.number) = (labels, number) }
}

private struct Cell: Codable, Hashable {
    var x: Int
    var names: [String]
}

@Model private final class Grid {
    @Attribute(.unique) var marks: [Cell: String]?
    var number: Int
    init(_ marks: [Cell: String]?, number: Int) { (self.marks, self.number) = (marks, number) }
}

/// What a save does about unique values that several rows want.
@Suite struct UniquenessTests {
    private func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
        ModelContext(try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)]))
    }

    // MARK: Upsert

    /// Equal sets and dictionaries lie as equal texts, in whatever order they go through their elements.
    @Test func setsClashWhateverTheirOrder() throws {
        let container = try ModelContainer(for: Bag.self, Grid.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let labels = (0..<40).map { "label, \\ \"\($0)]" } + ["é", "[1,2]", "{"]
        let cells = (0..<30).map { Cell(x: $0, names: ["a,", "\($0)\""]) }
        for number in 0..<5 {
            let context = ModelContext(container)
            var set: Set<String> = [], marks: [Cell: String] = [:]
            // Another capacity and another way of growing are another order.
            if number % 2 == 1 { set.reserveCapacity(1_000); marks.reserveCapacity(1_000) }
            for label in number % 3 == 0 ? labels : labels.reversed() { set.insert(label) }
            for cell in number % 3 == 0 ? cells : cells.reversed() { marks[cell] = "\(cell.x)," }
            context.insert(Bag(set, number: number))
            context.insert(Grid(marks, number: number))
            try context.save()
            let bag = try #require(try context.fetch(FetchDescriptor<Bag>(predicate: #Predicate { $0.labels == set })).first)
            #expect(bag.number == number && bag.labels == set)
            #expect(try context.fetchCount(FetchDescriptor<Bag>()) == 1)
            #expect(try context.fetch(FetchDescriptor<Grid>()).map(\.marks) == [marks])
        }
        let context = ModelContext(container)
        #expect(try context.fetchCount(FetchDescriptor<Bag>(predicate: #Predicate { $0.labels.contains("[1,2]") })) == 1)
        for value: Set<String> in [[], ["a"]] {
            context.insert(Bag(value, number: 9))
            context.insert(Bag(value, number: 10))
        }
        context.insert(Grid(nil, number: 9))
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Bag>(sortBy: [SortDescriptor(\.number)])).map(\.number) == [4, 10, 10])
    }

    @Test func anUpsertedModelAndTheOneThatWasThereAreOne() throws {
        let context = try context(Account.self)
        let first = Account(name: "a", balance: 1)
        context.insert(first)
        try context.save()
        let second = Account(name: "a", balance: 2)
        context.insert(second)
        try context.save()
        #expect(first.persistentModelID == second.persistentModelID && first == second)
        #expect(first.balance == 2 && second.balance == 2)
        // A change of either is a change of the one row.
        first.balance = 3
        #expect(second.balance == 3 && second.hasChanges && context.changedModelsArray.count == 1)
        second.owner = AccountOwner(name: "o")
        #expect(first.owner?.name == "o" && first.owner?.accounts.count == 1)
        try context.save()
        let fetched = try context.fetch(FetchDescriptor<Account>())
        #expect(fetched.count == 1 && fetched.first === first && fetched.first?.balance == 3)
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Account>()).map(\.balance) == [3])
        context.delete(second)
        #expect(first.isDeleted)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Account>()) == 0)
    }

    @Test func anUpsertedModelKeepsTheRowAfterTheOtherIsLetGo() throws {
        let context = try context(Account.self)
        var first: Account? = Account(name: "a")
        context.insert(first!)
        try context.save()
        let second = Account(name: "a", balance: 2)
        context.insert(second)
        try context.save()
        first = nil
        second.balance = 5
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Account>()).map(\.balance) == [5])
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Account>()).map(\.balance) == [5])
    }

    @Test func twoInsertionsOfOneValueInOneSaveAreOneRowWithTheLastValues() throws {
        let context = try context(Account.self)
        let models = (1...3).map { Account(name: "a", balance: $0) }
        models.forEach(context.insert)
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Account>()).map(\.balance) == [3])
        #expect(models.map(\.balance) == [3, 3, 3] && Set(models.map(\.persistentModelID)).count == 1)
        models[0].balance = 9
        #expect(models.map(\.balance) == [9, 9, 9])
    }

    @Test func observersOfBothAreTold() throws {
        let context = try context(Account.self)
        let first = Account(name: "a"), second = Account(name: "a", balance: 2)
        context.insert(first)
        try context.save()
        let told = Mutex(0)
        for model in [first, second] {
            withObservationTracking {
                _ = model.balance
            } onChange: {
                told.withLock { $0 += 1 }
            }
        }
        context.insert(second)
        try context.save()
        #expect(told.withLock { $0 } == 2)
        for model in [first, second] {
            withObservationTracking {
                _ = model.balance
            } onChange: {
                told.withLock { $0 += 1 }
            }
        }
        second.balance = 3
        #expect(told.withLock { $0 } == 4)
    }

    /// The inserted object's relationships go to the row; the ones that others made to it are kept.
    @Test func anUpsertRemapsWhatPointsToTheInsertedModel() throws {
        let context = try context(Account.self)
        let first = Account(name: "a")
        context.insert(first)
        try context.save()
        let owner = AccountOwner(name: "o")
        owner.accounts = [Account(name: "a", balance: 7), Account(name: "b")]
        context.insert(owner)
        try context.save()
        #expect(Set(owner.accounts.map(\.name)) == ["a", "b"])
        #expect(first.owner === owner && first.balance == 7)
        let other = ModelContext(context.container)
        #expect(try other.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.owner?.name == "o" })).count == 2)
    }

    @Test func manyRowsMayLackAUniqueValueAndAConstraintMayNameARelationship() throws {
        let context = try context(Seat.self)
        let guest = Guest(name: "g")
        for number in 1...3 { context.insert(Seat(row: 1, number: number)) }
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Seat>()) == 3)
        let seats = try context.fetch(FetchDescriptor<Seat>(sortBy: [SortDescriptor(\.number)]))
        seats[0].guest = guest
        try context.save()
        // The guest has a seat: the new one stands for it.
        let moved = Seat(row: 2, number: 9)
        moved.guest = guest
        context.insert(moved)
        try context.save()
        #expect(moved.persistentModelID == seats[0].persistentModelID && seats[0].row == 2 && seats[0].number == 9)
        #expect(try context.fetchCount(FetchDescriptor<Seat>()) == 3)
    }

    // MARK: Changes

    @Test func rowsMaySwapTheirUniqueValuesInOneSave() throws {
        let context = try context(Account.self, Seat.self)
        let accounts = ["a", "b", "c", "d"].map { Account(name: $0) }
        accounts.forEach(context.insert)
        try context.save()
        // A ring of three, one that follows into a place that becomes free, and one that a deletion frees.
        (accounts[0].name, accounts[1].name, accounts[2].name) = ("b", "c", "a")
        accounts[3].name = "e"
        try context.save()
        let names = try ModelContext(context.container).fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.persistentModelID)]))
        #expect(names.map(\.name) == ["b", "c", "a", "e"])
        context.delete(accounts[0])
        accounts[1].name = "b"
        accounts[2].name = "c"
        context.insert(Account(name: "a"))
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Account>()).map(\.name).sorted() == ["a", "b", "c", "e"])
    }

    @Test func rowsMaySwapValuesOfACompoundConstraint() throws {
        let context = try context(Seat.self)
        let seats = (1...2).map { Seat(row: 1, number: $0) }
        seats.forEach(context.insert)
        try context.save()
        (seats[0].number, seats[1].number) = (2, 1)
        try context.save()
        let stored = try ModelContext(context.container).fetch(FetchDescriptor<Seat>(sortBy: [SortDescriptor(\.persistentModelID)]))
        #expect(stored.map(\.number) == [2, 1])
    }

    @Test func aChangeToAValueThatAnotherRowKeepsIsAnErrorAndChangesNothing() throws {
        let context = try context(Account.self)
        let accounts = ["a", "b", "c"].map { Account(name: $0) }
        accounts.forEach(context.insert)
        try context.save()
        // Both want the value of the third, which wants one of theirs: one of them is too many.
        (accounts[0].name, accounts[1].name, accounts[2].name) = ("c", "c", "a")
        let error = #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(error == .modelValidationFailure && error?.description.contains("Account") == true)
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Account>()).map(\.name).sorted() == ["a", "b", "c"])
        accounts[1].name = "b"
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Account>()).map(\.name).sorted() == ["a", "b", "c"])
    }
}
