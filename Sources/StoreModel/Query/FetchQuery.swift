import Foundation

/// One fetch of an entity, before it is SQL.
struct FetchQuery<T> {
    let entity: EntityTable
    let catalog: EntityCatalog
    let predicate: Predicate<T>?
    let sort: [SortDescriptor<T>]
    /// Nil: all.
    let limit: Int?
    let offset: Int?
    /// Whose identifiers are meant.
    let store: String?
    /// The tables before which those of pending changes are going to stand.
    var pending = PendingTables()

    /// The SELECT, translated once for all queries of one shape.
    ///
    /// - Parameter columns: the columns of `.models`.
    /// - Throws: `QueryError` naming what has no form in SQL.
    func statement(_ result: FetchResultKind, columns: () -> SelectList, from cache: TranslationCache) throws -> FetchStatement {
        let limit = limit.flatMap { $0 < 0 ? nil : $0 }, offset = offset.flatMap { $0 <= 0 ? nil : $0 }
        var shape = PredicateShape()
        if let predicate { shape.add(whole: predicate.expression) }
        shape.add(captured: Captured(limit ?? -1))
        shape.add(captured: Captured(offset ?? 0))
        let key = TranslationCache.Key(
            entity: entity.name, result: result, hasLimit: limit != nil, hasOffset: offset != nil, predicate: shape.type,
            words: shape.words, sort: sort.isEmpty ? nil : AnyHashable(sort), pending: pending)
        if shape.isComplete, let known = cache.template(key) {
            return try known.statement(shape.captures, in: catalog, store: store)
        }
        let translation = try FetchTranslation(
            of: entity, in: catalog, where: predicate, sortedBy: sort, limit: limit, offset: offset, store: store, pending: pending)
        let template =
            switch result {
            case .models: translation.select(columns())
            case .numbers: translation.select(SelectList())
            case .count: translation.countTemplate()
            }
        if shape.isComplete, let types = translation.capturedTypes, types == shape.captures.dropLast(2).map(\.type) {
            cache.keep(template, for: key, holding: shape.keyPaths)
        }
        return FetchStatement(sql: template.sql, bindings: template.parameters.map(\.value), tables: template.tables)
    }
}
