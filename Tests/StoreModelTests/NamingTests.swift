import Foundation
import SwiftData
import Testing

@testable import StoreModel

private enum Reserved {
    @Model final class sqlite_note {
        var title = ""
        init() {}
    }
    @Model final class Storekeeper_Metadata {
        var title = ""
        init() {}
    }
    @Model final class Item {
        var storekeeper_id = 0
        init() {}
    }
}

private enum Colliding {
    @Model final class Note {
        var tags: [Tag] = []
        init() {}
    }
    @Model final class Tag {
        var name = ""
        init() {}
    }
    @Model final class Note_tags {
        var name = ""
        init() {}
    }
    @Model final class note {
        var name = ""
        init() {}
    }
}

/// Names that no table, column or file can have are refused with the name of the model and the property.
@Suite struct NamingTests {
    private func refusal(_ types: any PersistentModel.Type...) throws -> String {
        let error = #expect(throws: SwiftDataError.self) {
            try ModelContainer(for: Schema(types), configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
        }
        return try #require(error).description
    }

    @Test func reservedNamesAreRefused() throws {
        let model = try refusal(Reserved.sqlite_note.self)
        #expect(model.contains("sqlite_note") && model.contains("reserved") && !model.contains("CREATE"))
        #expect(try refusal(Reserved.Storekeeper_Metadata.self).contains("Storekeeper_Metadata"))
        let property = try refusal(Reserved.Item.self)
        #expect(property.contains("Item.storekeeper_id") && property.contains("reserved") && !property.contains("CREATE"))
    }

    @Test func tablesOfOneNameAreRefused() throws {
        let pairs = try refusal(Colliding.Note.self, Colliding.Note_tags.self)
        #expect(pairs.contains("Note.tags") && pairs.contains("Note_tags") && !pairs.contains("CREATE"))
        let classes = try refusal(Colliding.Note.self, Colliding.note.self)
        #expect(classes.contains("model note") && classes.contains("model Note") && !classes.contains("CREATE"))
    }

    @Test(arguments: [true, false]) func aFileNameThatIsTooLongIsRefused(allowsSave: Bool) throws {
        let folder = try TestFolder()
        func open(_ length: Int) throws {
            let url = folder.url.appendingPathComponent(String(repeating: "n", count: length))
            try ModelContainer(for: Folder.self, configurations: ModelConfiguration(url: url, allowsSave: allowsSave)).close()
        }
        let error = #expect(throws: SwiftDataError.self) { try open(300) }
        #expect(error == .configurationFileNameTooLong && error?.description.contains("300 bytes") == true)
        #expect(throws: SwiftDataError.configurationFileNameTooLong) { try open(248) }
        guard allowsSave else { return }
        try open(247)
    }

    @Test func amodelOfAnotherStoreIsToldFromOneOfAnotherContext() throws {
        let containers = try (0..<2).map { _ in try memoryContainer() }
        let contexts = [ModelContext(containers[0]), ModelContext(containers[0]), ModelContext(containers[1])]
        let folder = Folder(name: "f")
        contexts[0].insert(folder)
        contexts[1].insert(folder)
        let sameStore = #expect(throws: SwiftDataError.self) { try contexts[1].save() }
        #expect(sameStore?.description.contains("belongs to another context") == true)
        contexts[2].insert(folder)
        let otherStore = #expect(throws: SwiftDataError.self) { try contexts[2].save() }
        #expect(otherStore?.description.contains("belongs to another store") == true)
    }
}
