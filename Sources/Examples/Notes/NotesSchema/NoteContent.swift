import Foundation

/// What a note says, in whatever version it is stored.
public struct NoteContent: Hashable {
    public var key: String
    public var title: String
    /// UTF-8.
    public var body: [UInt8]
    public var created: Date
    public var folder: String
    /// Sorted.
    public var tags: [String]
    /// nil in versions that do not count them.
    public var words: Int?

    public init(key: String, title: String, body: [UInt8], created: Date, folder: String, tags: [String], words: Int? = nil) {
        self.key = key
        self.title = title
        self.body = body
        self.created = created
        self.folder = folder
        self.tags = tags
        self.words = words
    }
}

/// A note whose values cannot be what this version writes: the reader was shown another shape.
public struct WrongShape: Error, CustomStringConvertible {
    public var key: String
    public var reason: String

    public init(key: String, reason: String) {
        self.key = key
        self.reason = reason
    }

    public var description: String { "note '\(key)': \(reason)" }
}

extension NoteContent {
    /// Checks what must hold of every note that the importer wrote and every migration kept.
    public func verify() throws(WrongShape) {
        if key.isEmpty { throw WrongShape(key: key, reason: "its key is empty") }
        if String(validating: body, as: UTF8.self) == nil { throw WrongShape(key: key, reason: "its body is no UTF-8") }
        if !body.starts(with: title.utf8) { throw WrongShape(key: key, reason: "its body does not begin with its title '\(title)'") }
        let minutes = created.timeIntervalSinceReferenceDate / 60
        if minutes < 0 || minutes != minutes.rounded() { throw WrongShape(key: key, reason: "it was created at \(created)") }
        if folder.isEmpty { throw WrongShape(key: key, reason: "it is in no folder") }
        if tags.contains("") { throw WrongShape(key: key, reason: "it has a tag without a name") }
        if Set(tags).count != tags.count { throw WrongShape(key: key, reason: "it has a tag twice") }
        if let words, words != wordCount(ofUTF8: body) {
            throw WrongShape(key: key, reason: "it says \(words) words and has \(wordCount(ofUTF8: body))")
        }
    }
}
