import Foundation
import Storekeeper

/// From 1.0.0 to 2.0.0: a rename, a clean-up before a new uniqueness, and a change of type.
public enum NotesPlan: SchemaMigrationPlan {
    public static var schemas: [any VersionedSchema.Type] {
        [NotesVersion1_0.self, NotesVersion1_1.self, NotesVersion1_2.self, NotesVersion2_0.self]
    }

    public static var stages: [MigrationStage] { [rename, uniqueKeys, textBodies] }

    /// The engine infers it all from `originalName` and the default of `wordCount`.
    static let rename = MigrationStage.lightweight(fromVersion: NotesVersion1_0.self, toVersion: NotesVersion1_1.self)

    /// Notes that the first release stored twice go before `key` becomes unique; then the words are counted.
    static let uniqueKeys = MigrationStage.custom(
        fromVersion: NotesVersion1_1.self, toVersion: NotesVersion1_2.self,
        willMigrate: { context in
            var last: String?
            let inOrder = FetchDescriptor<NotesVersion1_1.Note>(sortBy: [SortDescriptor(\.key, comparator: .lexical)])
            try context.enumerate(inOrder, batchSize: 5000, allowEscapingMutations: true) { note in
                if note.key == last { context.delete(note) }
                last = note.key
            }
            try context.save()
        },
        didMigrate: { context in
            try context.enumerate(FetchDescriptor<NotesVersion1_2.Note>(), batchSize: 5000, allowEscapingMutations: true) { note in
                note.wordCount = wordCount(ofUTF8: note.body)
            }
            try context.save()
        })

    /// Both shapes at once: no version in between, and no column that holds the old bytes for a while.
    static let textBodies = MigrationStage.mapped(fromVersion: NotesVersion1_2.self, toVersion: NotesVersion2_0.self) { old, new in
        try old.enumerate(FetchDescriptor<NotesVersion1_2.Note>(), batchSize: 5000) { note in
            guard let copy = new.model(for: note.persistentModelID) as? NotesVersion2_0.Note else { return }
            copy.body = String(decoding: note.body, as: UTF8.self)
        }
        try new.save()
    }
}

/// How many words a text has, parted by white space.
public func wordCount(ofUTF8 text: some Sequence<UInt8>) -> Int {
    var count = 0
    var isInWord = false
    for byte in text {
        let isSpace = byte == 0x20 || (0x09...0x0d).contains(byte)
        if isInWord == isSpace {
            isInWord.toggle()
            if isInWord { count += 1 }
        }
    }
    return count
}
