import Foundation
import Testing

/// What the compiler says to a source with models, with the macros as they were built beside the tests.
private func complaints(about source: String, mode: String = "6") throws -> [String] {
    let folder = try TestFolder()
    let file = folder.url.appendingPathComponent("Source.swift")
    try Data(("import SwiftData\n" + source).utf8).write(to: file)
    let itself = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let built = URL(fileURLWithPath: itself).deletingLastPathComponent().path
    let shared = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../Sources-Shared"
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = [
        "swiftc", "-typecheck", "-swift-version", mode, "-I", "\(built)/Modules", "-I", "\(shared)/CStoreSystem/include", "-I",
        "\(shared)/CStoreSQLite", "-load-plugin-executable", "\(built)/StoreModelMacros-tool#StoreModelMacros",
        "-diagnostic-style", "llvm", file.path,
    ]
    let output = Pipe()
    compiler.standardError = output
    try compiler.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    compiler.waitUntilExit()
    return text.split(separator: "\n").filter { $0.contains(": error: ") || $0.contains(": warning: ") }.map(String.init)
}

@Suite struct MacroDiagnosticTests {
    @Test(arguments: [
        ("@Model struct Plain { var x = 0 }", "1:", "'@Model' cannot be applied to struct type 'Plain'"),
        ("@Model final class Bare { var x: Int }", "1:", "@Model requires an initializer be provided for 'Bare'"),
        (
            "@Model final class A {\n  var x = 0 { didSet {} }\n  init() {}\n}", "2:",
            "stored property 'x' of a model cannot have 'didSet': it would not be persisted; mark it @Transient or move the work into a method"
        ),
        (
            "@Model final class A {\n  var x = 0 { willSet {} }\n  init() {}\n}", "2:",
            "stored property 'x' of a model cannot have 'willSet': it would not be persisted; mark it @Transient or move the work into a method"
        ),
        (
            "@Model final class A {\n  @Transient var cache: [Int]\n  init() { cache = [] }\n}", "2:",
            "@Transient requires non-optional property 'cache' to have a default value"
        ),
        (
            "@Model final class A {\n  var description: String\n  init() { description = \"\" }\n}", "2:",
            "a persisted property cannot be called 'description'; choose another name and keep the column with originalName"
        ),
        (
            "@Model final class A {\n  var a = 0, b = 1\n  init() {}\n}", "2:",
            "a model's stored properties are declared one by one: write each with its own 'var'"
        ),
    ])
    func eachFaultIsSaidOnceWhereItIs(_ source: String, _ line: String, _ message: String) throws {
        // The compiler itself also misses an initialiser, in words that help less.
        let said = try complaints(about: source).filter { !$0.contains("has no initializers") }
        // The first line is the import.
        let place = "Source.swift:\((Int(line.dropLast()) ?? 0) + 1):"
        #expect(said.count == 1 && said.first?.contains(place) == true && said.first?.contains("error: \(message)") == true, "\(said)")
    }

    @Test(arguments: ["5", "6"])
    func whatLooksLikeAFaultAndIsNoneCompilesWithoutAWord(_ mode: String) throws {
        let source = """
            enum Version {
                @Model final class Nested {
                    var x = 0  // A comment behind it.
                    init() {}
                }
            }
            @Model final class Sound {
                @Transient var cache: [Int] = []
                @Transient var seen = 0 { didSet {} }
                @Transient var maybe: Int?
                var computed: Int { 1 }
                var `class`: String = "a"
                private(set) var inside = 2
                var later: Int?
                init() {}
            }
            """
        #expect(try complaints(about: source, mode: mode) == [])
    }
}
