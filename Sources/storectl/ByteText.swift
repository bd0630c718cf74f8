/// A number of bytes for people.
struct ByteText: CustomStringConvertible {
    let bytes: Int64

    init(_ bytes: Int64) {
        self.bytes = bytes
    }

    var description: String {
        guard bytes >= 1024 else { return "\(bytes) bytes" }
        var number = Double(bytes)
        var unit = ""
        for next in ["KiB", "MiB", "GiB", "TiB"] where number >= 1024 {
            number /= 1024
            unit = next
        }
        return "\((number * 10).rounded() / 10) \(unit)"
    }
}
