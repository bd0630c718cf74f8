import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_PersistedProperty`: the accessors of one persisted property, and the storage that its init accessor pretends to initialise.
///
/// An accessor takes the typed row and loads from or stores into its slot; with a foreign backing data there is no
/// row, and it goes through `getValue` and `setValue`.
enum PersistedPropertyMacro {}

extension PersistedPropertyMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), let property = PersistedProperty(variable) else { return [] }
        let keyPath = "\\.\(property.spelling)"
        let kind = property.isTransformable ? "TransformableValue" : "Value"
        var accessors: [AccessorDeclSyntax] = [
            """
            @storageRestrictions(accesses: _$backingData, initializes: \(raw: property.placeholder))
            init(initialValue) {
                if let row = StoreModel._row(_$backingData, as: _$Row.self), row._acceptsInitialValues {
                    row.\(raw: property.slot).initialize(initialValue)
                }
                \(raw: property.placeholder) = _SwiftDataNoType()
            }
            """,
            """
            get {
                guard let row = _$row else {
                    _$observationRegistrar.access(self, keyPath: \(raw: keyPath))
                    return self.get\(raw: kind)(forKey: \(raw: keyPath))
                }
                return row._withUnsafeGuaranteedRef { (row: _$Row) in
                    if row._isTracked(_$Row.index_\(raw: property.name)) { _$observationRegistrar.access(self, keyPath: \(raw: keyPath)) }
                    return row._value(row.\(raw: property.slot), at: _$Row.index_\(raw: property.name))
                }
            }
            """,
        ]
        if !property.isConstant {
            accessors.append(
                """
                set {
                    guard let row = _$row?.takeUnretainedValue() else {
                        return _$observationRegistrar.withMutation(of: self, keyPath: \(raw: keyPath)) {
                            self.set\(raw: kind)(forKey: \(raw: keyPath), to: newValue)
                        }
                    }
                    func assign() {
                        row._willChange(_$Row.index_\(raw: property.name))
                        row._didChange(_$Row.index_\(raw: property.name), row.\(raw: property.slot).assign(newValue), of: self)
                    }
                    if row._isObserved {
                        _$observationRegistrar.withMutation(of: self, keyPath: \(raw: keyPath), assign)
                    } else {
                        assign()
                    }
                }
                """)
        }
        return accessors
    }
}

extension PersistedPropertyMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), let property = PersistedProperty(variable) else { return [] }
        let mark = property.type?.optionalMark ?? ""
        let initializer = property.initialValue == nil ? "" : " = _SwiftDataNoType()"
        return ["@Transient private var \(raw: property.placeholder): _SwiftDataNoType\(raw: mark)\(raw: initializer)"]
    }
}
