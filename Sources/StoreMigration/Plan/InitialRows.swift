/// The rows that a table begins with where a stage adds it to a store that has data already.
package struct InitialRows: Sendable {
    let table: String
    /// Gives them in the order of the table's columns, from the schema after.
    let select: String

    package init(table: String, select: String) {
        self.table = table
        self.select = select
    }
}
