/// Links between rows that lie elsewhere in the new version: in a column before and in a table of pairs after, or the reverse.
///
/// They are set aside before the schema changes and put in their new place after it, in the transaction of the stage. A link
/// to a row that is not there is no link.
package struct CarriedLinks: Sendable {
    /// Where links go.
    package enum Place: Sendable {
        /// A column of the row at the given end names the row at the other; a value that is there stays.
        case column(table: String, column: String, holds: End)
        /// A row of a table for each link.
        case pairs(table: String, first: String, second: String)
    }

    /// The two ends of a link.
    package enum End: Sendable {
        case first, second
    }

    /// The relationship, for people: `Book.shelf`.
    package let name: String
    /// Gives the two ends of each link, from the schema before: two integers, neither of them NULL.
    package let source: String
    package let place: Place

    package init(name: String, source: String, place: Place) {
        self.name = name
        self.source = source
        self.place = place
    }
}
