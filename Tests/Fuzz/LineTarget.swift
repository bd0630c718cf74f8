import StoreShared

/// What libFuzzer calls with each input of the socket's parser: however the bytes are cut, the same lines come out, none too long, and
/// each is a hello, a request, or nothing; what the owner repeats of a request is one line again.
func fuzzLines(_ bytes: UnsafeRawBufferPointer) {
    let whole = lines(of: bytes, cutInto: max(1, bytes.count))
    let first = bytes.first.map(Int.init) ?? 0
    let cut = lines(of: bytes, cutInto: first % 7 + 1)
    guard whole.isTooLong == cut.isTooLong, whole.isTooLong || whole.lines == cut.lines else { fatalError("lines depend on how they come") }
    for line in whole.lines {
        guard line.count <= LineBuffer.limit, !line.contains(UInt8(ascii: "\n")) else { fatalError("that is no line") }
        guard case .request(let request)? = ClientLine(line) else { continue }
        let answer = MessageCoding.line(Reply(to: request, error: "no"))
        if answer.contains(UInt8(ascii: "\n")) { fatalError("an answer of two lines to \(line)") }
    }
}

private func lines(of bytes: UnsafeRawBufferPointer, cutInto size: Int) -> (lines: [[UInt8]], isTooLong: Bool) {
    var buffer = LineBuffer()
    var found: [[UInt8]] = []
    var start = 0
    do {
        while start < bytes.count {
            let end = min(start + size, bytes.count)
            buffer.append(Array(bytes[start..<end]))
            start = end
            while let line = try buffer.next() { found.append(line) }
        }
        return (found, false)
    } catch {
        return (found, true)
    }
}
