import SwiftData

@Model
final class Writer {
    var name: String
    @Relationship(deleteRule: .deny, inverse: \Novel.author) var books: [Novel]?
    @Relationship(deleteRule: .nullify, inverse: \Home.owner) var address: Home?

    init(name: String) { self.name = name }
}

@Model
final class Home {
    var street: String
    var owner: Writer?

    init(street: String) { self.street = street }
}

@Model
final class Novel {
    var title: String
    var author: Writer
    /// No inverse: its pairs have a table of their own.
    var readers: [Fan] = []
    @Relationship(deleteRule: .nullify, inverse: \Chapter.book) var chapters: [Chapter] = []
    @Relationship(deleteRule: .noAction) var shelf: Board?

    init(title: String, author: Writer) {
        self.title = title
        self.author = author
    }
}

@Model
final class Fan {
    var name: String
    init(name: String) { self.name = name }
}

@Model
final class Board {
    var name: String
    init(name: String) { self.name = name }
}

@Model
final class Chapter {
    var title: String
    var book: Novel?
    init(title: String) { self.title = title }
}

@Model
final class Member {
    var name: String
    @Relationship(inverse: \Member.followers) var follows: [Member] = []
    var followers: [Member] = []
    @Relationship(inverse: \Member.children) var parent: Member?
    @Relationship(deleteRule: .cascade) var children: [Member] = []
    init(name: String) { self.name = name }
}
