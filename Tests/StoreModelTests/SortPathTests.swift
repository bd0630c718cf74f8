import Foundation
import SwiftData
import Testing

@testable import StoreModel

@Model final class Shop {
    var name: String
    var city: City
    var manager: Employee?
    var hours: Hours
    var oldHours: Hours?
    init(name: String, city: City, hours: Hours) {
        self.name = name
        self.city = city
        self.hours = hours
    }
}

@Model final class City {
    var name: String
    var country: Country?
    init(name: String) { self.name = name }
}

@Model final class Country {
    var code: String
    var size: Decimal
    init(code: String, size: Decimal) {
        self.code = code
        self.size = size
    }
}

@Model final class Employee {
    var name: String
    var age: Int?
    var home: City?
    init(name: String) { self.name = name }
    /// Computed: no column has it.
    var shout: String { name.uppercased() }
}

struct Hours: Codable, Equatable {
    struct Span: Codable, Equatable {
        var opens = 8
        var closes = 18.5
    }
    var label = ""
    var weekdays = Span()
    var note: String?
}

/// Sorts through relationships and into `Codable` values, in SQL and with pending changes, against the same in Swift.
@Suite struct SortPathTests {
    let context: ModelContext

    init() throws {
        context = ModelContext(
            try ModelContainer(for: Shop.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
        let countries = [Country(code: "b10", size: 9), Country(code: "b9", size: 10)]
        let cities = ["Ulm", "Äpfel", "Bonn", "cairo"].map { City(name: $0) }
        let people = ["file10", "file9", "Zed"].map { Employee(name: $0) }
        cities.forEach(context.insert)
        people.forEach(context.insert)
        (cities[0].country, cities[2].country, cities[3].country) = (countries[0], countries[1], countries[0])
        (people[0].age, people[2].age) = (50, 20)
        (people[0].home, people[1].home) = (cities[1], cities[2])
        for number in 0..<24 {
            var hours = Hours(label: "l\(number % 5)", note: number % 4 == 0 ? nil : "n\(number % 7)")
            hours.weekdays = Hours.Span(opens: number % 6, closes: Double(number % 8) / 3)
            let shop = Shop(name: "\(number)", city: cities[number % 4], hours: hours)
            context.insert(shop)
            shop.manager = number % 4 == 3 ? nil : people[number % 3]
            shop.oldHours = number % 3 == 0 ? nil : hours
        }
        try context.save()
    }

    private func check<Value>(
        _ descriptors: [SortDescriptor<Shop>], _ key: (Shop) -> Value, _ areInOrder: (Value, Value) -> Bool,
        location: SourceLocation = #_sourceLocation
    ) throws {
        for pending in [false, true] {
            if pending { try #require(try context.fetch(FetchDescriptor<Shop>()).first).name += "!" }
            let order = descriptors + [SortDescriptor(\.persistentModelID)]
            let shops = try context.fetch(FetchDescriptor<Shop>(sortBy: order))
            let expected = try context.fetch(FetchDescriptor<Shop>(sortBy: [SortDescriptor(\.persistentModelID)])).enumerated().sorted {
                areInOrder(key($0.element), key($1.element))
                    || !areInOrder(key($1.element), key($0.element)) && $0.offset < $1.offset
            }.map(\.element.name)
            #expect(shops.map(\.name) == expected, "pending: \(pending)", sourceLocation: location)
            context.rollback()
        }
    }

    private func standard(_ a: String?, _ b: String?) -> Bool {
        switch (a, b) {
        case (nil, nil), (_, nil): false
        case (nil, _): true
        case (let a?, let b?): a.localizedStandardCompare(b) == .orderedAscending
        }
    }

    private func less<T: Comparable>(_ a: T?, _ b: T?) -> Bool {
        switch (a, b) {
        case (nil, nil), (_, nil): false
        case (nil, _): true
        case (let a?, let b?): a < b
        }
    }

    @Test func throughARequiredRelationship() throws {
        try check([SortDescriptor(\Shop.city.name)], { $0.city.name }, standard)
        try check([SortDescriptor(\Shop.city.name, order: .reverse)], { $0.city.name }) { self.standard($1, $0) }
        try check([SortDescriptor(\Shop.city.persistentModelID)], { $0.city.persistentModelID }, <)
    }

    @Test func throughAnOptionalRelationship() throws {
        try check([SortDescriptor(\Shop.manager?.name)], { $0.manager?.name }, standard)
        try check([SortDescriptor(\Shop.manager?.age)], { $0.manager?.age }, less)
        try check([SortDescriptor(\Shop.manager?.persistentModelID)], { $0.manager?.persistentModelID }, less)
    }

    @Test func throughSeveralRelationships() throws {
        try check([SortDescriptor(\Shop.city.country?.code)], { $0.city.country?.code }, standard)
        try check([SortDescriptor(\Shop.city.country?.size)], { $0.city.country?.size }, less)
        try check([SortDescriptor(\Shop.manager?.home?.name)], { $0.manager?.home?.name }, standard)
        try check([SortDescriptor(\Shop.manager?.home?.country?.code)], { $0.manager?.home?.country?.code }, standard)
    }

    @Test func aForcedRelationshipThatIsThere() throws {
        let descriptor = FetchDescriptor<Shop>(
            predicate: #Predicate { $0.manager != nil }, sortBy: [SortDescriptor(\Shop.manager!.name), SortDescriptor(\.persistentModelID)])
        let names = try context.fetch(descriptor).map { $0.manager?.name ?? "" }
        #expect(names == names.sorted { $0.localizedStandardCompare($1) == .orderedAscending } && names.count == 18)
    }

    @Test func intoACodableValue() throws {
        try check([SortDescriptor(\Shop.hours.label)], { $0.hours.label }, standard)
        try check([SortDescriptor(\Shop.hours.weekdays.opens, order: .reverse)], { $0.hours.weekdays.opens }, >)
        try check([SortDescriptor(\Shop.hours.weekdays.closes)], { $0.hours.weekdays.closes }, <)
        try check([SortDescriptor(\Shop.hours.note)], { $0.hours.note }, standard)
        try check([SortDescriptor(\Shop.oldHours?.weekdays.opens)], { $0.oldHours?.weekdays.opens }, less)
    }

    @Test func severalDescriptorsTogether() throws {
        try check(
            [SortDescriptor(\Shop.city.name), SortDescriptor(\Shop.hours.weekdays.opens, order: .reverse)],
            { ($0.city.name, $0.hours.weekdays.opens) }
        ) { a, b in self.standard(a.0, b.0) || a.0 == b.0 && a.1 > b.1 }
    }

    @Test func whatHasNoOrderIsNamedWithoutAddresses() throws {
        func refusal(_ descriptor: SortDescriptor<Shop>) throws -> String {
            let error = #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
                try context.fetch(FetchDescriptor<Shop>(sortBy: [descriptor]))
            }
            return "\(try #require(error))"
        }
        let text = try refusal(SortDescriptor(\Shop.manager?.shout))
        #expect(text.contains("Shop cannot be sorted by") && text.contains("manager") && !text.contains("0x"), "\(text)")
        let predicate = #expect(throws: SwiftDataError.unsupportedPredicate) {
            try context.fetch(FetchDescriptor<Shop>(predicate: #Predicate { $0.manager?.shout == "X" }))
        }
        let said = "\(try #require(predicate))"
        #expect(said.contains("String") && said.contains("Employee stores no such property") && !said.contains("0x"), "\(said)")
    }
}
