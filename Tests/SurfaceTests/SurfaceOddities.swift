import Foundation
import SwiftData

// What real model files have that is easily got wrong, in both language modes.

enum Namespace {
    /// In an enumeration, and final in an extension below.
    @Model
    final class Nested {
        var `default`: Int = 0  // with a comment behind it
        var _hidden = 3 /* and another */
        private(set) var count = 0
        var inferred = ["a", "b"]
        var optional: Optional<Int> = nil
        @Transient var doubled: Int { count * 2 }
        @Transient var cache = [Int]()
        var made: Date
        static let shared = 5
        lazy var later = 7

        init(made: Date) {
            self.made = made
        }

        func grow() { count += 1 }
    }
}

extension Namespace {
    @Model
    final class Extended {
        @Attribute(.unique) var code: String
        var nested: Namespace.Nested?
        init(code: String) { self.code = code }
    }
}

/// Identifies itself, and has a property that the protocol has too.
@Model
final class Ticket {
    var id: String
    var isDeleted = false
    var hasChanges = "no"

    init(id: String) {
        self.id = id
    }
}

/// Says itself that it can be sent.
@Model
final class Postcard: @unchecked Sendable {
    var text: String
    init(text: String) { self.text = text }
}

/// With an accessor that is written by hand over the names of the macro.
@Model
final class Handwritten {
    @Transient
    var celsius: Double {
        @storageRestrictions(accesses: _$backingData, initializes: _kelvin)
        init(initialValue) {
            _$backingData.setValue(forKey: \.kelvin, to: initialValue + 273.15)
            _kelvin = _SwiftDataNoType()
        }
        get { kelvin - 273.15 }
        set { kelvin = newValue + 273.15 }
    }
    private(set) var kelvin: Double

    init(celsius: Double) {
        self.celsius = celsius
    }
}

/// Three levels, the middle one with an initialiser of its own for backing data.
@Model
class Grandparent {
    var a = 1
    init() {}
}

@available(macOS 26, iOS 26, *)
@Model
class Parent: Grandparent {
    var b = 2
    override init() { super.init() }
}

@available(macOS 26, iOS 26, *)
@Model
final class Grandchild: Parent {
    var c = 3
    override init() { super.init() }
}

func surfaceOfOddities() throws -> [String] {
    let container = try ModelContainer(
        for: Namespace.Extended.self, Ticket.self, Postcard.self, Handwritten.self, Grandchild.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let nested = Namespace.Nested(made: Date(timeIntervalSinceReferenceDate: 5))
    nested.default = 4
    nested._hidden = 5
    nested.grow()
    let extended = Namespace.Extended(code: "x")
    extended.nested = nested
    let ticket = Ticket(id: "T1")
    ticket.isDeleted = true
    context.insert(extended)
    context.insert(ticket)
    context.insert(Postcard(text: "p"))
    context.insert(Handwritten(celsius: 20))
    context.insert(Grandchild())
    try context.save()
    let other = ModelContext(container)
    var found: [String] = []
    for model in try other.fetch(FetchDescriptor<Namespace.Extended>()) {
        found.append("\(model.code) \(model.nested?.default ?? 0) \(model.nested?._hidden ?? 0) \(model.nested?.doubled ?? 0)")
        found.append("\(model.nested?.made.timeIntervalSinceReferenceDate ?? 0) \(model.nested?.inferred.count ?? 0)")
    }
    let wanted = "T1"
    for model in try other.fetch(FetchDescriptor<Ticket>(predicate: #Predicate { $0.id == wanted && $0.isDeleted })) {
        let _: Ticket.ID = model.id
        found.append("\(model.id) \(model.isDeleted) \(model.hasChanges)")
    }
    for model in try other.fetch(FetchDescriptor<Handwritten>()) {
        found.append("\(Int(model.kelvin.rounded())) \(Int(model.celsius.rounded()))")
    }
    for model in try other.fetch(FetchDescriptor<Grandchild>()) { found.append("\(model.a)\(model.b)\(model.c)") }
    return found
}
