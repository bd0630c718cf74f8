import Foundation
import StoreSQLite

extension PredicateExpressions.KeyPath: SQLTranslatable {
    func outline(_ shape: inout PredicateShape) {
        shape.add(keyPath)
        shape.add(root)
    }

    func term(in translator: PredicateTranslator) throws -> Term {
        let start = try translator.term(root)
        switch start {
        case .constant: return try translator.fold(self)
        case .model(let model): return try property(of: model, in: translator)
        case .scalar(let scalar): return try part(of: scalar, in: translator)
        case .path(let base, let root, let path):
            guard let whole = path.appending(path: keyPath) else { break }
            return .path(base, root: root, path: whole)
        case .collection(let collection):
            switch kind {
            case .collectionCount: return collection.count
            case .collectionIsEmpty: return collection.isEmpty
            default:
                throw translator.unsupported(self, "a relationship has no order, so only its count, isEmpty and conditions are supported")
            }
        case .range: break
        }
        throw translator.unsupported(self, "the key path has no form in SQL")
    }

    private func property(of model: ModelTerm, in translator: PredicateTranslator) throws -> Term {
        let entity = model.entity
        guard let property = entity.properties[keyPath] else {
            if entity.identifierKeyPaths.contains(keyPath) { return .scalar(model.identifier) }
            throw translator.unsupported(
                self, "\(entity.name) stores no such property; computed and transient properties cannot be fetched by")
        }
        let isOptional = Output.self is any OptionalValue.Type
        switch property.storage {
        case .column(let column, let kind):
            // A pending not-a-number is NULL; a save refuses it.
            let canBeUnsaved = kind.canBeNotANumber && translator.pending.filled.contains(entity.table)
            return .scalar(
                SQLScalar(
                    sql: translator.column(column, of: model).refused(if: model.refusal), kind: kind,
                    canBeNull: isOptional || model.canBeNull || canBeUnsaved, origin: model.origin))
        case .external(let table):
            translator.tables.insert(table)
            let bytes: SQLFragment =
                "(SELECT data FROM \(identifier: table) AS e WHERE e.\(raw: EntityTable.identifierColumn) = \(model.id))"
            return .scalar(
                SQLScalar(
                    sql: bytes.refused(if: model.refusal), kind: .data, canBeNull: isOptional || model.canBeNull, origin: model.origin))
        case .toOne(let column, let target, let canDangle):
            let target = try translator.entity(target, of: self)
            var end = ModelTerm(
                entity: target, id: translator.column(column, of: model), refusal: model.refusal, scope: model.scope,
                canBeNull: isOptional || model.canBeNull, origin: model.origin)
            // A reference to a row that is not there is nil.
            if isOptional, canDangle || translator.pending.emptied.contains(target.table) { end = translator.row(of: end) }
            return .model(end)
        case .toManyByColumn(let foreignColumn, let target):
            return .collection(
                translator.rows(of: try translator.entity(target, of: self), column: foreignColumn, owner: model))
        case .toManyByTable(let table, let ownerColumn, let targetColumn, let target, let canDangle):
            return .collection(
                translator.rows(
                    of: try translator.entity(target, of: self), joinTable: table, ownerColumn: ownerColumn, targetColumn: targetColumn,
                    canDangle: canDangle, owner: model))
        case .unsearchable(let reason):
            throw translator.unsupported(self, "\(entity.name).\(property.name) cannot be fetched by: \(reason)")
        }
    }

    /// A property of a value that is held in SQL.
    private func part(of scalar: SQLScalar, in translator: PredicateTranslator) throws -> Term {
        if scalar.kind == .text, Root.Output.self == String.self {
            switch kind {
            case .collectionCount:
                return .scalar(
                    SQLScalar(
                        sql: "storekeeper_count(\(scalar.sql))", kind: .integer, canBeNull: scalar.canBeNull, origin: scalar.origin))
            case .collectionIsEmpty:
                return .scalar(
                    SQLScalar(sql: "(\(scalar.sql) = '')", kind: .boolean, canBeNull: scalar.canBeNull, origin: scalar.origin))
            default: break
            }
        }
        if scalar.kind == .json {
            if let list = list(scalar) { return .scalar(list) }
            let key = SwiftFunctions.codableKey(of: keyPath) { CodableProbe.key(of: keyPath as Swift.KeyPath<Root.Output, Output>) }
            if let key, let part = scalar.part(".\"\(key)\"", type: Output.self) { return .scalar(part) }
        }
        return .path(scalar, root: Root.Output.self, path: keyPath)
    }

    /// A property of a list that is held as a JSON array.
    private func list(_ scalar: SQLScalar) -> SQLScalar? {
        guard let element = jsonElementType(of: Root.Output.self) else { return nil }
        let length: SQLFragment = "json_array_length(\(scalar.sql))"
        switch kind {
        case .collectionCount:
            return SQLScalar(sql: length, kind: .integer, canBeNull: scalar.canBeNull, origin: scalar.origin)
        case .collectionIsEmpty:
            return SQLScalar(sql: "(\(length) = 0)", kind: .boolean, canBeNull: scalar.canBeNull, origin: scalar.origin)
        case .collectionFirst: return end(of: scalar, at: "[0]", element)
        case .bidirectionalCollectionLast: return end(of: scalar, at: "[#-1]", element)
        case nil: return nil
        @unknown default: return nil
        }
    }
}

/// The first or last element of a list; NULL may be an element.
private func end(of list: SQLScalar, at step: String, _ element: Any.Type) -> SQLScalar? {
    guard var end = list.part(step, type: element) else { return nil }
    if element is any OptionalValue.Type || end.kind.canBeNotANumber, let json = end.json {
        end.presence = "(json_type(\(json.text), \(.parameter(.text(json.path)))) IS NOT NULL)"
    }
    return end
}

extension PredicateTranslator {
    /// A column of the row that `model` names.
    func column(_ name: String, of model: ModelTerm) -> SQLFragment {
        tables.insert(model.entity.table)
        return "\(raw: model.scope.row(of: model, named: alias)).\(identifier: name)"
    }

    /// The row that a reference leads to, joined: without an identifier where it is not there.
    func row(of reference: ModelTerm) -> ModelTerm {
        tables.insert(reference.entity.table)
        let row = reference.scope.row(of: reference, named: alias)
        return ModelTerm(
            entity: reference.entity, id: "\(raw: row).\(raw: EntityTable.identifierColumn)", refusal: reference.refusal, row: row,
            scope: reference.scope, canBeNull: reference.canBeNull, origin: reference.origin)
    }

    func entity(_ name: String, of expression: any PredicateExpression) throws -> EntityTable {
        guard let entity = catalog.entity(named: name) else { throw unsupported(expression, "the schema has no entity \(name)") }
        return entity
    }

    /// The rows of `entity` whose `column` names `owner`.
    func rows(of entity: EntityTable, column: String, owner: ModelTerm) -> CollectionTerm {
        let row = alias()
        tables.insert(entity.table)
        let scope = QueryScope(
            source: "\(identifier: entity.table) AS \(raw: row)", condition: "\(raw: row).\(identifier: column) = \(owner.id)")
        return collection(of: entity, id: "\(raw: row).\(raw: EntityTable.identifierColumn)", row: row, scope: scope, owner: owner)
    }

    /// The rows of `entity` that a join table names beside `owner`. The rows themselves are joined only when a property is needed.
    func rows(
        of entity: EntityTable, joinTable: String, ownerColumn: String, targetColumn: String, canDangle: Bool, owner: ModelTerm
    ) -> CollectionTerm {
        let link = alias()
        tables.insert(joinTable)
        if canDangle {
            let row = alias()
            let id: SQLFragment = "\(raw: row).\(raw: EntityTable.identifierColumn)"
            tables.insert(entity.table)
            let scope = QueryScope(
                source: """
                    \(identifier: joinTable) AS \(raw: link) JOIN \(identifier: entity.table) AS \(raw: row) \
                    ON \(id) = \(raw: link).\(identifier: targetColumn)
                    """, condition: "\(raw: link).\(identifier: ownerColumn) = \(owner.id)")
            return collection(of: entity, id: id, row: row, scope: scope, owner: owner)
        }
        let scope = QueryScope(
            source: "\(identifier: joinTable) AS \(raw: link)", condition: "\(raw: link).\(identifier: ownerColumn) = \(owner.id)")
        return collection(of: entity, id: "\(raw: link).\(identifier: targetColumn)", row: nil, scope: scope, owner: owner)
    }

    private func collection(
        of entity: EntityTable, id: SQLFragment, row: String?, scope: QueryScope, owner: ModelTerm
    ) -> CollectionTerm {
        let element = ModelTerm(entity: entity, id: id, row: row, scope: scope, canBeNull: row == nil)
        return CollectionTerm(
            scope: scope, element: .model(element), presence: owner.canBeNull && owner.refusal == nil ? "(\(owner.id) IS NOT NULL)" : nil,
            refusal: owner.refusal)
    }
}

extension CollectionTerm {
    /// The number of elements; NULL where there is no collection.
    var count: Term { value(select("COUNT(*)"), kind: .integer) }

    /// Whether there are no elements; NULL where there is no collection.
    var isEmpty: Term { value("(NOT EXISTS \(select("1")))", kind: .boolean) }

    /// `sql` where there is a collection, else NULL.
    func value(_ sql: SQLFragment, kind: StorageKind, canBeNull: Bool = false) -> Term {
        let sql = sql.refused(if: refusal)
        guard let presence else { return .scalar(SQLScalar(sql: sql, kind: kind, canBeNull: canBeNull || refusal != nil)) }
        return .scalar(SQLScalar(sql: "CASE WHEN \(presence) THEN \(sql) END", kind: kind, canBeNull: true))
    }
}

extension SQLScalar {
    /// The value at `step` of a JSON text, as a `type`; nil when JSON does not hold such a value in a form that SQL can compare.
    func part(_ step: String, type: Any.Type) -> SQLScalar? {
        let path = (json?.path ?? "$") + step
        let text = json?.text ?? sql
        guard var part = SQLScalar(json: ZeroText.part(of: text, at: .parameter(.text(path)), type: type), type: type) else { return nil }
        part.json = (text, path)
        part.origin = origin
        return part
    }

    /// A value read from JSON, as a `type`; nil for a type that JSON holds otherwise than columns do, such as `Data`.
    init?(json value: SQLFragment, type: Any.Type) {
        let kind = StorageKind(of: type)
        let sql: SQLFragment
        switch kind {
        case .boolean, .integer, .text, .uuid, .url, .json: sql = value
        case .real, .date: sql = "storekeeper_number(\(value))"
        case .float: sql = "storekeeper_float(storekeeper_number(\(value)))"
        case .data, .decimal: return nil
        }
        self.init(sql: sql, kind: kind, canBeNull: true)
        // Not-a-number is NULL as a value, and there all the same.
        if kind.canBeNotANumber, type is any OptionalValue.Type { presence = "(\(value) IS NOT NULL)" }
    }
}
