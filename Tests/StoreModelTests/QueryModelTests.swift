import Foundation
import SwiftData
import Testing

/// Predicates and sorts through a context, over models that the macro made.
@Suite struct QueryModelTests {
    let context: ModelContext

    init() throws {
        context = ModelContext(
            try ModelContainer(for: Folder.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let work = Folder(name: "Work"), home = Folder(name: "home")
        let labels = ["red", "green", "blue"].map { Label(name: $0) }
        for model in [work, home] { context.insert(model) }
        for label in labels { context.insert(label) }
        for (index, title) in ["file10", "File9", "apple", "Äpfel", "zebra", "100%"].enumerated() {
            let note = Note(title: title, created: Date(timeIntervalSinceReferenceDate: Double(index)))
            context.insert(note)
            note.count = index
            note.body = index.isMultiple(of: 2) ? title : nil
            note.folder = index < 2 ? work : index < 4 ? home : nil
            note.tags = Array(labels.prefix(index % 4))
            note.priority = index > 3 ? .high : .low
            note.mood = index == 1 ? .hurried : nil
            note.place = index == 2 ? Place(latitude: 1.5, longitude: 2) : nil
            note.words = Array(["a", "b", "c"].prefix(index % 3))
            note.price = Decimal(index) / 10
        }
        try context.save()
    }

    private func titles(_ predicate: Predicate<Note>?, _ order: SortDescriptor<Note>...) throws -> [String] {
        try context.fetch(FetchDescriptor(predicate: predicate, sortBy: order.isEmpty ? [SortDescriptor(\.created)] : order)).map(\.title)
    }

    @Test func predicatesReachEveryKindOfProperty() throws {
        let high = Priority.high, hurried: Mood? = .hurried, date = Date(timeIntervalSinceReferenceDate: 4), price = Decimal(string: "0.3")!
        #expect(try titles(#Predicate { $0.priority == high }) == ["zebra", "100%"])
        #expect(try titles(#Predicate { $0.mood == hurried }) == ["File9"])
        #expect(try titles(#Predicate { $0.created > date }) == ["100%"])
        #expect(try titles(#Predicate { $0.price == price }) == ["Äpfel"])
        #expect(try titles(#Predicate { $0.place?.latitude == 1.5 }) == ["apple"])
        #expect(try titles(#Predicate { $0.words.contains("b") }) == ["apple", "100%"])
        #expect(try titles(#Predicate { $0.body != "apple" }).count == 5)
        #expect(try titles(#Predicate { $0.priority.rawValue == 2 && $0.count == 4 }) == ["zebra"])
    }

    @Test func predicatesFollowRelationships() throws {
        #expect(try titles(#Predicate { $0.folder?.name == "Work" }) == ["file10", "File9"])
        #expect(try titles(#Predicate { $0.folder == nil }) == ["zebra", "100%"])
        #expect(try titles(#Predicate { $0.tags.contains { $0.name == "blue" } }) == ["Äpfel"])
        #expect(try titles(#Predicate { $0.tags.count == 1 }) == ["File9", "100%"])
        #expect(try titles(#Predicate { $0.folder?.notes.contains { $0.title == "apple" } == true }) == ["apple", "Äpfel"])
    }

    @Test func predicatesCompareIdentifiers() throws {
        let note = try #require(try context.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.created)])).first)
        let (id, folder) = (note.persistentModelID, note.folder?.persistentModelID), ids = [id]
        #expect(try titles(#Predicate { $0.persistentModelID == id }) == ["file10"])
        #expect(try titles(#Predicate { $0.id == id }) == ["file10"])
        #expect(try titles(#Predicate { ids.contains($0.persistentModelID) }) == ["file10"])
        #expect(try titles(#Predicate { $0.folder?.persistentModelID == folder }) == ["file10", "File9"])
        #expect(try titles(nil, SortDescriptor(\.persistentModelID, order: .reverse)).first == "100%")
        let unsaved = Note(title: "unsaved").persistentModelID
        #expect(try titles(#Predicate { $0.persistentModelID == unsaved }) == [])
    }

    @Test func searchIsLocalized() throws {
        #expect(try titles(#Predicate { $0.title.localizedStandardContains("APF") }) == ["Äpfel"])
        #expect(try titles(#Predicate { $0.title.localizedStandardContains("file") }) == ["file10", "File9"])
        #expect(try titles(#Predicate { $0.title.contains("file") }) == ["file10"])
        #expect(try titles(#Predicate { $0.title.contains("%") }) == ["100%"])
    }

    @Test func textsSortInStandardOrder() throws {
        #expect(
            try titles(nil, SortDescriptor(\.title))
                == ["100%", "Äpfel", "apple", "File9", "file10", "zebra"].sorted {
                    $0.localizedStandardCompare($1) == .orderedAscending
                })
        #expect(try titles(nil, SortDescriptor(\.body), SortDescriptor(\.created)).prefix(3) == ["File9", "Äpfel", "100%"])
    }

    @Test func whatIsNotStoredIsNamed() throws {
        let error = #expect(throws: SwiftDataError.self) { try titles(#Predicate { $0.doubled > 2 }) }
        #expect(error == .unsupportedPredicate)
        #expect("\(String(describing: error))".contains("Note stores no such property"))
        #expect(throws: SwiftDataError.unsupportedSortDescriptor) { try titles(nil, SortDescriptor(\.doubled)) }
    }

    @Test func descriptorsBuiltAlikeAreEqual() {
        func descriptor(_ title: String, _ count: Int) -> FetchDescriptor<Note> {
            FetchDescriptor(predicate: #Predicate { $0.title == title && $0.count == count }, sortBy: [SortDescriptor(\.title)])
        }
        #expect(descriptor("a", 1) == descriptor("a", 1))
        #expect(descriptor("a", 1) != descriptor("b", 1))
        #expect(descriptor("Variable(1)", 1) != descriptor("Variable(2)", 1))
        #expect(
            descriptor("a", 1)
                != FetchDescriptor(predicate: #Predicate { $0.class == "a" && $0.count == 1 }, sortBy: [SortDescriptor(\.title)]))
        var limited = descriptor("a", 1)
        limited.fetchLimit = 3
        #expect(limited != descriptor("a", 1))
    }
}
