import Foundation
import StoreSQLite

/// An expression of a predicate that has a form in SQL.
protocol SQLTranslatable {
    /// The expression in SQL.
    ///
    /// - Throws: `QueryError` when these operands have no form in SQL.
    func term(in translator: PredicateTranslator) throws -> Term
    /// Says what it looks like: first its own operator, key path or variable, then its parts in the order in which `term` translates them.
    func outline(_ shape: inout PredicateShape)
}

/// Translates one predicate: which variable is which row, and what has been joined so far.
final class PredicateTranslator {
    let catalog: EntityCatalog
    /// The store whose identifiers are meant; nil when any store's are.
    let store: String?
    /// The entity that is fetched, for messages.
    private let fetched: String
    /// The FROM clause that is being written.
    var scope: QueryScope
    /// What each variable stands for.
    private var variables: [PredicateExpressions.VariableID: Term] = [:]
    /// The variables that stand for a captured value, for evaluating what depends on nothing else.
    private var constants = PredicateBindings()
    private var aliases = 0
    /// Whether the SQL does not depend on what the captured values are, but for what their shape says.
    var isReusable = true
    /// The tables that are read.
    var tables: Set<String> = []
    /// Of them, those before which others stand, with a context's pending changes.
    let pending: PendingTables
    /// Of the captured values, in the order in which they were met.
    private(set) var capturedTypes: [ObjectIdentifier] = []
    /// The expression that is being translated, behind all that it is a part of.
    private var path: [any PredicateExpression] = []

    init(of fetched: String, catalog: EntityCatalog, store: String?, scope: QueryScope, pending: PendingTables = PendingTables()) {
        self.fetched = fetched
        self.pending = pending
        self.catalog = catalog
        self.store = store
        self.scope = scope
    }

    /// A new alias: `t1`, `t2`…
    func alias() -> String {
        aliases += 1
        return "t\(aliases)"
    }

    /// The expression in SQL.
    ///
    /// - Throws: `QueryError` naming the expression when it has no form in SQL.
    func term(_ expression: any PredicateExpression) throws -> Term {
        guard let translatable = expression as? any SQLTranslatable else {
            throw unsupported(expression, "it has no form in SQL")
        }
        path.append(expression)
        defer { path.removeLast() }
        guard path.count <= PredicateShape.deepest else {
            throw QueryError(
                .unsupportedPredicate,
                "The predicate of \(fetched) cannot be fetched: its expressions stand more than \(PredicateShape.deepest) deep in each other; "
                    + "put its parts beside each other with Predicate(all:) and Predicate(any:)")
        }
        return try translatable.term(in: self)
    }

    /// The next value that the predicate has captured.
    func captured<V>(_ value: V) -> Constant {
        capturedTypes.append(ObjectIdentifier(V.self))
        return Constant(Captured(value), capture: capturedTypes.count - 1)
    }

    func variable(_ key: PredicateExpressions.VariableID) -> Term? { variables[key] }

    /// Translates with `variable` standing for `term`.
    func binding<T, Result>(
        _ variable: PredicateExpressions.Variable<T>, to term: Term, _ body: () throws -> Result
    ) throws -> Result {
        let outer = variables[variable.key]
        variables[variable.key] = term
        defer { variables[variable.key] = outer }
        guard case .constant(let constant) = term, let value = peek(constant) as? T else { return try body() }
        let outerConstants = constants
        constants[variable] = value
        defer { constants = outerConstants }
        return try body()
    }

    /// Lets `variable` stand for `term` from now on. For variables that only one expression knows.
    func bind<T>(_ variable: PredicateExpressions.Variable<T>, to term: Term) {
        variables[variable.key] = term
        if case .constant(let constant) = term, let value = peek(constant) as? T { constants[variable] = value }
    }

    /// Translates in another FROM clause.
    func within<Result>(_ inner: QueryScope, _ body: () throws -> Result) rethrows -> Result {
        let outer = scope
        scope = inner
        defer { scope = outer }
        return try body()
    }

    /// The value of an expression that depends on no row.
    func fold<E: PredicateExpression>(_ expression: E) throws -> Term {
        isReusable = false
        do {
            return .computed(try expression.evaluate(constants))
        } catch {
            throw unsupported(expression, "its captured values cannot be evaluated (\(error))")
        }
    }

    /// The error for the expression that is being translated, which it names.
    func unsupported(_ reason: String) -> QueryError {
        if let expression = path.last { return unsupported(expression, reason) }
        return QueryError(.unsupportedPredicate, "The predicate of \(fetched) cannot be fetched: \(reason)")
    }

    /// The error for an expression, which it names.
    func unsupported(_ expression: any PredicateExpression, _ reason: String) -> QueryError {
        let text = KeyPathText.replacingAddresses(in: "\(expression)", names: KeyPathText.names(of: catalog.entities))
        return QueryError(
            .unsupportedPredicate, "This part of the predicate of \(fetched) cannot be fetched: \(text.shortened): \(reason)")
    }
}

// MARK: - Terms as values

extension PredicateTranslator {
    /// `expression` as a value in SQL; a captured value takes the form of `other`, with which it is compared.
    func scalar<E: PredicateExpression>(_ expression: E, _ term: Term, like other: SQLScalar? = nil) throws -> SQLScalar {
        switch term {
        case .scalar(let scalar): return scalar
        case .model(let model): return model.identifier
        case .constant(let constant): return try parameter(constant, type: E.Output.self, like: other, in: expression)
        case .path(let base, let root, let path):
            guard let number = SwiftFunctions.number(of: path, root: root) else {
                throw unsupported(expression, "a value of type \(E.Output.self) cannot be held in SQL")
            }
            return SQLScalar(
                sql: "storekeeper_path(\(.parameter(.integer(number))), \(base.sql))", kind: StorageKind(of: E.Output.self),
                canBeNull: base.canBeNull || E.Output.self is any OptionalValue.Type || StorageKind(of: E.Output.self).canBeNotANumber,
                origin: base.origin)
        case .collection, .range: throw unsupported(expression, "a collection or range is not a value in SQL")
        }
    }

    func scalar<E: PredicateExpression>(_ expression: E) throws -> SQLScalar {
        try scalar(expression, term(expression))
    }

    /// A captured value as a parameter.
    func parameter(
        _ constant: Constant, type: Any.Type, like other: SQLScalar? = nil, in expression: any PredicateExpression
    ) throws -> SQLScalar {
        if let entity = other?.entity { return try reference(constant, to: entity, in: expression) }
        let kind = other?.kind ?? StorageKind(of: type)
        return SQLScalar(
            sql: try parameter(constant, as: .value(kind)), kind: kind,
            canBeNull: constant.isAbsent || constant.isNotANumber)
    }

    /// A captured identifier as a parameter.
    private func reference(_ constant: Constant, to entity: EntityTable, in expression: any PredicateExpression) throws -> SQLScalar {
        guard constant.isAbsent || peek(constant) is any StoredReference || StoredValue.unwrapped(peek(constant)) is any StoredReference
        else {
            throw unsupported(expression, "a value of type \(Swift.type(of: peek(constant))) does not identify a row of \(entity.name)")
        }
        return SQLScalar(
            sql: try parameter(constant, as: .row(entity.name)), kind: .integer, canBeNull: constant.isAbsent, entity: entity)
    }

    /// `expression` as a condition: true, false, or NULL for false.
    func condition<E: PredicateExpression>(_ expression: E) throws -> SQLScalar where E.Output == Bool {
        try scalar(expression)
    }
}
