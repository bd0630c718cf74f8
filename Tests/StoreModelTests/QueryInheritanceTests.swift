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

    @Test func aSubclassIsFetchedAlone() throws {
        let student = try #require(Self.catalog.entity(named: "Student"))
        let statement = try FetchTranslation(of: student, in: Self.catalog, where: #Predicate<Student> { $0.name > "A" }).count()
        #expect(try connection.rows(statement.sql, statement.bindings) == [[.integer(2)]])
    }
}
