import Observation

/// Tells the observers of a property whose type is not known.
struct Notifier {
    private let registrar: ObservationRegistrar
    private let keyPath: AnyKeyPath

    init(_ registrar: ObservationRegistrar, _ keyPath: AnyKeyPath) {
        self.registrar = registrar
        self.keyPath = keyPath
    }

    /// Runs `body` between the notices before and after a change.
    ///
    /// The key path begins at the class that declares the property, which the model may be a subclass of.
    func mutate(_ model: any PersistentModel, _ body: () -> Void) {
        guard let root = type(of: keyPath).rootType as? any PersistentModel.Type else { return body() }
        open(model, as: root, body)
    }

    private func open<M: PersistentModel>(_ model: any PersistentModel, as root: M.Type, _ body: () -> Void) {
        guard let model = model as? M else { return body() }
        func open<Value>(_ type: Value.Type) { self.open(model, type, body) }
        _openExistential(type(of: keyPath).valueType, do: open)
    }

    private func open<M: PersistentModel, Value>(_ model: M, _ type: Value.Type, _ body: () -> Void) {
        guard let keyPath = keyPath as? KeyPath<M, Value> else { return body() }
        registrar.withMutation(of: model, keyPath: keyPath, body)
    }
}
