/// Listening to the changes of a store; ends with its last reference.
protocol StoreListening: AnyObject, Sendable {}

extension StoreHub.Listening: StoreListening {}

extension ContainerStore {
    /// Calls `body` at each change of the store by anybody, on the thread that tells of it.
    func listen(_ body: @escaping @Sendable (StoreHub.Change) -> Void) -> any StoreListening {
        storage.watchOthers()
        return StoreHub.of(storage.storeIdentifier).listen(body)
    }
}
