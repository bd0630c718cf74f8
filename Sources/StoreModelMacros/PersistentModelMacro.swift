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
        let parent = model.parent(unless: protocols)
        var members = ModelMembers(model: model, parent: parent).all
        if !model.hasBackingInitializer { members.append(initializer(model, parent)) }
        members += [
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
            RowClass(model: model, parent: parent).declaration,
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

    private static func initializer(_ model: ModelDeclaration, _ parent: String?) -> DeclSyntax {
        let placeholders = model.properties.map { "    \($0.placeholder) = _SwiftDataNoType()" }.joined(separator: "\n")
        let root = parent.map { "\($0).Root" } ?? model.name
        return """
            \(raw: model.isFinal && parent == nil ? "" : "required ")\(raw: model.access)init(backingData: any StoreModel.BackingData<\(raw: root)>) {
            \(raw: placeholders)
                \(raw: parent == nil ? "self.persistentBackingData = backingData" : "super.init(backingData: backingData)")
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
