import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ModelActor`: gives an actor a context of its own.
enum ModelActorMacro {}

extension ModelActorMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let type = declaration.as(ActorDeclSyntax.self) else {
            context.diagnose(.notAnActor, at: node)
            return []
        }
        let levels: [Keyword] = [.public, .package]
        let access = levels.first { level in type.modifiers.contains { $0.name.tokenKind == .keyword(level) } }
        let prefix = access.map { $0 == .public ? "public " : "package " } ?? ""
        return [
            "\(raw: prefix)nonisolated let modelExecutor: any StoreModel.ModelExecutor",
            "\(raw: prefix)nonisolated let modelContainer: StoreModel.ModelContainer",
            """
            \(raw: prefix)init(modelContainer: StoreModel.ModelContainer) {
                let modelContext = StoreModel.ModelContext(modelContainer)
                self.modelExecutor = StoreModel.DefaultSerialModelExecutor(modelContext: modelContext)
                self.modelContainer = modelContainer
            }
            """,
        ]
    }
}

extension ModelActorMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
        let conformance: DeclSyntax = "extension \(type.trimmed): StoreModel.ModelActor {}"
        return [conformance].compactMap { $0.as(ExtensionDeclSyntax.self) }
    }
}
