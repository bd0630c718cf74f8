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
    func mutate(_ model: any PersistentModel, _ body: () -> Void) { open(model, body) }

    private func open<M: PersistentModel>(_ model: M, _ body: () -> Void) {
        func open<Value>(_ type: Value.Type) { self.open(model, type, body) }
        _openExistential(type(of: keyPath).valueType, do: open)
    }

    private func open<M: PersistentModel, Value>(_ model: M, _ type: Value.Type, _ body: () -> Void) {
        guard let keyPath = keyPath as? KeyPath<M, Value> else { return body() }
        registrar.withMutation(of: model, keyPath: keyPath, body)
    }
}
