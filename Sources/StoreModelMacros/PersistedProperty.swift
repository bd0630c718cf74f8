import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What `@Model` reads from the text of one stored property.
struct PersistedProperty {
    /// As it is written, backticks included.
    let identifier: TokenSyntax
    let type: TypeSyntax?
    let initialValue: ExprSyntax?
    /// The attribute that describes it: `@Attribute(…)` or `@Relationship(…)`.
    let description: AttributeSyntax?
    let isConstant: Bool

    /// The name without backticks.
    var name: String { identifier.text.trimmingBackticks }

    /// The name as an expression can spell it.
    var spelling: String { identifier.text }

    /// The property's slot in the row class.
    var slot: String { "slot_\(name)" }

    /// The storage that the accessor's initialiser pretends to initialise.
    var placeholder: String { "_\(name)" }

    /// The expression that makes the slot; the compiler picks the kind of slot by the property's static type, unless an option of
    /// `@Attribute` asks for one.
    var slotExpression: String {
        let subject = type.map { "(\($0.withoutImplicitUnwrapping)).self" } ?? "like: \(initialValue?.trimmedDescription ?? "()")"
        if let transformer = description?.option("transformable")?.argument {
            return "StoreModel._transformableSlot(\(subject), by: \(transformer))"
        }
        for (option, factory) in [("ephemeral", "_ephemeralSlot"), ("externalStorage", "_externalSlot"), ("codable", "_codableSlot")]
        where description?.option(option) != nil {
            return "StoreModel.\(factory)(\(subject))"
        }
        return "StoreModel._slot(\(subject))"
    }

    /// Whether a transformer makes it storable, so that it need not be `Codable`.
    var isTransformable: Bool { description?.option("transformable") != nil }

    /// The initial value, as it is written; a list with its declared type, since the place that it goes to has none.
    private var defaultExpression: String {
        guard let initialValue else { return "nil" }
        let isList = initialValue.is(ArrayExprSyntax.self) || initialValue.is(DictionaryExprSyntax.self)
        guard isList, let type else { return initialValue.trimmedDescription }
        return "\(initialValue.trimmedDescription) as \(type.withoutImplicitUnwrapping)"
    }

    /// The element of `schemaMetadata`, with a key path that begins at `root`.
    func metadata(of root: String) -> String {
        var arguments = ["name: \"\(name)\"", "keypath: \\\(root).\(spelling)"]
        arguments.append("defaultValue: \(defaultExpression)")
        if let description {
            let kind = description.name == "Relationship" ? "Relationship" : "Attribute"
            arguments.append("metadata: StoreModel.Schema.\(kind)(\(description.argumentText))")
        } else {
            arguments.append("metadata: nil")
        }
        return "StoreModel.Schema.PropertyMetadata(\(arguments.joined(separator: ", ")))"
    }

    /// Reads a member of a model class; nil where it is nothing that is stored.
    init?(_ declaration: VariableDeclSyntax) {
        guard declaration.isStoredInInstance, !declaration.attributes.contains("Transient"),
            declaration.bindings.count == 1, let binding = declaration.bindings.first, binding.accessorBlock == nil,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
            !pattern.identifier.text.hasPrefix("_$")
        else { return nil }
        identifier = pattern.identifier.trimmed
        type = binding.typeAnnotation?.type.trimmed
        initialValue = binding.initializer?.value.trimmed
        description = declaration.attributes.first(named: "Attribute") ?? declaration.attributes.first(named: "Relationship")
        isConstant = declaration.bindingSpecifier.tokenKind == .keyword(.let)
    }
}

extension String {
    var trimmingBackticks: String {
        hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
    }
}

extension TypeSyntax {
    /// `T?` for `T!`, which no expression can spell.
    var withoutImplicitUnwrapping: String {
        guard let unwrapped = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return trimmedDescription }
        return "\(unwrapped.wrappedType.trimmedDescription)?"
    }

    /// `?` or `!` where the type is spelled as an optional, else empty.
    var optionalMark: String {
        if self.is(OptionalTypeSyntax.self) { return "?" }
        if self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return "?" }
        if let name = self.as(IdentifierTypeSyntax.self), name.name.text == "Optional" { return "?" }
        return ""
    }
}

extension VariableDeclSyntax {
    /// Whether it is written as an instance's property and is not `lazy`.
    var isStoredInInstance: Bool {
        !modifiers.contains { modifier in
            [.keyword(.static), .keyword(.class), .keyword(.lazy)].contains(modifier.name.tokenKind)
        }
    }

    /// The `willSet` or `didSet` of a stored property; nil where there is none.
    var observer: AccessorDeclSyntax? {
        for binding in bindings {
            guard case .accessors(let accessors)? = binding.accessorBlock?.accessors else { continue }
            for accessor in accessors
            where [.keyword(.willSet), .keyword(.didSet)].contains(accessor.accessorSpecifier.tokenKind) {
                return accessor
            }
        }
        return nil
    }
}

extension AttributeSyntax {
    /// The last component of the attribute's name: `Attribute` for `@SwiftData.Attribute`.
    var name: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    /// An option among the arguments, such as `.unique` or `.transformable(by: X.self)`, with its own first argument.
    func option(_ name: String) -> (argument: String?, Void)? {
        guard case .argumentList(let arguments)? = arguments else { return nil }
        for argument in arguments where argument.label == nil {
            if argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == name { return (nil, ()) }
            if let call = argument.expression.as(FunctionCallExprSyntax.self),
                call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == name
            {
                return (call.arguments.first?.expression.trimmedDescription, ())
            }
        }
        return nil
    }

    /// What stands between the parentheses; empty without them.
    var argumentText: String { arguments?.trimmedDescription ?? "" }
}

extension AttributeListSyntax {
    func first(named name: String) -> AttributeSyntax? {
        for element in self {
            if case .attribute(let attribute) = element, attribute.name == name { return attribute }
        }
        return nil
    }

    func contains(_ name: String) -> Bool { first(named: name) != nil }
}
