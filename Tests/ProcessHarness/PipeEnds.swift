import Foundation

/// Both ends of a pipe; neither is inherited by a program unless it is named when that program is started.
///
/// It is a pair of sockets, which are made close-on-exec in one step: two tests may start programs at the same time.
struct PipeEnds {
    var reading: Int32
    var writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw HarnessError("socketpair: \(String(cString: strerror(errno)))")
        }
        reading = ends[0]
        writing = ends[1]
    }
}

/// Something that the harness itself could not do, or that did not happen in time.
package struct HarnessError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
