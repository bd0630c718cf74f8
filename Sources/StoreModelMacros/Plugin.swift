import SwiftSyntaxMacros

/// Every macro that `StoreModel` declares. Never changed: metatypes of macros are not marked `Sendable`.
nonisolated(unsafe) let providedMacros: [any Macro.Type] = [
    PersistentModelMacro.self,
    PersistedPropertyMacro.self,
    AttributePropertyMacro.self,
    RelationshipPropertyMacro.self,
    TransientPropertyMacro.self,
    UniqueConstraintsMacro.self,
    IndexMacro.self,
    ModelActorMacro.self,
]

#if canImport(SwiftCompilerPlugin)
import SwiftCompilerPlugin

@main
struct StoreModelPlugin: CompilerPlugin {
    let providingMacros = providedMacros
}
#else
@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling

/// The compiler's end of the conversation over standard input and output.
///
/// The toolchain ships the message handling but not the module that wraps it in a `main`.
@main
struct StoreModelPlugin: PluginProvider {
    static func main() throws {
        let connection = try StandardIOMessageConnection()
        try CompilerPluginMessageListener(connection: connection, provider: Self()).main()
    }

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
        for macro in providedMacros where "\(macro)" == typeName {
            return macro
        }
        throw UnknownMacro(name: "\(moduleName).\(typeName)")
    }
}

/// The compiler asked for a macro that this plugin does not have: plugin and library come from different versions.
struct UnknownMacro: Error, CustomStringConvertible {
    let name: String
    var description: String { "the macro plugin has no macro '\(name)'; rebuild the package so that plugin and library match" }
}
#endif
