/// Names for objects that exist during a change only: such as nothing in the store has, before or after.
struct WorkNames {
    /// Folded.
    private var taken: Set<String>

    init(avoiding schemas: RelationalSchema...) {
        taken = schemas.reduce(into: []) { $0.formUnion($1.takenNames) }
    }

    /// A name that nobody has yet and that nobody gets again: the stem, with a number behind it where it is taken.
    mutating func next(_ stem: String) -> String {
        var name = stem
        var number = 2
        while !taken.insert(SQLName.folded(name)).inserted {
            name = "\(stem)_\(number)"
            number += 1
        }
        return name
    }
}
