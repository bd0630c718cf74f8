import Foundation

extension TranslationCache {
    /// The SELECT of one fetch, translated once for all fetches of one shape.
    ///
    /// - Parameters:
    ///   - limit: nil or a negative number: all.
    ///   - store: whose identifiers are meant; nil: any store's.
    ///   - pending: the tables before which those of pending changes are going to stand.
    ///   - columns: the columns of `.models`.
    /// - Throws: `QueryError` naming what has no form in SQL.
    func statement<T>(
        _ result: FetchResultKind, of entity: EntityTable, in catalog: EntityCatalog, where predicate: Predicate<T>?,
        sortedBy sort: [SortDescriptor<T>], limit: Int?, offset: Int?, store: String?, pending: PendingTables = PendingTables(),
        columns: () -> SelectList = { SelectList() }
    ) throws -> FetchStatement {
        let limit = limit.flatMap { $0 < 0 ? nil : $0 }, offset = offset.flatMap { $0 <= 0 ? nil : $0 }
        var shape = PredicateShape()
        if let predicate { shape.add(whole: predicate.expression) }
        let window = limit == nil && offset == nil ? [] : [Captured(limit ?? -1), Captured(offset ?? 0)]
        let key = Key(
            entity: entity.name, result: result, hasLimit: limit != nil, hasOffset: offset != nil, predicate: shape.type,
            // The count of a generic array can be told without a description of its type, which would have to be looked up.
            words: shape.words, sort: sort.count == 0 ? nil : AnyHashable(sort), pending: pending)
        // What cannot be a parameter is translated below, which names the expression that it stands in.
        if shape.isComplete, let known = template(key),
            let statement = try? known.statement(shape.captures + window, in: catalog, store: store)
        {
            return statement
        }
        let translation = try FetchTranslation(
            of: entity, in: catalog, where: predicate, sortedBy: sort, limit: limit, offset: offset, store: store, pending: pending)
        let template =
            switch result {
            case .models: translation.select(columns())
            case .numbers: translation.select(SelectList())
            case .count: translation.countTemplate()
            }
        if shape.isComplete, let types = translation.capturedTypes, types == shape.captures.map(\.type) {
            keep(template, for: key, holding: shape.keyPaths)
        }
        return FetchStatement(sql: template.sql, bindings: template.parameters.map(\.value), tables: template.tables)
    }
}
