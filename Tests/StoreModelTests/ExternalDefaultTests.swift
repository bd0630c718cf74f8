import Foundation
import StoreShared
import SwiftData
import Testing

@testable import StoreModel

/// Rows that are older than a property in a side table have its declared default, as they have that of a column.
@Suite struct ExternalDefaultTests {
    enum Old: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Photo.self, Panorama.self] }

        @Model class Photo {
            var name: String
            init(name: String) { self.name = name }
        }

        @Model final class Panorama: Photo {
            var angle = 90
            override init(name: String) { super.init(name: name) }
        }
    }

    enum Edited: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static var models: [any PersistentModel.Type] { [Photo.self, Panorama.self] }

        @Model class Photo {
            var name: String
            @Attribute(.externalStorage) var small: Data = Data([7])
            @Attribute(.externalStorage) var perhaps: Data? = Data([8, 9])
            @Attribute(.externalStorage) var empty: Data = Data()
            @Attribute(.externalStorage) var none: Data?
            init(name: String) { self.name = name }
        }

        @Model final class Panorama: Photo {
            var angle = 90
            @Attribute(.externalStorage) var wide: Data = Data([1, 2, 3])
            override init(name: String) { super.init(name: name) }
        }
    }

    enum New: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: [any PersistentModel.Type] { [Photo.self, Panorama.self] }

        @Model class Photo {
            var name: String
            @Attribute(.externalStorage) var small: Data = Data([7])
            @Attribute(.externalStorage) var perhaps: Data? = Data([8, 9])
            @Attribute(.externalStorage) var empty: Data = Data()
            @Attribute(.externalStorage) var none: Data?
            init(name: String) { self.name = name }
        }

        @Model final class Panorama: Photo {
            var angle = 90
            @Attribute(.externalStorage) var wide: Data = Data([1, 2, 3])
            override init(name: String) { super.init(name: name) }
        }
    }

    enum Light: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [Old.self, New.self] }
        static var stages: [MigrationStage] { [.lightweight(fromVersion: Old.self, toVersion: New.self)] }
    }

    /// One row is given other bytes by the code.
    enum Custom: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [Old.self, New.self] }
        static var stages: [MigrationStage] {
            [
                .custom(fromVersion: Old.self, toVersion: New.self, willMigrate: nil) { context in
                    for photo in try context.fetch(FetchDescriptor<New.Photo>()) {
                        #expect(photo.small == Data([7]))
                        if photo.name == "a" { (photo.small, photo.perhaps) = (Data([100]), nil) }
                    }
                    try context.save()
                }
            ]
        }
    }

    enum Mapped: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] { [Old.self, New.self] }
        static var stages: [MigrationStage] {
            [
                .mapped(fromVersion: Old.self, toVersion: New.self) { _, new in
                    for photo in try new.fetch(FetchDescriptor<New.Photo>(predicate: #Predicate { $0.name == "a" })) {
                        photo.small = Data([100])
                    }
                }
            ]
        }
    }

    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        let container = try folder.owner(Old.self)
        defer { container.close() }
        let context = ModelContext(container)
        for name in ["a", "b"] { context.insert(Old.Photo(name: name)) }
        context.insert(Old.Panorama(name: "c"))
        try context.save()
    }

    private func checkNew(_ plan: any SchemaMigrationPlan.Type, small: [Data], perhaps: [Data?]) throws {
        let container = try folder.owner(New.self, plan)
        defer { container.close() }
        let context = ModelContext(container)
        let photos = try context.fetch(FetchDescriptor<New.Photo>(sortBy: [SortDescriptor(\.name)]))
        #expect(photos.map(\.small) == small)
        #expect(photos.map(\.perhaps) == perhaps)
        #expect(photos.map(\.empty) == [Data(), Data(), Data()] && photos.map(\.none) == [nil, nil, nil])
        #expect((photos.last as? New.Panorama)?.wide == Data([1, 2, 3]))
        let seven = Data([7])
        let found = try context.fetchCount(FetchDescriptor<New.Photo>(predicate: #Predicate { $0.small == seven }))
        #expect(found == small.count { $0 == seven })
    }

    @Test func byALightweightStage() throws {
        try checkNew(Light.self, small: Array(repeating: Data([7]), count: 3), perhaps: Array(repeating: Data([8, 9]), count: 3))
    }

    @Test func beforeTheCodeOfACustomStage() throws {
        try checkNew(Custom.self, small: [Data([100]), Data([7]), Data([7])], perhaps: [nil, Data([8, 9]), Data([8, 9])])
    }

    /// What may be nil is what the code has made it.
    @Test func whereTheCodeOfAMappedStageHasNotWritten() throws {
        try checkNew(Mapped.self, small: [Data([100]), Data([7]), Data([7])], perhaps: [nil, nil, nil])
    }

    @Test func whenAVersionIsEditedInPlace() throws {
        for perhaps in [Data([8, 9]), nil] {
            let container = try folder.owner(Edited.self)
            defer { container.close() }
            let context = ModelContext(container)
            let photos = try context.fetch(FetchDescriptor<Edited.Photo>(sortBy: [SortDescriptor(\.name)]))
            #expect(photos.map(\.small) == Array(repeating: Data([7]), count: 3))
            #expect(photos.map(\.perhaps) == Array(repeating: perhaps, count: 3))
            #expect((photos.last as? Edited.Panorama)?.wide == Data([1, 2, 3]))
            // Not given again what has been taken.
            for photo in photos { photo.perhaps = nil }
            try context.save()
        }
    }
}
