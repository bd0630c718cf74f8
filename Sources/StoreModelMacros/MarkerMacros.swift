import SwiftSyntax
import SwiftSyntaxMacros

/// A macro whose text another macro reads: it adds nothing itself.
protocol PeerMarker: PeerMacro {}

extension PeerMarker {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        []
    }
}

enum AttributePropertyMacro: PeerMarker {}
enum RelationshipPropertyMacro: PeerMarker {}
enum TransientPropertyMacro: PeerMarker {}

/// A freestanding declaration whose text `@Model` reads.
protocol DeclarationMarker: DeclarationMacro {}

extension DeclarationMarker {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        []
    }
}

enum UniqueConstraintsMacro: DeclarationMarker {}
enum IndexMacro: DeclarationMarker {}
