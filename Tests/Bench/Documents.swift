import Foundation
import Storekeeper

/// A plan of models whose one stage counts the words of every document in `didMigrate`.
enum DocumentsPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [DocumentsVersion1.self, DocumentsVersion2.self] }

    static var stages: [MigrationStage] {
        [
            .custom(
                fromVersion: DocumentsVersion1.self, toVersion: DocumentsVersion2.self, willMigrate: nil,
                didMigrate: { context in
                    try context.enumerate(FetchDescriptor<DocumentsVersion2.Document>(), allowEscapingMutations: true) { document in
                        document.words = wordCount(document.body)
                    }
                    try context.save()
                })
        ]
    }

    /// How many words a text has, parted by white space.
    private static func wordCount(_ text: String) -> Int {
        var text = text
        return text.withUTF8 { bytes in
            var count = 0
            var isInWord = false
            for byte in bytes {
                let isSpace = byte == 0x20 || (0x09...0x0d).contains(byte)
                if isInWord == isSpace {
                    isInWord.toggle()
                    if isInWord { count += 1 }
                }
            }
            return count
        }
    }
}

enum DocumentsVersion1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Document.self] }

    @Model final class Document {
        var title: String
        var body: String
        var created: Date

        init(title: String, body: String, created: Date) {
            self.title = title
            self.body = body
            self.created = created
        }
    }
}

enum DocumentsVersion2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Document.self] }

    @Model final class Document {
        var title: String
        var body: String
        var created: Date
        var words: Int = 0

        init(title: String, body: String, created: Date) {
            self.title = title
            self.body = body
            self.created = created
        }
    }
}
