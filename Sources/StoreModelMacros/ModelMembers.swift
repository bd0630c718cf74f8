import SwiftSyntax
import SwiftSyntaxBuilder

/// The members of a model that its conformance and its accessors rest on.
///
/// A class and its subclasses have one row between them. While a subclass is initialised, each class of the chain fills a row of its own:
/// the parent's initialiser runs last and cannot know what is above it. The first use of the finished model puts them together.
struct ModelMembers {
    let model: ModelDeclaration
    /// The parent, where that is a model.
    let parent: String?

    var all: [DeclSyntax] { storage + typedRow + [schemaMetadata, optionalKeyPaths] + sharedMetadata }

    private var storage: [DeclSyntax] {
        guard let parent else { return rootStorage }
        return [
            """
            @Transient @exclusivity(unchecked) private var _$backingData: any StoreModel.BackingData<\(raw: parent).Root> = StoreModel._backing(_$Row.self)
            """,
            """
            override \(raw: model.overridableAccess)var persistentBackingData: any StoreModel.BackingData<\(raw: parent).Root> {
                get {
                    _ = _$modelRow
                    return super.persistentBackingData
                }
                set {
                    super.persistentBackingData = newValue
                    _$backingData = StoreModel._bare(newValue)
                    _$knownRow = nil
                }
            }
            """,
            """
            override \(raw: model.overridableAccess)class var _$rowType: StoreModel.ModelRow.Type? { _$Row.self }
            """,
            """
            override \(raw: model.overridableAccess)var _$modelRow: StoreModel.ModelRow? {
                guard let inherited = super._$modelRow, let row = _$backingData._row, inherited !== row else { return super._$modelRow }
                row._copySlots(from: inherited)
                super.persistentBackingData = _$backingData
                return row
            }
            """,
            registrar("_$modelRow"),
        ]
    }

    private var rootStorage: [DeclSyntax] {
        [
            """
            @Transient @exclusivity(unchecked) private var _$backingData: any StoreModel.BackingData<\(raw: model.name)> = StoreModel._backing(_$Row.self)
            """,
            """
            \(raw: model.overridableAccess)var persistentBackingData: any StoreModel.BackingData<\(raw: model.name)> {
                get { StoreModel._handle(_$backingData, of: self) }
                set {
                    _$backingData = StoreModel._attach(newValue, to: self)
                    _$knownRow = nil
                }
            }
            """,
            """
            \(raw: model.overridableAccess)class var _$rowType: StoreModel.ModelRow.Type? { _$Row.self }
            """,
            """
            \(raw: model.overridableAccess)var _$modelRow: StoreModel.ModelRow? { _$row?.takeUnretainedValue() ?? _$backingData._row }
            """,
            registrar(model.isFinal ? "_$backingData" : "_$modelRow"),
        ]
    }

    /// The row with its type, found in the backing data once: every accessor begins with it. The backing data holds it, so that a getter
    /// needs no reference of its own.
    private var typedRow: [DeclSyntax] {
        [
            """
            @Transient @exclusivity(unchecked) private var _$knownRow: Swift.Unmanaged<_$Row>?
            """,
            """
            @Transient private var _$row: Swift.Unmanaged<_$Row>? {
                if let row = _$knownRow { return row }
                _$knownRow = StoreModel._row(_$backingData, as: _$Row.self).map(Swift.Unmanaged.passUnretained)
                return _$knownRow
            }
            """,
        ]
    }

    private func registrar(_ source: String) -> DeclSyntax {
        """
        @Transient private var _$observationRegistrar: Observation.ObservationRegistrar { StoreModel._registrar(\(raw: source)) }
        """
    }

    // MARK: Metadata

    private static let listType = "[StoreModel.Schema.PropertyMetadata]"

    /// The properties, those of the parents first, each with a key path that begins at the class that is asked.
    private var schemaMetadata: DeclSyntax {
        let head = "\(parent == nil ? "" : "override ")\(model.overridableAccess)class var schemaMetadata: \(Self.listType)"
        guard model.isFinal else {
            return "\(raw: head) { _$metadata_\(raw: model.name)(of: \(raw: model.name).self) }"
        }
        return """
            \(raw: head) {
            \(raw: body(root: model.name))
            }
            """
    }

    /// The properties as they are reached through an optional, in the same order: a sort by `\Owner.model?.property` is found by them.
    private var optionalKeyPaths: DeclSyntax {
        let own = model.properties.map { "\\\(model.name)?.?.\($0.spelling)" }.joined(separator: ",\n        ")
        return """
            \(raw: parent == nil ? "" : "override ")\(raw: model.overridableAccess)class var _$optionalKeyPaths: [AnyKeyPath] {
                let own: [AnyKeyPath] = [
                    \(raw: own)
                ]
                return \(raw: parent == nil ? "" : "super._$optionalKeyPaths + ")own
            }
            """
    }

    /// What the subclasses of a class that may have some take their inherited metadata from.
    private var sharedMetadata: [DeclSyntax] {
        guard !model.isFinal else { return [] }
        return [
            """
            \(raw: model.access)class func _$metadata_\(raw: model.name)<T: \(raw: model.name)>(of type: T.Type) -> \(raw: Self.listType) {
            \(raw: body(root: "T"))
            }
            """
        ]
    }

    private func body(root: String) -> String {
        var lists: [String] = []
        if let parent {
            let name = parent.split(separator: ".").last.map(String.init) ?? parent
            lists.append("    let inheritedProperties = \(parent)._$metadata_\(name)(of: \(root).self)")
        }
        lists.append(list("storedProperties", model.properties.map { $0.metadata(of: root) }))
        let others = groups(model.indexes, "Index") + groups(model.constraints, "Unique")
        if !others.isEmpty { lists.append(list("otherProperties", others)) }
        let names = [parent == nil ? nil : "inheritedProperties", "storedProperties", others.isEmpty ? nil : "otherProperties"]
        return lists.joined(separator: "\n") + "\n    return " + names.compactMap { $0 }.joined(separator: " + ")
    }

    private func list(_ name: String, _ elements: [String]) -> String {
        "    let \(name): \(Self.listType) = [\n        \(elements.joined(separator: ",\n        "))\n    ]"
    }

    private func groups(_ macros: [MacroExpansionDeclSyntax], _ kind: String) -> [String] {
        macros.map { macro in
            """
            StoreModel.Schema.PropertyMetadata(name: "StoreModel.Schema.\(kind)", keypath: \\StoreModel.Schema.encodingVersion, \
            defaultValue: nil, metadata: StoreModel.Schema.\(kind)<\(model.name)>(\(macro.arguments.trimmedDescription)))
            """
        }
    }
}

extension ModelDeclaration {
    /// The parent, where that is a model: the compiler then asks for no conformance, since the class inherits it.
    func parent(unless protocols: [TypeSyntax]) -> String? {
        let asked = protocols.map { $0.trimmedDescription.split(separator: ".").last.map(String.init) ?? "" }
        guard !asked.contains("PersistentModel"), let first = firstInherited, !first.hasSuffix("PersistentModel") else { return nil }
        return first
    }
}
