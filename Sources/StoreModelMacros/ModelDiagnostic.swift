import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What the macros say about a declaration that they cannot expand.
struct ModelDiagnostic: DiagnosticMessage {
    let identifier: String
    let message: String
    var severity: DiagnosticSeverity = .error

    var diagnosticID: MessageID { MessageID(domain: "StoreModelMacros", id: identifier) }

    static func notAClass(_ kind: String, _ name: String) -> Self {
        Self(identifier: "notAClass", message: "'@Model' cannot be applied to \(kind) type '\(name)'")
    }

    static let notAnActor = Self(identifier: "notAnActor", message: "'@ModelActor' can only be applied to an actor")

    static func noInitializer(_ name: String) -> Self {
        Self(identifier: "noInitializer", message: "@Model requires an initializer be provided for '\(name)'")
    }

    static func transientWithoutDefault(_ name: String) -> Self {
        Self(
            identifier: "transientWithoutDefault",
            message: "@Transient requires non-optional property '\(name)' to have a default value")
    }

    static func observer(_ name: String, _ kind: String) -> Self {
        Self(
            identifier: "observer",
            message: "stored property '\(name)' of a model cannot have '\(kind)': it would not be persisted; "
                + "mark it @Transient or move the work into a method")
    }

    static func severalInOne() -> Self {
        Self(
            identifier: "severalInOne",
            message: "a model's stored properties are declared one by one: write each with its own 'var'")
    }

    static func description() -> Self {
        Self(
            identifier: "description",
            message: "a persisted property cannot be called 'description'; choose another name and keep the column with originalName")
    }
}

extension MacroExpansionContext {
    func diagnose(_ message: ModelDiagnostic, at node: some SyntaxProtocol) {
        diagnose(Diagnostic(node: Syntax(node), message: message))
    }
}
