@_spi(Reflection) import Swift

/// Values that no initialiser has made: a struct is put together from its stored properties.
///
/// `init(from:)` of a program's type may refuse what is made up, by an error or by a trap. It is never called here.
enum AssembledValue {
    /// A value of a struct of the program; nil for any other type, and where one of its stored properties has no value.
    static func of<T>(_ type: T.Type, from decoder: ProbeDecoder) -> T? {
        let metadata = unsafeBitCast(type as Any.Type, to: UnsafePointer<UInt>.self)
        guard metadata[0] == structure, !CompositeParts.isOfALibrary(type) else { return nil }
        let value = UnsafeMutablePointer<T>.allocate(capacity: 1)
        defer { value.deallocate() }
        let memory = UnsafeMutableRawPointer(value)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<T>.size)
        var taken: [() -> Void] = []
        func take<Part: Decodable>(_ type: Part.Type, at offset: Int) -> Bool {
            guard let made = try? decoder.value(type) else { return false }
            let part = (memory + offset).bindMemory(to: Part.self, capacity: 1)
            part.initialize(to: made)
            taken.append { part.deinitialize(count: 1) }
            return true
        }
        let isWhole = _forEachField(of: type) { _, offset, type, _ in
            guard let type = type as? any Decodable.Type else { return false }
            return take(type, at: offset)
        }
        // A type whose stored properties are not described has none here, and a size.
        guard isWhole, !taken.isEmpty || MemoryLayout<T>.size == 0 else {
            for part in taken { part() }
            return nil
        }
        return value.move()
    }

    /// A value of any type; nil where none can be made.
    static func any<T>(_ type: T.Type) -> T? {
        guard let decodable = type as? any Decodable.Type else { return nil }
        return (try? ProbeDecoder(.plain).value(decodable)) as? T
    }

    /// The kind that metadata of a struct begins with.
    private static let structure: UInt = 0x200
}
