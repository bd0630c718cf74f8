import Foundation
import StoreShared
import SwiftData
import Testing

@testable import StoreModel

private let versions: [any LinkVersion.Type] = [
    ToOne.self, ToMany.self, ManyToOne.self, ManyToMany.self, OneToMany.self, OneToOne.self,
]
/// Each owner has one item at most, and each item one owner: every version can hold them.
private let oneEach = [(1, 2), (2, 1), (3, 3)]
/// Two owners share an item.
private let shared = [(1, 2), (2, 2), (3, 3)]
/// An owner has two items.
private let several = [(1, 1), (1, 2), (3, 3)]

private struct Step: CustomTestStringConvertible, Sendable {
    let from: any LinkVersion.Type
    let to: any LinkVersion.Type
    var testDescription: String { "\(from) to \(to)" }

    static func all(among versions: [any LinkVersion.Type]) -> [Step] {
        versions.flatMap { from in versions.compactMap { from == $0 ? nil : Step(from: from, to: $0) } }
    }
}

private func text(_ links: [(Int, Int)]) -> Set<String> { Set(links.map { "\($0.0)-\($0.1)" }) }

/// Fills a store of the first version, takes it to the second, and gives the links that each side then has.
private func migrate<A: LinkVersion, B: LinkVersion>(
    _ from: A.Type, _ to: B.Type, _ links: [(Int, Int)], by plan: (any SchemaMigrationPlan.Type)? = nil
) throws -> [Set<String>] {
    let folder = try TestFolder()
    let first = try folder.owner(First<A>.self)
    try A.fill(ModelContext(first), links)
    first.close()
    do {
        let second = try folder.owner(Second<B>.self, plan ?? LightweightStep<A, B>.self)
        defer { second.close() }
        return try B.links(ModelContext(second))
    } catch {
        let unchanged = try folder.owner(First<A>.self)
        defer { unchanged.close() }
        #expect(try A.links(ModelContext(unchanged)).allSatisfy { $0 == text(links) })
        throw error
    }
}

private func migrateWithCode<A: LinkVersion, B: LinkVersion>(_ from: A.Type, _ to: B.Type, _ links: [(Int, Int)]) throws -> [Set<String>] {
    try migrate(from, to, links, by: CustomStep<A, B>.self)
}

@Suite struct LinkMigrationTests {
    @Test(arguments: Step.all(among: versions))
    fileprivate func everyLinkIsThereWhereverARelationshipMoves(_ step: Step) throws {
        #expect(try migrate(step.from, step.to, oneEach).allSatisfy { $0 == text(oneEach) })
    }

    @Test(arguments: Step.all(among: versions))
    fileprivate func theCodeOfAStageFindsEveryLink(_ step: Step) throws {
        #expect(try migrateWithCode(step.from, step.to, oneEach).allSatisfy { $0 == text(oneEach) })
    }

    @Test(arguments: Step.all(among: [ToOne.self, ToMany.self, ManyToOne.self, ManyToMany.self]))
    fileprivate func sharedItemsStayShared(_ step: Step) throws {
        #expect(try migrate(step.from, step.to, shared).allSatisfy { $0 == text(shared) })
    }

    @Test(arguments: Step.all(among: [ToMany.self, ManyToMany.self, OneToMany.self]))
    fileprivate func severalItemsStayWithTheirOwner(_ step: Step) throws {
        #expect(try migrate(step.from, step.to, several).allSatisfy { $0 == text(several) })
    }

    @Test(arguments: [
        Step(from: ToMany.self, to: ToOne.self), Step(from: ManyToMany.self, to: ManyToOne.self),
        Step(from: OneToMany.self, to: ToOne.self),
        Step(from: OneToMany.self, to: OneToOne.self),
    ])
    fileprivate func aToManyWithSeveralTargetsIsNotCutToAToOne(_ step: Step) throws {
        let error = #expect(throws: StoreError.self) { try migrate(step.from, step.to, several) }
        #expect(error.map { "\($0) \(String(describing: $0.cause))" }?.contains("Owner.item") == true)
    }

    @Test(arguments: [
        Step(from: ToOne.self, to: OneToMany.self), Step(from: ToMany.self, to: OneToMany.self),
        Step(from: ManyToOne.self, to: OneToMany.self), Step(from: ToOne.self, to: OneToOne.self),
    ])
    fileprivate func sharedItemsAreNotGivenToOneOwner(_ step: Step) throws {
        #expect(throws: StoreError.self) { try migrate(step.from, step.to, shared) }
    }

    @Test func aRelationshipToOtherModelsIsRefusedWhenThePlanIsBuilt() throws {
        let error = #expect(throws: StoreError.self) { try migrate(ToOne.self, OtherTarget.self, oneEach) }
        #expect(error?.code == .planRefused && error?.message.contains("Owner.item") == true)
    }
}
