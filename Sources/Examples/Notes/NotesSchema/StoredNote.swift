import Foundation
import Storekeeper

/// A note of a version that programs read, seen as what it says.
public protocol StoredNote: PersistentModel {
    associatedtype StoredFolder: PersistentModel
    associatedtype StoredTag: PersistentModel

    /// All notes, those with equal keys beside each other.
    static var inOrder: FetchDescriptor<Self> { get }

    /// What the note says; its folder and its tags are read for it.
    var content: NoteContent { get }
}

extension NotesVersion1_0.Note: StoredNote {
    public typealias StoredFolder = NotesVersion1_0.Folder
    public typealias StoredTag = NotesVersion1_0.Tag

    public static var inOrder: FetchDescriptor<NotesVersion1_0.Note> {
        FetchDescriptor(sortBy: [SortDescriptor(\.key, comparator: .lexical)])
    }

    public var content: NoteContent {
        NoteContent(
            key: key, title: title, body: [UInt8](body), created: created, folder: folder?.name ?? "", tags: tags.map(\.name).sorted())
    }
}

extension NotesVersion2_0.Note: StoredNote {
    public typealias StoredFolder = NotesVersion2_0.Folder
    public typealias StoredTag = NotesVersion2_0.Tag

    public static var inOrder: FetchDescriptor<NotesVersion2_0.Note> {
        FetchDescriptor(sortBy: [SortDescriptor(\.key, comparator: .lexical)])
    }

    public var content: NoteContent {
        NoteContent(
            key: key, title: title, body: [UInt8](body.utf8), created: createdAt, folder: folder?.name ?? "",
            tags: tags.map(\.name).sorted(), words: wordCount)
    }
}
