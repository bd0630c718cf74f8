extension PersistentIdentifier: StoredReference {
    package func rowID(in entity: EntityTable, of store: String?) -> Int64? {
        guard let row, row > 0, store == nil || storeIdentifier == store else { return nil }
        return entityName == entity.name || entity.classNames?.contains(entityName) == true ? row : nil
    }
}
