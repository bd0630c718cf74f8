// Only this import: what a program has that was written for SwiftData.
import SwiftData

enum Priority: Int, Codable, CaseIterable {
    case low = 1
    case high = 2
}

enum Mood: String, Codable {
    case calm, hurried
}

struct Place: Codable, Hashable {
    var latitude: Double
    var longitude: Double
}

@Model
final class Folder {
    @Attribute(.unique) var name: String
    var created = Date(timeIntervalSinceReferenceDate: 0)
    @Relationship(deleteRule: .cascade, inverse: \Note.folder) var notes: [Note] = []

    init(name: String) {
        self.name = name
    }
}

@Model
final class Label {
    @Attribute(.unique) var name: String
    var notes: [Note] = []

    init(name: String) {
        self.name = name
    }
}

@Model
final class Note {
    var title: String = ""
    var body: String?
    var count = 0
    var small: Int16 = 7
    var rating: Double = 0.5
    var weight: Float?
    var isPinned: Bool = false
    var created: Date
    var payload: Data?
    var uuid: UUID = UUID()
    var link: URL?
    var priority: Priority = Priority.low
    var mood: Mood?
    var place: Place?
    var words: [String] = []
    var price: Decimal = Decimal(0)
    @Attribute(originalName: "oldClass") var `class`: String = "plain"
    var folder: Folder?
    @Relationship(inverse: \Label.notes) var tags: [Label] = []
    @Transient var scratch: Int = 42
    private var hidden: Secret = Secret.none
    var doubled: Int { count * 2 }

    private enum Secret: String, Codable {
        case none, some
    }

    init(title: String, created: Date = Date(timeIntervalSinceReferenceDate: 100), folder: Folder? = nil) {
        self.created = created
        self.title = title
        self.folder = folder
    }

    func hide() { hidden = .some }
    var isHidden: Bool { hidden == .some }
}
