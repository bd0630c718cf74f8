import Foundation
import StoreSQLite

/// What one expression of a predicate has become.
indirect enum Term {
    /// A value that depends on no row, of the expression's own type.
    case constant(Constant)
    /// A value in SQL.
    case scalar(SQLScalar)
    /// A value that only Swift can compute from one in SQL: what is at the end of `path`, which starts at a `root`.
    case path(SQLScalar, root: Any.Type, path: AnyKeyPath)
    /// A reference to a row.
    case model(ModelTerm)
    /// The rows of a relationship, or the elements of a list.
    case collection(CollectionTerm)
    /// The bounds of a range.
    case range(RangeTerm)

    static func computed(_ value: Any) -> Term { .constant(Constant(value)) }
}

/// A value in SQL.
///
/// NULL means `nil` where the expression's type is optional. Where it is not, NULL means *false* for a `Bool`, *not a number* for a
/// floating point value, and else a value that Swift would have failed to unwrap, which matches nothing.
struct SQLScalar {
    var sql: SQLFragment
    var kind: StorageKind
    /// Whether the SQL can be NULL.
    var canBeNull: Bool
    /// The variable whose absence makes the value NULL: optional chaining over it needs no guard.
    var origin: PredicateExpressions.VariableID?
    /// For an identifier, the entity that it is a row of.
    var entity: EntityTable?
    /// For an optional of an optional, the condition that the outer one is there; NULL says no more than that one of them is not.
    var presence: SQLFragment?
    /// For a value inside a JSON text, that text and the path in it.
    var json: (text: SQLFragment, path: String)?
    /// For JSON, the function that compares two of them as Swift values.
    var equalityNumber: Int64?
    /// For a conjunction, its parts.
    var conjuncts: [SQLFragment] = []

    /// The value as a condition that is never NULL.
    var truth: SQLFragment { canBeNull ? "(\(sql) IS TRUE)" : sql }

    static func condition(_ sql: SQLFragment, canBeNull: Bool = false) -> Term {
        .scalar(SQLScalar(sql: sql, kind: .boolean, canBeNull: canBeNull))
    }
}

/// A reference to a row: by the expression that gives its identifier and, where the row is in a FROM clause already, by its alias.
struct ModelTerm {
    let entity: EntityTable
    /// The identifier; NULL for `nil`.
    let id: SQLFragment
    /// The condition under which Swift would have stopped on the way here.
    var refusal: SQLFragment?
    /// The alias of the row, when one is in scope.
    var row: String?
    /// The FROM clause that a join for this row goes to.
    let scope: QueryScope
    var canBeNull: Bool
    var origin: PredicateExpressions.VariableID?

    /// The identifier as a value.
    var identifier: SQLScalar {
        SQLScalar(sql: id.refused(if: refusal), kind: .integer, canBeNull: canBeNull, origin: origin, entity: entity)
    }
}

/// The elements of a relationship or of a list: a FROM clause of their own, not yet closed.
struct CollectionTerm {
    let scope: QueryScope
    /// Conditions on the elements, from `filter`.
    var conditions: [SQLFragment] = []
    /// One element in that clause.
    let element: Term
    /// The condition under which there is a collection at all; nil: always.
    var presence: SQLFragment?
    /// The condition under which Swift would have stopped on the way here.
    var refusal: SQLFragment?

    /// The same, empty where there is none: the FROM clause of an absent owner has no rows by itself.
    var emptyIfAbsent: CollectionTerm {
        var collection = self
        collection.presence = nil
        return collection
    }

    /// `SELECT what FROM … WHERE …`, in parentheses.
    func select(_ what: SQLFragment, where condition: SQLFragment? = nil) -> SQLFragment {
        scope.select(what, where: conditions + (condition.map { [$0] } ?? []))
    }
}

/// The bounds of a range; nil where it is open.
struct RangeTerm {
    let lower: Term?
    let upper: Term?
    let includesUpper: Bool
}
