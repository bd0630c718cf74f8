import Foundation

/// Where programs line up to be let go at the same moment.
package final class Barrier {
    /// What programs at the barrier have as standard input; it ends when they are let go.
    private let gate: Int32
    private var writing: Int32
    private var programs: [Program] = []

    /// Says that it is there, waits for the end of its input, then becomes the program.
    private static let launcher = ["/bin/sh", "-c", "echo at the barrier; read -r _; exec \"$@\"", "sh"]

    package init() throws {
        let ends = try PipeEnds()
        gate = ends.reading
        writing = ends.writing
    }

    deinit {
        close(gate)
        if writing >= 0 { close(writing) }
    }

    /// Lines up a product.
    package func add(_ product: Product, _ arguments: String...) throws -> Program {
        let program = try Program(product, arguments, launcher: Barrier.launcher, input: gate)
        programs.append(program)
        return program
    }

    /// Waits until all are there, and lets them go.
    package func open() throws {
        for program in programs { try program.line(containing: "at the barrier") }
        close(writing)
        writing = -1
    }
}
