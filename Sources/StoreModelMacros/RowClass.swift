import SwiftSyntax
import SwiftSyntaxBuilder

/// The class of a model's rows: one typed slot for each persisted property, after those of the parent's rows.
///
/// That of a final class is final and private, so that the compiler sees through it; that of another is what its subclasses' rows inherit from.
struct RowClass {
    let model: ModelDeclaration
    /// The parent, where that is a model.
    let parent: String?

    private var isOpen: Bool { model.overridableAccess == "open " }
    /// Of what has to be as accessible as the class.
    private var access: String { isOpen && !model.isFinal ? "public " : "" }

    var declaration: DeclSyntax {
        let head = model.isFinal ? "private final class" : "\(isOpen ? "open " : "")class"
        let conformance = parent.map { "\($0)._$Row" } ?? "StoreModel.ModelRow, StoreModel.BackingData"
        return """
            @Transient \(raw: head) _$Row: \(raw: conformance) {
            \(raw: identity)
            \(raw: lines { _, property in "@exclusivity(unchecked) final var \(property.slot) = \(property.slotExpression)" })
            \(raw: lines { index, property in "static var index_\(property.name): Int { \(number(index)) }" })
                override \(raw: access)var _count: Int { \(raw: count) }
                override \(raw: access)var _modelType: (any StoreModel.PersistentModel.Type)? { \(raw: model.name).self }
                override \(raw: access)func _load(_ cursor: inout StoreModel.RowCursor) {
            \(raw: parent == nil ? "" : "        super._load(&cursor)\n        cursor._enterSubclass()")
            \(raw: lines { _, property in "    \(property.slot).load(&cursor)" })
                }
                override \(raw: access)func _bind(_ binder: inout StoreModel.RowBinder) {
            \(raw: parent == nil ? "" : "        super._bind(&binder)")
            \(raw: lines { _, property in "    \(property.slot).bind(&binder)" })
                }
                override \(raw: access)func _copySlots(from other: StoreModel.ModelRow) {
            \(raw: parent == nil ? "" : "        super._copySlots(from: other)")
            \(raw: model.properties.isEmpty ? "" : "        guard let other = other as? _$Row else { return }")
            \(raw: lines { _, property in "    \(property.slot) = other.\(property.slot)" })
                }
                override \(raw: access)func _visit<V: StoreModel.SlotVisitor>(_ index: Int, _ visitor: inout V) {
                    switch index\(raw: parent == nil ? "" : " - \(start)") {
            \(raw: lines { index, property in "    case \(index): visitor.visit(&\(property.slot))" })
                    default: \(raw: parent == nil ? "break" : "super._visit(index, &visitor)")
                    }
                }
                override \(raw: access)func _makeModel() -> any StoreModel.PersistentModel { \(raw: model.name)(backingData: self) }
            }
            """
    }

    /// What only the first row class of a hierarchy has, and how a subclass knows where its own slots begin.
    private var identity: String {
        guard parent == nil else {
            return model.isFinal ? "" : "    override \(access)class var _$end: Int { \(start) + \(model.properties.count) }"
        }
        let initializer = "\(model.isFinal ? "" : "required \(access)")convenience init(for modelType: \(model.name).Type) { self.init() }"
        let end = model.isFinal ? "" : "\n    \(isOpen ? "open " : "")class var _$end: Int { \(model.properties.count) }"
        return "    \(access)typealias Model = \(model.name)\n    \(initializer)\(end)"
    }

    private var start: String { parent.map { "\($0)._$Row._$end" } ?? "0" }
    private var count: String { parent == nil ? "\(model.properties.count)" : "\(start) + \(model.properties.count)" }
    private func number(_ index: Int) -> String { parent == nil ? "\(index)" : "\(start) + \(index)" }

    private func lines(_ body: (Int, PersistedProperty) -> String) -> String {
        model.properties.enumerated().map { "    " + body($0.offset, $0.element) }.joined(separator: "\n")
    }
}
