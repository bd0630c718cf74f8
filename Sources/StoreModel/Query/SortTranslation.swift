import Foundation

extension PredicateTranslator {
    /// One term of an ORDER BY.
    ///
    /// A missing value stands before all others in forward order, as in Foundation. Texts stand in the order of `localizedStandardCompare`,
    /// which is what a `SortDescriptor` of a text means, unless the descriptor asks for the lexical one.
    ///
    /// - Throws: `QueryError` for a key path that is not stored or has no order in SQL.
    func order<T>(_ descriptor: SortDescriptor<T>, of root: ModelTerm) throws -> SQLFragment {
        guard let keyPath = descriptor.keyPath else {
            throw QueryError(
                .unsupportedSortDescriptor, "A fetch of \(root.entity.name) can be sorted by key paths only, not by \(descriptor)")
        }
        let direction: SQLFragment = descriptor.order == .forward ? "" : " DESC"
        return "\(try sortKey(keyPath, descriptor, of: root))\(direction)"
    }

    private func sortKey<T>(_ keyPath: PartialKeyPath<T>, _ descriptor: SortDescriptor<T>, of root: ModelTerm) throws -> SQLFragment {
        if let key = try sortKey(end: keyPath, descriptor, of: root) { return key }
        if let way = SortPath(keyPath, from: root.entity, in: catalog), let model = target(of: way, from: root),
            let key = try sortKey(end: way.end, descriptor, of: model)
        {
            return key
        }
        if let key = try SortedPart(keyPath, of: root.entity)?.key(of: root, in: self) { return collated(key.sql, key.kind, descriptor) }
        throw QueryError(
            .unsupportedSortDescriptor,
            "\(root.entity.name) cannot be sorted by \(KeyPathText.describe(keyPath, of: root.entity)): it is not one of its stored "
                + "properties, nor one of a model that a to-one relationship leads to")
    }

    /// The row that a way through relationships leads to; its columns are NULL where there is none.
    private func target(of way: SortPath, from root: ModelTerm) -> ModelTerm? {
        var model = root
        for keyPath in way.relationships {
            guard case .toOne(let column, let target, _)? = model.entity.properties[keyPath]?.storage,
                let entity = catalog.entity(named: target)
            else { return nil }
            model = ModelTerm(entity: entity, id: self.column(column, of: model), scope: model.scope, canBeNull: true)
        }
        return model
    }

    /// By a stored property of a row, or by its identifier; nil for another key path.
    private func sortKey<T>(end keyPath: AnyKeyPath, _ descriptor: SortDescriptor<T>, of model: ModelTerm) throws -> SQLFragment? {
        let entity = model.entity
        guard let property = entity.properties[keyPath] else { return entity.identifierKeyPaths.contains(keyPath) ? model.id : nil }
        switch property.storage {
        case .toOne(let column, _, _): return self.column(column, of: model)
        case .column(let name, let kind) where kind.hasOrder: return collated(column(name, of: model), kind, descriptor)
        case .column, .toManyByColumn, .toManyByTable, .external, .unsearchable: break
        }
        throw QueryError(
            .unsupportedSortDescriptor, "\(entity.name) cannot be sorted by \(property.name): its values have no order in SQL")
    }

    /// A value with the collation that its kind, or the descriptor, asks for.
    private func collated<T>(_ value: SQLFragment, _ kind: StorageKind, _ descriptor: SortDescriptor<T>) -> SQLFragment {
        switch kind {
        case .text: descriptor.isLexical ? value : "\(value) COLLATE storekeeper_standard"
        case .decimal: "\(value) COLLATE storekeeper_decimal"
        default: value
        }
    }
}

extension StorageKind {
    /// Whether SQL orders values of this kind as Swift does.
    var hasOrder: Bool {
        switch self {
        case .boolean, .integer, .real, .float, .date, .uuid, .text, .decimal: true
        case .url, .data, .json: false
        }
    }
}
