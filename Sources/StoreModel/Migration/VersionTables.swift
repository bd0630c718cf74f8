import StoreMigration
import StoreShared

/// The tables in which the rows of a version's models lie, and where they lay in the version before: models that inherit share one.
struct VersionTables {
    private let old: SchemaMapping
    private let new: SchemaMapping

    init(from old: SchemaMapping, to new: SchemaMapping) { (self.old, self.new) = (old, new) }

    /// A table that lies under the name of another root from now on, since its models have adopted a parent.
    struct Adoption {
        let rename: Rename
        /// What its rows are, where none had to say so before.
        let classes: InitialValues?
    }

    /// - Parameter rewritten: tables whose rows are all made by code.
    /// - Throws: `StoreError.planRefused` where the rows of several tables would have to share one, or those of one be dealt out: a row is known by
    ///   its number, which another may have there.
    func adoptions(except rewritten: Set<String>? = nil) throws -> [Adoption] {
        try new.entities.filter { $0.parent == nil && rewritten?.contains($0.tableName) != true }.compactMap { root in
            let sources = Set(root.family.compactMap { old.entity(named: $0.name)?.tableName })
            guard let source = sources.first, sources != [root.tableName] else { return nil }
            // SQLite's names know no case.
            let isTaken = old.entities.contains { $0.name.lowercased() == root.name.lowercased() }
            guard rewritten == nil, sources.count == 1, !isTaken, root.family.contains(where: { $0.name == source })
            else { throw refusal(root, sources) }
            let isAlone = old.entity(named: source)?.isInHierarchy == false
            let classes = InitialValues(
                table: root.tableName,
                statement: "UPDATE \(quoted(root.tableName)) SET \(EntityTable.classColumn) = \(SchemaStatements.textLiteral(source))")
            return Adoption(rename: .table(from: source, to: root.tableName), classes: isAlone ? classes : nil)
        }
    }

    private func refusal(_ root: EntityMapping, _ sources: Set<String>) -> StoreError {
        let moved = root.family.filter { old.entity(named: $0.name).map { $0.tableName != root.tableName } == true }.map(\.name)
        return StoreError(
            .planRefused,
            "the stage from \(old.schema.version) to \(new.schema.version) changes what \(moved.joined(separator: " and ")) inherit from: their rows lie "
                + "in \(sources.sorted().joined(separator: " and ")) and would lie in \(root.tableName), where other rows may have their numbers",
            remedy: "make the stage mapped, with \(root.name) in rewriting, and insert the rows there")
    }

    /// Refuses bytes or links of several models in one place, and those of one in several.
    ///
    /// - Throws: `StoreError.planRefused`
    func refuseSplitPlaces() throws {
        var taken: [String: String] = [:]
        for entity in new.entities {
            for property in entity.ownProperties {
                guard let place = property.ownTable else { continue }
                let before = Set(
                    entity.family.compactMap { old.entity(named: $0.name) }.compactMap {
                        PropertyPairs($0.properties, entity.properties, isBack: old.isAfter(new)).former(property)?.ownTable
                    })
                let name = "\(entity.name).\(property.name)"
                let other = before.first.flatMap { taken[$0] }
                if before.count > 1 || other != nil {
                    throw StoreError(
                        .planRefused,
                        "the stage from \(old.schema.version) to \(new.schema.version) moves \(name) between models: what lies in "
                            + "\(before.sorted().joined(separator: " and ")) would lie in \(([other].compactMap { $0 } + [place]).joined(separator: " and "))",
                        remedy: "give it another name and carry the values over in didMigrate, or make the stage mapped")
                }
                if let before = before.first { taken[before] = place }
            }
        }
    }
}

extension PropertyMapping {
    /// The table that is made for it alone: of its bytes, or of its pairs.
    fileprivate var ownTable: String? { sideTable ?? (pairs?.isNamedAfterThis == true ? pairs?.table : nil) }
}

extension SchemaMapping {
    /// The entities of this version whose rows an entity of another one has: that of its name, else those that have adopted it.
    func predecessors(of entity: EntityMapping) -> [EntityMapping] {
        if let same = self.entity(named: entity.name) { return [same] }
        return entity.children.flatMap(predecessors)
    }

    /// What the properties of an entity of another version were in this one, before a stage; nil where the entity has no rows yet.
    ///
    /// What a parent has taken from its children is theirs: of several, what all of them had.
    func formers(of entity: EntityMapping, _ other: SchemaMapping) -> PropertyPairs? {
        let before = predecessors(of: entity)
        guard let first = before.first else { return nil }
        let others = before.dropFirst().map { Set($0.properties.map(\.name)) }
        var known = first.properties.filter { property in others.allSatisfy { $0.contains(property.name) } }
        let names = Set(known.map(\.name))
        // A column stays where it is; what has a table of its own is found there.
        for heir in entity.family.dropFirst().compactMap({ self.entity(named: $0.name) }) {
            known += heir.ownProperties.filter { $0.ownTable != nil && !names.contains($0.name) }
        }
        return PropertyPairs(known, entity.properties, isBack: isAfter(other))
    }
}
