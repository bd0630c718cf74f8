import SwiftSyntaxMacros

#if canImport(SwiftCompilerPlugin)
import SwiftCompilerPlugin

@main
struct StoreModelPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = []
}
#else
@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling

@main
struct StoreModelPlugin {
    static func main() throws {}
}
#endif
