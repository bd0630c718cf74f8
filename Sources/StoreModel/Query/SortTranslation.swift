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
        let entity = root.entity
        guard let property = entity.properties[keyPath] else {
            if entity.identifierKeyPaths.contains(keyPath) { return root.id }
            throw QueryError(
                .unsupportedSortDescriptor,
                "\(entity.name) cannot be sorted by \(keyPath): it is not one of its stored properties"
            )
        }
        switch property.storage {
        case .toOne(let column, _): return self.column(column, of: root)
        case .column(let name, let kind):
            let column = column(name, of: root)
            switch kind {
            case .text: return isLexical(descriptor) ? column : "\(column) COLLATE storekeeper_standard"
            case .decimal: return "\(column) COLLATE storekeeper_decimal"
            case .boolean, .integer, .real, .float, .date, .uuid: return column
            case .url, .data, .json: break
            }
        case .toManyByColumn, .toManyByTable, .unsearchable: break
        }
        throw QueryError(
            .unsupportedSortDescriptor,
            "\(entity.name) cannot be sorted by \(property.name): its values have no order in SQL"
        )
    }

    /// Whether a descriptor of a text was made with the comparator `.lexical`. Foundation does not publish it; the shape of the value shows it.
    private func isLexical<T>(_ descriptor: SortDescriptor<T>) -> Bool {
        Mirror(reflecting: descriptor).children.contains { child in
            child.label == "comparison" && Mirror(reflecting: child.value).children.first?.label == "comparableString"
        }
    }
}
