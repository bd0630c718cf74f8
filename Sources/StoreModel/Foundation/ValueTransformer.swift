import Foundation
import Synchronization

/// Turns values into others, for example into what can be stored; Foundation on Linux has no such class.
open class ValueTransformer {
    /// A transformer needs no arguments.
    public required init() {}

    /// The class of what it makes.
    open class func transformedValueClass() -> AnyClass { NSObject.self }
    /// Whether the way back exists; false unless overridden.
    open class func allowsReverseTransformation() -> Bool { false }
    /// What is stored for a value.
    open func transformedValue(_ value: Any?) -> Any? { value }
    /// The value for what is stored.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

    private static let registered = Mutex<[NSValueTransformerName: Entry]>([:])

    // Unchecked: whoever registers a transformer shares it with everybody who asks for its name.
    private struct Entry: @unchecked Sendable {
        let transformer: ValueTransformer
    }

    /// Registers a transformer for `.transformable(by:)` with a name; nil takes it back.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        let entry = transformer.map { Entry(transformer: $0) }
        registered.withLock { $0[name] = entry }
    }

    /// The one registered under a name; nil for none.
    public class func valueTransformer(forName name: NSValueTransformerName) -> ValueTransformer? {
        registered.withLock { $0[name] }?.transformer
    }

    /// The names that are registered, in no order.
    open class func valueTransformerNames() -> [NSValueTransformerName] { registered.withLock { Array($0.keys) } }
}

/// The name of a registered `ValueTransformer`.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in `@Attribute(.transformable(by:))`.
    public let rawValue: String
    /// The name as it stands in `@Attribute(.transformable(by:))`.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name as it stands in `@Attribute(.transformable(by:))`.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Archives by `NSKeyedArchiver`, and unarchives what the value's own type allows.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}
