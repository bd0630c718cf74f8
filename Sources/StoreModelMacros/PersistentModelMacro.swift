import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: makes a class a persistent model.
///
/// Beside the members that SwiftData's own expansion has, it writes a final row class with one typed slot for each
/// persisted property, so that reading a property is a typed load.
enum PersistentModelMacro {}

extension PersistentModelMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let type = modelClass(declaration, node, in: context) else { return [] }
        let model = ModelDeclaration(type)
        let faults = model.faults(in: type)
        guard faults.isEmpty else {
            for fault in faults { context.diagnose(fault.message, at: fault.node) }
            return []
        }
        var members: [DeclSyntax] = [
            """
            @Transient private var _$backingData: any StoreModel.BackingData<\(raw: model.name)> = StoreModel._backing(_$Row.self)
            """,
            """
            \(raw: model.access)var persistentBackingData: any StoreModel.BackingData<\(raw: model.name)> {
                get { StoreModel._handle(_$backingData, of: self) }
                set { _$backingData = StoreModel._attach(newValue, to: self) }
            }
            """,
            schemaMetadata(model),
        ]
        if !model.hasBackingInitializer { members.append(initializer(model)) }
        members += [
            """
            \(raw: model.access)class var _$rowType: StoreModel.ModelRow.Type? { _$Row.self }
            """,
            """
            \(raw: model.access)var _$modelRow: StoreModel.ModelRow? { _$backingData._row }
            """,
            """
            @Transient private var _$observationRegistrar: Observation.ObservationRegistrar { StoreModel._registrar(_$backingData) }
            """,
            """
            internal nonisolated func access<_M>(keyPath: KeyPath<\(raw: model.name), _M>) {
                _$observationRegistrar.access(self, keyPath: keyPath)
            }
            """,
            """
            internal nonisolated func withMutation<_M, _MR>(keyPath: KeyPath<\(raw: model.name), _M>, _ mutation: () throws -> _MR) rethrows -> _MR {
                try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
            }
            """,
            """
            struct _SwiftDataNoType {}
            """,
            rowClass(model),
        ]
        return members
    }

    /// The class that the attribute stands on; says so where it stands on something else.
    private static func modelClass(
        _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax, in context: some MacroExpansionContext
    ) -> ClassDeclSyntax? {
        if let type = declaration.as(ClassDeclSyntax.self) { return type }
        if let type = declaration.as(StructDeclSyntax.self) { context.diagnose(.notAClass("struct", type.name.text), at: node) }
        if let type = declaration.as(EnumDeclSyntax.self) { context.diagnose(.notAClass("enum", type.name.text), at: node) }
        if let type = declaration.as(ActorDeclSyntax.self) { context.diagnose(.notAClass("actor", type.name.text), at: node) }
        return nil
    }

    /// Whether it can be expanded. What cannot is left alone by every part of the macro, so that its one diagnostic stands alone.
    private static func isSound(_ declaration: some DeclGroupSyntax) -> Bool {
        guard let type = declaration.as(ClassDeclSyntax.self) else { return false }
        return ModelDeclaration(type).faults(in: type).isEmpty
    }

    private static func schemaMetadata(_ model: ModelDeclaration) -> DeclSyntax {
        let elements = model.properties.map { $0.metadata(of: model.name) }.joined(separator: ",\n        ")
        let head = "\(model.access)class var schemaMetadata: [StoreModel.Schema.PropertyMetadata]"
        guard !model.indexes.isEmpty || !model.constraints.isEmpty else {
            return """
                \(raw: head) {
                    [
                        \(raw: elements)
                    ]
                }
                """
        }
        func others(_ macros: [MacroExpansionDeclSyntax], _ kind: String) -> [String] {
            macros.map { macro in
                """
                StoreModel.Schema.PropertyMetadata(name: "StoreModel.Schema.\(kind)", keypath: \\StoreModel.Schema.encodingVersion, \
                defaultValue: nil, metadata: StoreModel.Schema.\(kind)<\(model.name)>(\(macro.arguments.trimmedDescription)))
                """
            }
        }
        let rest = (others(model.indexes, "Index") + others(model.constraints, "Unique")).joined(separator: ",\n        ")
        return """
            \(raw: head) {
                let storedProperties: [StoreModel.Schema.PropertyMetadata] = [
                    \(raw: elements)
                ]
                let otherProperties: [StoreModel.Schema.PropertyMetadata] = [
                    \(raw: rest)
                ]
                return storedProperties + otherProperties
            }
            """
    }

    private static func initializer(_ model: ModelDeclaration) -> DeclSyntax {
        let placeholders = model.properties.map { "    \($0.placeholder) = _SwiftDataNoType()" }.joined(separator: "\n")
        return """
            \(raw: model.isFinal ? "" : "required ")\(raw: model.access)init(backingData: any StoreModel.BackingData<\(raw: model.name)>) {
            \(raw: placeholders)
                self.persistentBackingData = backingData
            }
            """
    }

    private static func rowClass(_ model: ModelDeclaration) -> DeclSyntax {
        func lines(_ body: (Int, PersistedProperty) -> String) -> String {
            model.properties.enumerated().map { "    " + body($0.offset, $0.element) }.joined(separator: "\n")
        }
        let cases = lines { index, property in "    case \(index): visitor.visit(&\(property.slot))" }
        return """
            @Transient private final class _$Row: StoreModel.ModelRow, StoreModel.BackingData {
                typealias Model = \(raw: model.name)
            \(raw: lines { _, property in "@exclusivity(unchecked) var \(property.slot) = \(property.slotExpression)" })
            \(raw: lines { index, property in "static var index_\(property.name): Int { \(index) }" })
                convenience init(for modelType: \(raw: model.name).Type) { self.init() }
                override var _count: Int { \(raw: model.properties.count) }
                override func _load(_ cursor: inout StoreModel.RowCursor) {
            \(raw: lines { _, property in "    \(property.slot).load(&cursor)" })
                }
                override func _bind(_ binder: inout StoreModel.RowBinder) {
            \(raw: lines { _, property in "    \(property.slot).bind(&binder)" })
                }
                override func _copySlots(from other: StoreModel.ModelRow) {
                    guard let other = other as? _$Row else { return }
            \(raw: lines { _, property in "    \(property.slot) = other.\(property.slot)" })
                }
                override func _visit<V: StoreModel.SlotVisitor>(_ index: Int, _ visitor: inout V) {
                    switch index {
            \(raw: cases)
                    default: break
                    }
                }
                override func _makeModel() -> any StoreModel.PersistentModel { \(raw: model.name)(backingData: self) }
            }
            """
    }
}

extension PersistentModelMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let variable = member.as(VariableDeclSyntax.self), PersistedProperty(variable) != nil,
            !variable.attributes.contains("_PersistedProperty"), isSound(declaration)
        else { return [] }
        return ["@StoreModel._PersistedProperty"]
    }
}

extension PersistentModelMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard isSound(declaration) else { return [] }
        let names = protocols.map { $0.trimmedDescription.split(separator: ".").last.map(String.init) ?? "" }
        var extensions: [DeclSyntax] = []
        if names.contains("PersistentModel") {
            extensions.append("extension \(type.trimmed): nonisolated StoreModel.PersistentModel {}")
        }
        if names.contains("Observable") {
            extensions.append("extension \(type.trimmed): nonisolated Observation.Observable {}")
        }
        if names.contains("Sendable") {
            extensions.append(
                """
                @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use \(type.trimmed)'s persistentModelID instead")
                extension \(type.trimmed): Sendable {}
                """)
        }
        return extensions.compactMap { $0.as(ExtensionDeclSyntax.self) }
    }
}
