import Foundation
import Synchronization

/// Turns values into others, for example into what can be stored; Foundation on Linux has no such class.
open class ValueTransformer {
    public required init() {}

    open class func transformedValueClass() -> AnyClass { NSObject.self }
    open class func allowsReverseTransformation() -> Bool { false }
    open func transformedValue(_ value: Any?) -> Any? { value }
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

    public class func valueTransformer(forName name: NSValueTransformerName) -> ValueTransformer? {
        registered.withLock { $0[name] }?.transformer
    }

    open class func valueTransformerNames() -> [NSValueTransformerName] { registered.withLock { Array($0.keys) } }
}

/// The name of a registered `ValueTransformer`.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Archives by `NSKeyedArchiver`, and unarchives what the value's own type allows.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
}
