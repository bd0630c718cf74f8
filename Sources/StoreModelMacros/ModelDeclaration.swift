import SwiftSyntax
import SwiftSyntaxMacros

/// What `@Model` reads from the text of a class.
struct ModelDeclaration {
    let name: String
    let isFinal: Bool
    /// `public ` for what the protocols require of a public class, else empty.
    let access: String
    let properties: [PersistedProperty]
    /// `#Index(…)` and `#Unique(…)` in the class.
    let indexes: [MacroExpansionDeclSyntax]
    let constraints: [MacroExpansionDeclSyntax]
    let hasBackingInitializer: Bool
    let hasInitializer: Bool
    /// The first type that the class inherits from, as it is written: its parent where that is a model.
    let firstInherited: String?
    /// `open ` for what a subclass in another module overrides, else as `access`.
    let overridableAccess: String

    init(_ declaration: ClassDeclSyntax) {
        name = declaration.name.text
        isFinal = declaration.modifiers.contains { $0.name.tokenKind == .keyword(.final) }
        let isPublic = declaration.modifiers.contains { [.keyword(.public), .keyword(.open)].contains($0.name.tokenKind) }
        let isOpen = declaration.modifiers.contains { $0.name.tokenKind == .keyword(.open) }
        let isPackage = declaration.modifiers.contains { $0.name.tokenKind == .keyword(.package) }
        access = isPublic ? "public " : isPackage ? "package " : ""
        overridableAccess = isOpen ? "open " : access
        firstInherited = declaration.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
        var properties: [PersistedProperty] = []
        var indexes: [MacroExpansionDeclSyntax] = []
        var constraints: [MacroExpansionDeclSyntax] = []
        var hasBackingInitializer = false
        var hasInitializer = false
        for member in declaration.memberBlock.members {
            if let variable = member.decl.as(VariableDeclSyntax.self), let property = PersistedProperty(variable) {
                properties.append(property)
            } else if let macro = member.decl.as(MacroExpansionDeclSyntax.self) {
                if macro.macroName.text == "Index" { indexes.append(macro) }
                if macro.macroName.text == "Unique" { constraints.append(macro) }
            } else if let initializer = member.decl.as(InitializerDeclSyntax.self) {
                hasInitializer = true
                let labels = initializer.signature.parameterClause.parameters.map(\.firstName.text)
                if labels == ["backingData"] { hasBackingInitializer = true }
            }
        }
        self.properties = properties
        self.indexes = indexes
        self.constraints = constraints
        self.hasBackingInitializer = hasBackingInitializer
        self.hasInitializer = hasInitializer
    }
}
