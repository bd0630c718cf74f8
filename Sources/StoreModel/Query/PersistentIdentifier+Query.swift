extension PersistentIdentifier: StoredReference {
    /// The number of a row, or of a model that is not saved yet, which is negative and of no store.
    package func rowID(in entity: EntityTable, of store: String?) -> Int64? {
        guard let row, isTemporary || store == nil || storeIdentifier == store else { return nil }
        return entityName == entity.name || entity.classNames?.contains(entityName) == true ? row : nil
    }
}
