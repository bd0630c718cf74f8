import Foundation

/// How a Swift value is held in a column of the store, and so how it is bound, compared and sorted in SQL.
///
/// An optional has the kind of what it wraps: `nil` is NULL in every kind.
public enum StorageKind: Hashable, Sendable {
    /// `Bool` as INTEGER 0 or 1.
    case boolean
    /// `Int` and the other fixed-width integers as INTEGER. A `UInt64` above `Int64.max` has no place in it; in queries it is an `UnsignedWord`.
    case integer
    /// `Double` as REAL.
    case real
    /// `Float` as REAL; arithmetic is rounded to single precision after each step.
    case float
    /// `Date` as REAL, seconds since the reference date.
    case date
    /// `String` and `Character` as TEXT, compared by UTF-8 bytes.
    case text
    /// `UUID` as TEXT, upper-case, with hyphens.
    case uuid
    /// `URL` as TEXT, its absolute string.
    case url
    /// `Data` as BLOB.
    case data
    /// `Decimal` as TEXT; ordered by value through the collation `storekeeper_decimal`.
    case decimal
    /// Any other `Codable` value as JSON TEXT.
    case json

    /// The kind of `type`, seen through optionals and raw values.
    ///
    /// An enumeration or another `RawRepresentable` is held as its raw value. Everything that is none of the plain types is held as JSON.
    package init(of type: Any.Type) {
        if let optional = type as? any OptionalValue.Type {
            self.init(of: optional.wrappedType)
        } else if let plain = StorageKind.plainKinds[ObjectIdentifier(type)] {
            self = plain
        } else if let raw = type as? any RawRepresentable.Type {
            self.init(of: StorageKind.rawType(raw))
        } else {
            self = .json
        }
    }

    /// The kind of a plain type, whose values are held as they are; nil for raw-representable types, optionals and all others.
    init?(plain type: Any.Type) {
        guard let kind = StorageKind.plainKinds[ObjectIdentifier(type)] else { return nil }
        self = kind
    }

    /// Whether its values may be NULL for *not a number*.
    var canBeNotANumber: Bool { self == .real || self == .float }

    private static func rawType<T: RawRepresentable>(_: T.Type) -> Any.Type { T.RawValue.self }

    private static let plainKinds: [ObjectIdentifier: StorageKind] = [
        ObjectIdentifier(Bool.self): .boolean,
        ObjectIdentifier(Int.self): .integer, ObjectIdentifier(Int8.self): .integer, ObjectIdentifier(Int16.self): .integer,
        ObjectIdentifier(Int32.self): .integer, ObjectIdentifier(Int64.self): .integer, ObjectIdentifier(UInt.self): .integer,
        ObjectIdentifier(UInt8.self): .integer, ObjectIdentifier(UInt16.self): .integer, ObjectIdentifier(UInt32.self): .integer,
        ObjectIdentifier(UInt64.self): .integer,
        ObjectIdentifier(Double.self): .real, ObjectIdentifier(Float.self): .float, ObjectIdentifier(Date.self): .date,
        ObjectIdentifier(String.self): .text, ObjectIdentifier(Character.self): .text, ObjectIdentifier(Substring.self): .text,
        ObjectIdentifier(UUID.self): .uuid, ObjectIdentifier(URL.self): .url, ObjectIdentifier(Data.self): .data,
        ObjectIdentifier(Decimal.self): .decimal,
    ]
}

/// An optional seen without knowing what it wraps.
package protocol OptionalValue {
    /// The type inside one layer of `Optional`.
    static var wrappedType: Any.Type { get }
    /// The value inside, or nil.
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    package static var wrappedType: Any.Type { Wrapped.self }
    package var wrappedValue: Any? { self.map { $0 as Any } }
}

/// `type` without its layers of `Optional`.
func innermost(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalValue.Type).map { innermost($0.wrappedType) } ?? type
}
