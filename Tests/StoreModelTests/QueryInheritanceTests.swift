import Foundation
import StoreModel
import StoreSQLite
import Testing

private class Person {
    let row: Int64
    var name: String
    var friend: Person?
    init(row: Int64, name: String) { (self.row, self.name) = (row, name) }
}

private final class Student: Person {
    var school = ""
}

/// Classes that share one table.
@Suite struct QueryInheritanceTests {
    private static let catalog = EntityCatalog([
        EntityTable(
            name: "Person", table: "Person", modelType: Person.self,
            properties: [
                \Person.name: .init(name: "name", storage: .column("name", kind: .text)),
                \Person.friend: .init(name: "friend", storage: .toOne(column: "friend", target: "Person")),
            ], identifierKeyPaths: [], classNames: ["Person", "Student"]),
        EntityTable(
            name: "Student", table: "Person", modelType: Student.self,
            properties: [
                \Student.name: .init(name: "name", storage: .column("name", kind: .text)),
                \Student.school: .init(name: "school", storage: .column("school", kind: .text)),
            ], identifierKeyPaths: [], classNames: ["Student"]),
    ])

    private let connection: Connection
    private let people: [Person]

    init() throws {
        connection = try Connection.inMemory()
        try QueryFunctions.register(on: connection)
        let (ada, ben, cem, dan) = (
            Person(row: 1, name: "Ada"), Student(row: 2, name: "Ben"), Student(row: 3, name: "Cem"), Person(row: 4, name: "Dan")
        )
        (ben.school, cem.school, ada.friend, dan.friend) = ("North", "South", ben, ada)
        people = [ada, ben, cem, dan]
        try connection.execute(
            """
            CREATE TABLE Person (storekeeper_id INTEGER PRIMARY KEY, storekeeper_class TEXT NOT NULL, name TEXT, school TEXT, friend INTEGER);
            INSERT INTO Person VALUES (1, 'Person', 'Ada', NULL, 2), (2, 'Student', 'Ben', 'North', NULL),
                (3, 'Student', 'Cem', 'South', NULL), (4, 'Person', 'Dan', NULL, 1);
            """)
    }

    private func check(_ predicate: Predicate<Person>, location: SourceLocation = #_sourceLocation) throws {
        let statement = try FetchTranslation(of: #require(Self.catalog.entity(named: "Person")), in: Self.catalog, where: predicate)
            .select()
        let rows = try connection.rows(statement.sql, statement.bindings).compactMap { $0[0].integer }
        let expected = try people.filter { try predicate.evaluate($0) }.map(\.row)
        #expect(rows == expected, "\(predicate)", sourceLocation: location)
    }

    @Test func classesCanBeAskedFor() throws {
        try check(#Predicate { $0 is Student })
        try check(#Predicate { !($0 is Student) })
        try check(#Predicate { $0.friend is Student })
    }

    @Test func castsReachThePropertiesOfASubclass() throws {
        try check(#Predicate { ($0 as? Student)?.school == "North" })
        try check(#Predicate { ($0.friend as? Student)?.school == "North" })
        try check(#Predicate { if let student = $0 as? Student { student.school == "South" } else { $0.name == "Dan" } })
    }

    // MARK: At random

    private static let names = ["Ada", "Ben", ""], schools = ["North", "South", ""]

    /// One condition about classes, with captured values that rows have too.
    private static func condition(using random: inout SeededGenerator) -> Predicate<Person> {
        let name = names.randomElement(using: &random)!, school = schools.randomElement(using: &random)!
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return #Predicate { $0 is Student }
        case 1: return #Predicate { !($0 is Student) }
        case 2: return #Predicate { $0.friend is Student }
        case 3: return #Predicate { ($0 as? Student)?.school == school }
        case 4: return #Predicate { ($0 as? Student)?.school != school }
        case 5: return #Predicate { ($0.friend as? Student)?.school == school }
        case 6: return #Predicate { ($0.friend as? Student)?.name == name }
        case 7: return #Predicate { $0 is Student && ($0 as! Student).school == school }
        case 8: return #Predicate { if let student = $0 as? Student { student.school == school } else { $0.name == name } }
        default: return #Predicate { $0.friend?.friend is Student || $0.name == name }
        }
    }

    private static func predicate(_ depth: Int, using random: inout SeededGenerator) -> Predicate<Person> {
        guard depth > 0 else { return condition(using: &random) }
        let all = Bool.random(using: &random), count = Int.random(in: 1...3, using: &random)
        let parts = (0..<count).map { _ in predicate(depth - 1, using: &random) }
        return all ? Predicate(all: parts) : Predicate(any: parts)
    }

    private static func graph(using random: inout SeededGenerator) throws -> ([Person], Connection) {
        let people = (1...12).map { row -> Person in
            let name = names.randomElement(using: &random)!
            guard Bool.random(using: &random) else { return Person(row: Int64(row), name: name) }
            let student = Student(row: Int64(row), name: name)
            student.school = schools.randomElement(using: &random)!
            return student
        }
        for person in people { person.friend = Bool.random(using: &random) ? people.randomElement(using: &random) : nil }
        let connection = try Connection.inMemory()
        try QueryFunctions.register(on: connection)
        try connection.execute(
            "CREATE TABLE Person (storekeeper_id INTEGER PRIMARY KEY, storekeeper_class TEXT NOT NULL, name TEXT, school TEXT, friend INTEGER)"
        )
        for person in people {
            let student = person as? Student
            try connection.run(
                "INSERT INTO Person VALUES (?, ?, ?, ?, ?)", .integer(person.row), .text(student == nil ? "Person" : "Student"),
                .text(person.name), student.map { .text($0.school) } ?? .null, person.friend.map { .integer($0.row) } ?? .null)
        }
        return (people, connection)
    }

    /// `STORE_SEED` and `STORE_ROUNDS` in the environment repeat a run or make it longer.
    @Test func theRowsOfRandomConditionsAboutClassesAreThoseOfTheirEvaluation() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["STORE_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9_999_999)
        let rounds = environment["STORE_ROUNDS"].flatMap { Int($0) } ?? 400
        print("STORE_SEED=\(seed)")
        var random = SeededGenerator(seed: seed)
        var (people, connection) = try Self.graph(using: &random)
        for round in 0..<rounds {
            if round % 50 == 49 { (people, connection) = try Self.graph(using: &random) }
            let predicate = Self.predicate(Int.random(in: 0...3, using: &random), using: &random)
            let statement = try FetchTranslation(of: #require(Self.catalog.entity(named: "Person")), in: Self.catalog, where: predicate)
                .select()
            let rows = try connection.rows(statement.sql, statement.bindings).compactMap { $0[0].integer }
            let expected = try people.filter { try predicate.evaluate($0) }.map(\.row)
            #expect(rows == expected, "seed \(seed), round \(round): \(predicate)\n\(statement.sql)\n\(statement.bindings)")
        }
    }

    @Test func aSubclassIsFetchedAlone() throws {
        let student = try #require(Self.catalog.entity(named: "Student"))
        let statement = try FetchTranslation(of: student, in: Self.catalog, where: #Predicate<Student> { $0.name > "A" }).count()
        #expect(try connection.rows(statement.sql, statement.bindings) == [[.integer(2)]])
    }
}
