import SwiftSyntax

/// What is wrong with a model, and where.
struct ModelFault {
    let message: ModelDiagnostic
    let node: Syntax
}

extension ModelDeclaration {
    /// What would compile and then not be persisted, or not compile with an error that helps.
    func faults(in type: ClassDeclSyntax) -> [ModelFault] {
        var faults: [ModelFault] = []
        func refuse(_ message: ModelDiagnostic, at node: some SyntaxProtocol) {
            faults.append(ModelFault(message: message, node: Syntax(node)))
        }
        for member in type.memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isStoredInInstance else { continue }
            let name = variable.bindings.first?.pattern.trimmedDescription ?? ""
            if variable.attributes.contains("Transient") {
                if let binding = variable.bindings.first, binding.accessorBlock == nil, binding.initializer == nil,
                    let annotation = binding.typeAnnotation, annotation.type.optionalMark.isEmpty
                {
                    refuse(.transientWithoutDefault(name), at: variable)
                }
                continue
            }
            if let observer = variable.observer {
                refuse(.observer(name, observer.accessorSpecifier.text), at: observer)
            }
            if variable.bindings.count > 1, variable.bindings.contains(where: { $0.accessorBlock == nil }) {
                refuse(.severalInOne(), at: variable)
            }
            if PersistedProperty(variable)?.name == "description" { refuse(.description(), at: variable) }
        }
        if !hasInitializer, properties.contains(where: { $0.initialValue == nil && $0.type?.optionalMark.isEmpty != false }) {
            refuse(.noInitializer(name), at: type.name)
        }
        return faults
    }
}
