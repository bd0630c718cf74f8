import Foundation
import StoreSQLite

/// What a predicate looks like, apart from the values that it has captured.
///
/// Two predicates of the same expression type and the same words become the same SQL, with other parameters: a program's predicates are
/// made anew for each fetch, but from the same places in its text. Which captured values are nil, or not a number, is part of the shape.
struct PredicateShape {
    /// Operators, key paths and variables in the order of the tree. The kinds of its nodes are in the type of the whole.
    private(set) var words: [Int] = []
    /// Those that the words name by their addresses, to be held as long as the words are.
    private(set) var keyPaths: [AnyKeyPath] = []
    /// In the order in which the translator meets them.
    private(set) var captures: [Captured] = []
    /// The others are those of closures within.
    private var (firstVariable, otherVariables): (PredicateExpressions.VariableID?, [PredicateExpressions.VariableID]) = (nil, [])
    /// Of the whole.
    private(set) var type: ObjectIdentifier?
    /// Whether every part could be described.
    private(set) var isComplete = true
    private var depth = 0
    /// How deep expressions may stand in each other. SQLite goes no deeper, and a stack is not endless.
    static let deepest = 250

    /// Begins with the whole.
    mutating func add<E: PredicateExpression>(whole expression: E) {
        type = ObjectIdentifier(E.self)
        words.reserveCapacity(8)
        captures.reserveCapacity(2)
        add(expression)
    }

    mutating func add(_ expression: some PredicateExpression) {
        guard depth < Self.deepest, let part = expression as? any SQLTranslatable else {
            isComplete = false
            return
        }
        depth += 1
        part.outline(&self)
        depth -= 1
    }

    mutating func add(word: Int) { words.append(word) }

    /// A key path literal that captures nothing is one object in the whole program. Another one of the same path is only another shape.
    mutating func add(_ keyPath: AnyKeyPath) {
        words.append(Int(bitPattern: ObjectIdentifier(keyPath)))
        keyPaths.append(keyPath)
    }

    /// Variables are numbered as they come: they are others in each predicate that is made.
    mutating func add(variable: PredicateExpressions.VariableID) {
        firstVariable = firstVariable ?? variable
        guard variable != firstVariable else { return words.append(0) }
        if let known = otherVariables.firstIndex(of: variable) {
            words.append(known + 1)
        } else {
            otherVariables.append(variable)
            words.append(otherVariables.count)
        }
    }

    /// Describes an expression with variables that only it knows: what comes after it has other ones.
    mutating func addAlone(_ body: (inout PredicateShape) -> Void) {
        let (first, others) = (firstVariable, otherVariables.count)
        body(&self)
        firstVariable = first
        otherVariables.removeSubrange(others...)
    }

    mutating func add(captured: Captured) {
        words.append(captured.state.rawValue)
        captures.append(captured)
    }
}

/// A value that a predicate has captured, a literal among them.
struct Captured {
    enum State: Int {
        case present
        /// `nil`, at any depth of optionals.
        case absent
        case notANumber
    }

    let value: Any
    let type: ObjectIdentifier
    let state: State

    init<V>(_ value: V) {
        self.value = value
        type = ObjectIdentifier(V.self)
        state = V.self == String.self || V.self == Int.self || V.self == UUID.self ? .present : Self.state(of: value)
    }

    private static func state(of value: Any) -> State {
        guard let value = StoredValue.unwrapped(value) else { return .absent }
        if let number = value as? any FloatingPoint { return number.isNaN ? .notANumber : .present }
        if let value = value as? any RawRepresentable { return rawState(of: value) }
        return .present
    }

    private static func rawState<R: RawRepresentable>(of value: R) -> State { state(of: value.rawValue) }
}

/// A value that depends on no row.
///
/// Its value is asked of the translator, which then knows that the SQL depends on it; to become a parameter it need not be.
struct Constant {
    fileprivate let captured: Captured
    /// Its place among what the predicate has captured; nil for one that was computed.
    let capture: Int?

    init(_ value: Any) {
        captured = Captured(value)
        capture = nil
    }

    init(_ captured: Captured, capture: Int) {
        self.captured = captured
        self.capture = capture
    }

    /// `nil`, at any depth of optionals.
    var isAbsent: Bool { captured.state == .absent }
    var isNotANumber: Bool { captured.state == .notANumber }
}

extension PredicateTranslator {
    /// The value, to decide by it what the SQL is.
    func value(of constant: Constant) -> Any {
        if constant.capture != nil { isReusable = false }
        return constant.captured.value
    }

    /// The value of a constant `Bool`; nil for every other term.
    func boolean(_ term: Term) -> Bool? {
        guard case .constant(let constant) = term else { return nil }
        return value(of: constant) as? Bool
    }

    /// The value as a parameter, which another value of the same shape may take the place of.
    func parameter(_ constant: Constant, as encoding: SQLParameter.Encoding) throws -> SQLFragment {
        let value: Value
        do {
            value = try encoding.encode(constant.captured.value, in: catalog, store: store)
        } catch {
            throw unsupported("\(error)")
        }
        guard let capture = constant.capture else { return .parameter(value) }
        return .parameter(SQLParameter(value, from: SQLParameter.Source(capture: capture, encoding: encoding)))
    }

    /// The value, where what is made of it is no part of the SQL.
    func peek(_ constant: Constant) -> Any { constant.captured.value }
}
