import StoreSQLite
import SwiftData
import Testing

@testable import StoreModel

/// More properties than a word has bits, and than two have.
@Model final class Wide {
    var p0 = 0
    var p1 = 0
    var p2 = 0
    var p3 = 0
    var p4 = 0
    var p5 = 0
    var p6 = 0
    var p7 = 0
    var p8 = 0
    var p9 = 0
    var p10 = 0
    var p11 = 0
    var p12 = 0
    var p13 = 0
    var p14 = 0
    var p15 = 0
    var p16 = 0
    var p17 = 0
    var p18 = 0
    var p19 = 0
    var p20 = 0
    var p21 = 0
    var p22 = 0
    var p23 = 0
    var p24 = 0
    var p25 = 0
    var p26 = 0
    var p27 = 0
    var p28 = 0
    var p29 = 0
    var p30 = 0
    var p31 = 0
    var p32 = 0
    var p33 = 0
    var p34 = 0
    var p35 = 0
    var p36 = 0
    var p37 = 0
    var p38 = 0
    var p39 = 0
    var p40 = 0
    var p41 = 0
    var p42 = 0
    var p43 = 0
    var p44 = 0
    var p45 = 0
    var p46 = 0
    var p47 = 0
    var p48 = 0
    var p49 = 0
    var p50 = 0
    var p51 = 0
    var p52 = 0
    var p53 = 0
    var p54 = 0
    var p55 = 0
    var p56 = 0
    var p57 = 0
    var p58 = 0
    var p59 = 0
    var p60 = 0
    var p61 = 0
    var p62 = 0
    var p63 = 0
    var p64 = 0
    var p65 = 0
    var p66 = 0
    var p67 = 0
    var p68 = 0
    var p69 = 0
    var p70 = 0
    var p71 = 0
    var p72 = 0
    var p73 = 0
    var p74 = 0
    var p75 = 0
    var p76 = 0
    var p77 = 0
    var p78 = 0
    var p79 = 0
    var p80 = 0
    var p81 = 0
    var p82 = 0
    var p83 = 0
    var p84 = 0
    var p85 = 0
    var p86 = 0
    var p87 = 0
    var p88 = 0
    var p89 = 0
    var p90 = 0
    var p91 = 0
    var p92 = 0
    var p93 = 0
    var p94 = 0
    var p95 = 0
    var p96 = 0
    var p97 = 0
    var p98 = 0
    var p99 = 0
    var p100 = 0
    var p101 = 0
    var p102 = 0
    var p103 = 0
    var p104 = 0
    var p105 = 0
    var p106 = 0
    var p107 = 0
    var p108 = 0
    var p109 = 0
    var p110 = 0
    var p111 = 0
    var p112 = 0
    var p113 = 0
    var p114 = 0
    var p115 = 0
    var p116 = 0
    var p117 = 0
    var p118 = 0
    var p119 = 0
    var p120 = 0
    var p121 = 0
    var p122 = 0
    var p123 = 0
    var p124 = 0
    var p125 = 0
    var p126 = 0
    var p127 = 0
    var p128 = 0
    var p129 = 0
    var p130 = 0
    var p131 = 0
    @Relationship(inverse: \WidePart.wide) var parts: [WidePart] = []
    @Attribute(.externalStorage) var bytes: Data?
    init() {}
}

@Model final class WidePart {
    var name: String
    var wide: Wide?
    init(name: String) { self.name = name }
}

/// What is changed, left out of a fetch and told of in models with very many properties.
@Suite struct WideModelTests {
    private func container() throws -> ModelContainer {
        let container = try ModelContainer(for: Wide.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let wide = Wide()
        (wide.p0, wide.p62, wide.p63, wide.p64, wide.p127, wide.p128, wide.p131) = (1, 62, 63, 64, 127, 128, 131)
        wide.parts = [WidePart(name: "a")]
        wide.bytes = Data([1])
        context.insert(wide)
        try context.save()
        return container
    }

    private func list(_ numbers: Int...) -> [Int] { numbers }

    private func wide(_ container: ModelContainer) throws -> Wide {
        let context = ModelContext(container)
        return try #require(try context.fetch(FetchDescriptor<Wide>()).first)
    }

    @Test func aSetOfPropertiesHoldsWhatWasPutIn() {
        for count in [0, 1, 63, 64, 65, 128, 129, 400] {
            var set = PropertySet()
            for index in 0..<count where index % 3 == 0 { set.insert(index) }
            #expect((0..<500).allSatisfy { set.contains($0) == ($0 < count && $0 % 3 == 0) })
            #expect(set.isEmpty == (count == 0))
            let all = PropertySet.all(count)
            #expect((0..<500).allSatisfy { all.contains($0) == ($0 < count) })
            #expect(all == PropertySet.all(count) && all != PropertySet.all(count + 1))
        }
        for index in [0, 63, 64, 128, 131] {
            var set = PropertySet(index)
            set.insert(3)
            set.remove(index)
            set.remove(100)
            #expect(set == PropertySet(3) && !set.contains(index))
            set.remove(3)
            #expect(set == PropertySet() && set.isEmpty)
        }
        #expect(PropertySet(70) != PropertySet(6) && PropertySet(70) != PropertySet(134) && PropertySet(70) == PropertySet(70))
    }

    @Test func contextsThatChangeDifferentPropertiesLoseNothing() throws {
        let container = try container()
        let (here, there) = (ModelContext(container), ModelContext(container))
        let mine = try #require(try here.fetch(FetchDescriptor<Wide>()).first)
        let theirs = try #require(try there.fetch(FetchDescriptor<Wide>()).first)
        (mine.p62, mine.p100, mine.p129) = (1, 2, 3)
        (theirs.p63, theirs.p105, theirs.p130) = (4, 5, 6)
        try here.save()
        try there.save()
        let stored = try wide(container)
        #expect(list(stored.p62, stored.p100, stored.p129, stored.p63, stored.p105, stored.p130) == list(1, 2, 3, 4, 5, 6))
        #expect(list(stored.p0, stored.p64, stored.p127, stored.p128, stored.p131) == list(1, 64, 127, 128, 131))
        #expect(stored.parts.map(\.name) == ["a"] && stored.bytes == Data([1]))
    }

    @Test func theHistoryNamesWhatHasChanged() throws {
        let container = try container()
        let context = ModelContext(container)
        let wide = try #require(try context.fetch(FetchDescriptor<Wide>()).first)
        (wide.p64, wide.p130) = (7, 7)
        try context.save()
        let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
        guard case .update(let update as DefaultHistoryUpdate<Wide>) = last.changes.first else {
            Issue.record("no update in \(last)")
            return
        }
        #expect(Set(update.updatedAttributes) == [\Wide.p64, \Wide.p130])
    }

    @Test func aFetchLeavesOutWhatItIsNotAskedFor() throws {
        let container = try container()
        var descriptor = FetchDescriptor<Wide>()
        descriptor.propertiesToFetch = [\.p63, \.p127, \.p131]
        let context = ModelContext(container)
        let wide = try #require(try context.fetch(descriptor).first)
        let before = container.statementCounts.runs
        #expect(list(wide.p63, wide.p127, wide.p131) == list(63, 127, 131) && container.statementCounts.runs == before)
        #expect(wide.p128 == 128 && container.statementCounts.runs == before + 1)
        #expect(list(wide.p0, wide.p62, wide.p64) == list(1, 62, 64) && container.statementCounts.runs == before + 1)
    }

    @Test func whatIsFarBehindIsChangedRolledBackAndUndone() throws {
        let container = try container()
        let context = ModelContext(container)
        let manager = UndoManager()
        context.undoManager = manager
        let wide = try #require(try context.fetch(FetchDescriptor<Wide>()).first)
        (wide.p131, wide.bytes) = (5, Data([2]))
        wide.parts = []
        context.rollback()
        #expect(wide.p131 == 131 && wide.bytes == Data([1]) && wide.parts.count == 1)
        (wide.p131, wide.bytes) = (5, Data([2]))
        wide.parts.append(WidePart(name: "b"))
        try context.save()
        #expect(try self.wide(container).parts.count == 2)
        manager.undo()
        try context.save()
        let stored = try self.wide(container)
        #expect(stored.p131 == 131 && stored.bytes == Data([1]) && stored.parts.map(\.name) == ["a"])
    }
}
