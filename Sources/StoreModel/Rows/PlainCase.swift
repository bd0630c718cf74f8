/// The cases of an enumeration that does not list them.
enum PlainCase {
    /// The case of that number, in the order of their declaration; nil for what is no enumeration or has no such case, and where one of its
    /// cases has associated values.
    ///
    /// Without those a value is the number of its case, in as few bytes as hold it. How many cases there are of either kind is said by the
    /// type's descriptor, whose layout is part of Swift's ABI.
    static func of<T>(_ type: T.Type, at number: UInt8 = 0) -> T? {
        let metadata = unsafeBitCast(type as Any.Type, to: UnsafePointer<UInt>.self)
        guard metadata[0] == enumeration, !CompositeParts.isOfALibrary(type), let descriptor = UnsafeRawPointer(bitPattern: metadata[1]),
            descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0x00FF_FFFF == 0,
            descriptor.load(fromByteOffset: 24, as: UInt32.self) > UInt32(number)
        else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: max(MemoryLayout<T>.size, 1), alignment: MemoryLayout<T>.alignment) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            bytes[0] = number
            return bytes.load(as: T.self)
        }
    }

    /// The kind that metadata of an enumeration begins with.
    private static let enumeration: UInt = 0x200 | 1
}
