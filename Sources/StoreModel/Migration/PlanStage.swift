import StoreMigration
import StoreShared

/// One stage of models as the engine knows it.
struct PlanStage {
    private let stage: MigrationStage
    fileprivate let from: PlanVersion
    fileprivate let to: PlanVersion

    /// - Throws: `StoreError.planRefused` for a stage between versions that the plan does not have.
    init(_ stage: MigrationStage, _ versions: [PlanVersion]) throws {
        func find(_ type: any VersionedSchema.Type) throws -> PlanVersion {
            if let same = versions.first(where: { $0.type == type }) { return same }
            if let same = versions.first(where: { $0.type.versionIdentifier == type.versionIdentifier }) { return same }
            throw StoreError(
                .planRefused, "a stage names \(type), which is not among the plan's schemas", remedy: "add it to the plan's schemas")
        }
        self.stage = stage
        from = try find(stage.fromVersion)
        to = try find(stage.toVersion)
    }

    /// - Throws: `StoreError.planRefused` for a stage without code that gives existing rows no value for a new required property.
    func planned() throws -> PlannedStage {
        let kind = try kind()
        let tables = VersionTables(from: from.mapping, to: to.mapping)
        let adoptions = try tables.adoptions(except: rewritten)
        let renames = adoptions.map(\.rename) + VersionRenames.between(from.mapping, to.mapping)
        var links: [CarriedLinks] = []
        // The code of a mapped stage sees both versions, and says what becomes of each link.
        if stage.mappedWork == nil {
            try refuseMovedBytes()
            try tables.refuseSplitPlaces()
            links = try VersionLinks(from: from.mapping, to: to.mapping, renames: renames).carried()
        }
        return PlannedStage(
            from: from.snapshot.version, to: to.snapshot.version, kind: kind, renames: renames, links: links,
            initialValues: adoptions.compactMap(\.classes) + to.mapping.entities.flatMap(initialValues))
    }

    /// The tables whose rows are all made by the code of a mapped stage; nil for another stage.
    private var rewritten: Set<String>? {
        stage.mappedWork.map { work in Set(work.rewriting.map { to.mapping.entity(for: $0)?.tableName ?? SchemaBuilder.name($0) }) }
    }

    /// Of the side tables of an entity that has rows already.
    private func initialValues(_ entity: EntityMapping) -> [InitialValues] {
        entity.ownProperties.compactMap { property in
            // Of several classes in one table some may have had it.
            let lacking = entity.family.filter { member in
                guard let before = from.mapping.entity(named: member.name) else { return false }
                let pairs = PropertyPairs(before.properties, member.properties, isBack: from.mapping.isAfter(to.mapping))
                return pairs.former(property)?.isExternal != true
            }
            guard !lacking.isEmpty else { return nil }
            // That a value which may be nil is not there may be the work of a mapped stage's code.
            if let rewritten, property.isOptional || rewritten.contains(entity.tableName) { return nil }
            return SchemaStatements.initialValues(property, of: entity, in: lacking)
        }
    }

    private func kind() throws -> PlannedStage.Kind {
        if let work = stage.mappedWork { return try kind(of: work) }
        switch stage {
        case .lightweight:
            try refuseMissingValues()
            return .lightweight
        case .custom(_, _, let will, let did):
            if did == nil { try refuseMissingValues() }
            return .custom(will: will.map { script($0, from.mapping) }, did: did.map { script($0, to.mapping) })
        }
    }

    private func kind(of work: MappedWork) throws -> PlannedStage.Kind {
        let tables = rewritten ?? []
        // Rows are copied before the code runs, and hold all that is required from then on.
        try refuseMissingValues(except: tables, remedy: "give it a default value, make it optional, or name its model in rewriting")
        let (old, new) = (from.mapping, to.mapping)
        return .mapped(rewriting: tables) { oldStage, newStage in
            try StageModels.run(oldStage, old) { oldContext in
                try StageModels.run(newStage, new) { newContext in try work.body(oldContext, newContext) }
            }
        }
    }

    private func script(_ body: @escaping @Sendable (ModelContext) throws -> Void, _ mapping: SchemaMapping) -> PlannedStage.Script {
        { stage in try StageModels.run(stage, mapping, body) }
    }

    /// Bytes that lie in a column in one version and in a side table in the other would be lost with their old place.
    private func refuseMovedBytes() throws {
        for entity in to.mapping.entities {
            guard let formers = from.mapping.formers(of: entity, to.mapping) else { continue }
            for property in entity.ownProperties where property.kind != nil || property.isExternal {
                guard let former = formers.former(property), former.destinationType == nil, !former.isEphemeral,
                    former.isExternal != property.isExternal
                else {
                    continue
                }
                throw StoreError(
                    .planRefused,
                    "the stage from \(from.snapshot.version) to \(to.snapshot.version) "
                        + "\(property.isExternal ? "adds" : "removes") .externalStorage of \(entity.name).\(property.name), whose values lie elsewhere then",
                    remedy: "give the property another name and carry the values over in didMigrate, or make the stage mapped")
            }
        }
    }

    /// Existing rows get a new required property's declared default; without one, and without code, they have nothing.
    ///
    /// - Parameter rewritten: entities whose rows are all made by code.
    private func refuseMissingValues(
        except rewritten: Set<String> = [], remedy: String = "give it a default value, make it optional, or fill it in by didMigrate"
    ) throws {
        for entity in to.mapping.entities where !rewritten.contains(entity.tableName) {
            guard let formers = from.mapping.formers(of: entity, to.mapping) else { continue }
            try refuseMissingParts(entity, formers)
            for property in entity.columns where !property.isOptional && SchemaStatements.defaultLiteral(property) == nil {
                guard formers.former(property)?.hasColumn != true else { continue }
                throw StoreError(
                    .planRefused,
                    "the stage from \(from.snapshot.version) to \(to.snapshot.version) adds \(entity.name).\(property.name), which is "
                        + "required and has no default",
                    remedy: remedy)
            }
        }
    }
}

extension PlanStage {
    /// What a struct needs is in the texts of existing rows.
    fileprivate func refuseMissingParts(_ entity: EntityMapping, _ formers: PropertyPairs) throws {
        for property in entity.columns {
            let former = formers.former(property)
            guard let composite = property.attribute as? Schema.CompositeAttribute, property.kind == .json,
                let known = former?.attribute as? Schema.CompositeAttribute, let found = composite.firstUndecodable(from: known)
            else { continue }
            throw StoreError(
                .planRefused,
                "after the stage from \(from.snapshot.version) to \(to.snapshot.version) \(innermost(composite.valueType)) is not decoded from "
                    + "existing rows: \(entity.name).\(property.name).\(found.path) \(found.why)",
                remedy: "make it optional, decode it with a default in init(from:), or let a mapped stage make the rows")
        }
    }
}

/// Contexts over a stage of a migration.
enum StageModels {
    /// Runs code of a plan with a context of one side of a stage. What it has not saved is saved at the end: the context has written by
    /// itself whenever many changes were pending, and half of a stage's work must not be dropped.
    static func run(_ stage: StageContext, _ mapping: SchemaMapping, _ body: (ModelContext) throws -> Void) throws {
        let storage = try StageStorage(stage)
        defer { storage.close() }
        let container = ModelContainer(storage: storage, layout: StoreLayout(mapping, tableNames: stage.tableNames))
        let context = ModelContext(container)
        try body(context)
        try context.core.throwPendingError()
        if !stage.isReadOnly, context.hasChanges { try context.save() }
    }
}
