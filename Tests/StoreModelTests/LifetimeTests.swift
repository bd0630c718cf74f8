import Foundation
import SwiftData
import Testing

@testable import StoreModel

@Model final class Link {
    var number: Int
    @Relationship(inverse: \Link.previous) var next: Link?
    var previous: Link?
    init(number: Int) { self.number = number }
}

@Model final class Branch {
    var number: Int
    @Relationship(inverse: \Branch.parent) var children: [Branch] = []
    var parent: Branch?
    init(number: Int) { self.number = number }
}

/// Models that go, and models whose context or container is gone.
@Suite struct LifetimeTests {
    /// Far more than a stack holds if each is released from within the release of the one before.
    private let length = 200_000

    @Test func aLongChainOfModelsInNoContextIsReleased() {
        weak var last: Link?
        do {
            var head = Link(number: 0)
            last = head
            for number in 1..<length {
                let link = Link(number: number)
                link.next = head
                head = link
            }
            #expect(head.number == length - 1 && last != nil)
        }
        #expect(last == nil)
    }

    @Test func aDeepTreeOfModelsInNoContextIsReleased() {
        weak var last: Branch?
        do {
            var root = Branch(number: 0)
            last = root
            for number in 1..<length {
                let branch = Branch(number: number)
                branch.children = [root, Branch(number: -number)]
                root = branch
            }
            #expect(last != nil)
        }
        #expect(last == nil)
    }

    @Test func aLongChainThatWasNeverSavedIsReleasedWithItsContext() throws {
        weak var last: Link?
        do {
            let container = try ModelContainer(for: Link.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
            let context = ModelContext(container)
            var head = Link(number: 0)
            last = head
            context.insert(head)
            for number in 1..<20_000 {
                let link = Link(number: number)
                link.next = head
                head = link
            }
            #expect(context.insertedModelsArray.count == 20_000)
        }
        #expect(last == nil)
    }

    /// What a rollback, or the end of a context, leaves behind does not hold itself.
    @Test(arguments: [true, false]) func modelsThatWereNeverSavedDoNotKeepEachOtherAlive(rollsBack: Bool) throws {
        let container = try ModelContainer(
            for: Branch.self, Link.self, Member.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let filling = ModelContext(container)
        filling.insert(Branch(number: 0))
        filling.insert(Link(number: 0))
        filling.insert(Member(name: "0"))
        try filling.save()
        var context: ModelContext? = ModelContext(container)
        weak var branch: Branch?
        weak var link: Link?
        weak var member: Member?
        do {
            let branches = [Branch(number: 1), try #require(try context?.fetch(FetchDescriptor<Branch>()).first), Branch(number: 2)]
            let links = [Link(number: 1), try #require(try context?.fetch(FetchDescriptor<Link>()).first), Link(number: 2)]
            let members = [Member(name: "1"), try #require(try context?.fetch(FetchDescriptor<Member>()).first), Member(name: "2")]
            for (target, source) in [(0, 1), (1, 2)] {
                branches[target].children = [branches[source]]
                links[target].next = links[source]
                members[target].follows = [members[source]]
                members[source].follows.append(members[target])
            }
            context?.insert(branches[0])
            context?.insert(links[0])
            context?.insert(members[0])
            #expect(context?.insertedModelsArray.count == 6)
            (branch, link, member) = (branches[0], links[0], members[0])
            if rollsBack { context?.rollback() } else { context = nil }
        }
        #expect(branch == nil && link == nil && member == nil)
        withExtendedLifetime(context) {}
    }

    @Test func aModelWhoseContainerIsGoneTellsWhatItCannotRead() throws {
        var reported: [SwiftDataError] = []
        let branch: Branch
        do {
            let container = try ModelContainer(for: Branch.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
            let filling = ModelContext(container)
            let root = Branch(number: 1)
            filling.insert(root)
            root.children = [Branch(number: 2)]
            try filling.save()
            let context = ModelContext(container)
            context.faultHandler = { reported.append($0) }
            branch = try #require(try context.fetch(FetchDescriptor<Branch>(predicate: #Predicate { $0.number == 1 })).first)
        }
        #expect(branch.number == 1)
        #expect(branch.children.isEmpty)
        #expect(reported.count == 1 && reported.first?.description.contains("Branch.children") == true)
        #expect(reported.first?.description.contains("container") == true)
    }

    @Test func aModelWhoseContainerIsClosedTellsItsContext() throws {
        let folder = try TestFolder()
        let container = try ModelContainer(for: Branch.self, configurations: folder.configuration())
        let context = ModelContext(container)
        let root = Branch(number: 1)
        context.insert(root)
        root.children = [Branch(number: 2)]
        try context.save()
        let other = ModelContext(container)
        let branch = try #require(try other.fetch(FetchDescriptor<Branch>(predicate: #Predicate { $0.number == 1 })).first)
        container.close()
        #expect(branch.children.isEmpty)
        let error = #expect(throws: (any Error).self) { try other.fetch(FetchDescriptor<Branch>()) }
        #expect("\(try #require(error))".contains("Branch.children"))
    }
}
