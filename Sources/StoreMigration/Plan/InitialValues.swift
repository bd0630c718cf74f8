/// What rows hold as soon as a stage has made a table, besides the defaults of its columns.
package struct InitialValues: Sendable {
    /// It is run where the store had no table of this name before the stage.
    let table: String
    /// One statement on the schema after. Rows that break a constraint are left as they are.
    let statement: String

    package init(table: String, statement: String) {
        self.table = table
        self.statement = statement
    }
}
