/// The tables before which others stand, with what is pending in a context.
package struct PendingTables: Hashable, Sendable {
    /// Those with rows that are new or changed.
    package var filled: Set<String> = []
    /// Those of which rows are deleted: a reference to one of them is nil.
    package var emptied: Set<String> = []

    package init() {}
}
