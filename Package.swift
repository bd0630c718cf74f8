// swift-tools-version: 6.1

import CompilerPluginSupport
import Foundation
import PackageDescription

// Where the manifest is read from decides how the macro plugin is built: in the package's own checkout from the
// toolchain's SwiftSyntax, which needs unsafe flags; in somebody's `.build/checkouts` from the ordinary swift-syntax
// package, since SwiftPM refuses unsafe flags there. While SwiftPM resolves from git the directory is `/`.
let isDependency = Context.packageDirectory == "/" || Context.packageDirectory.contains("/checkouts/")

/// The toolchain's folder of host libraries, `usr/lib/swift/host`, found from the manifest library mapped into this process.
///
/// Read line by line: `/proc` files have no length and come a page at a time, so reading one whole may stop early.
func toolchainHostFolder() -> String? {
    let library = "/pm/ManifestAPI/libPackageDescription.so"
    guard let maps = fopen("/proc/self/maps", "re") else { return nil }
    defer { fclose(maps) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, maps) > 0 {
        let text = String(cString: line!)
        if let slash = text.firstIndex(of: "/"), let end = text.range(of: library) {
            return text[slash..<end.lowerBound] + "/host"
        }
    }
    return nil
}

/// What is built other than for use, as scripts ask in `STORE_BUILD`: `faults` has nothing of the models, which have no seams;
/// `sanitize` links nothing statically; `fuzz` adds the targets for libFuzzer, whose main and instrumentation nobody else wants.
let specialBuild = Context.environment["STORE_BUILD"]
let hasModels = specialBuild != "faults"

let swiftSettings: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]
var macroSwiftSettings = swiftSettings
var macroLinkerSettings: [LinkerSetting] = []
var macroDependencies: [Target.Dependency] = []
var packageDependencies: [Package.Dependency] = []
var commandLinkerSettings: [LinkerSetting] = []

if isDependency {
    packageDependencies = [.package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.0")]
    macroDependencies = [
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
    ]
} else if let host = toolchainHostFolder() {
    macroSwiftSettings += [.unsafeFlags(["-I", host])]
    macroLinkerSettings = [
        .unsafeFlags(["-L", host, "-Xlinker", "-rpath", "-Xlinker", host]),
        .linkedLibrary("SwiftSyntax"), .linkedLibrary("SwiftSyntaxMacros"), .linkedLibrary("SwiftSyntaxBuilder"),
        .linkedLibrary("SwiftDiagnostics"), .linkedLibrary("SwiftCompilerPluginMessageHandling"),
    ]
    // A shell asks often: a static program starts in half the time of a dynamic one. No sanitizer can be in one.
    commandLinkerSettings =
        specialBuild == "sanitize"
        ? []
        : [
            .unsafeFlags(["-static-executable", "-use-ld=lld"]), .linkedLibrary("_FoundationCShims"),
            .linkedLibrary("_FoundationCollections"),
            .linkedLibrary("swiftSynchronization"),
        ]
}

let fuzzTargets: [Target] =
    specialBuild != "fuzz"
    ? []
    : [
        .executableTarget(
            name: "store-fuzz", dependencies: ["StoreShared"], path: "Tests/Fuzz", exclude: ["Corpus", "record.dict"],
            swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])], linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
    ]

/// The models, what is built on them, and their tests.
let modelTargets: [Target] =
    !hasModels
    ? []
    : [
        .macro(
            name: "StoreModelMacros", dependencies: macroDependencies, swiftSettings: macroSwiftSettings,
            linkerSettings: macroLinkerSettings),
        .target(
            name: "StoreModel",
            dependencies: [
                "StoreModelMacros", "CStoreSystem", "StoreSQLite", "StoreShared", "StoreMigration", "StoreOwner", "StoreReader",
            ],
            swiftSettings: swiftSettings),
        .target(
            name: "Storekeeper", dependencies: ["StoreModel", "StoreOwner", "StoreReader", "StoreMigration", "StoreShared", "StoreSQLite"],
            swiftSettings: swiftSettings),
        .target(name: "SwiftData", dependencies: ["Storekeeper"], swiftSettings: swiftSettings),
        .target(
            name: "NotesSchema", dependencies: ["Storekeeper"], path: "Sources/Examples/Notes/NotesSchema", swiftSettings: swiftSettings),
        .target(
            name: "NotesCommand", dependencies: ["Storekeeper"], path: "Sources/Examples/Notes/NotesCommand", swiftSettings: swiftSettings),
        .executableTarget(
            name: "notesd", dependencies: ["NotesSchema", "NotesCommand", "Storekeeper"], path: "Sources/Examples/Notes/notesd",
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "notes-reader", dependencies: ["NotesSchema", "NotesCommand", "Storekeeper"], path: "Sources/Examples/Notes/notes-reader",
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "store-bench",
            dependencies: ["ProcessHarness", "Storekeeper", "StoreMigration", "StoreOwner", "StoreReader", "StoreShared", "StoreSQLite"],
            path: "Tests/Bench",
            swiftSettings: swiftSettings),
        .target(name: "AllocationCount", path: "Tests/AllocationCount"),
        .executableTarget(
            name: "model-bench", dependencies: ["AllocationCount", "StoreModel", "StoreSQLite", "Storekeeper"], path: "Tests/ModelBench",
            swiftSettings: swiftSettings),
        .target(
            name: "BookmarksSchema", dependencies: ["Storekeeper"], path: "Sources/Examples/Bookmarks/BookmarksSchema",
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "bookmarks-owner", dependencies: ["BookmarksSchema", "Storekeeper"],
            path: "Sources/Examples/Bookmarks/bookmarks-owner",
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "bookmarks-reader", dependencies: ["BookmarksSchema", "Storekeeper"],
            path: "Sources/Examples/Bookmarks/bookmarks-reader",
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "bookmarks-watcher", dependencies: ["BookmarksSchema", "Storekeeper"],
            path: "Sources/Examples/Bookmarks/bookmarks-watcher",
            swiftSettings: swiftSettings),
        .testTarget(
            name: "NotesTests", dependencies: ["NotesCommand", "NotesSchema", "PlanHarness", "StoreModel", "Storekeeper"],
            swiftSettings: swiftSettings),
        .testTarget(name: "SurfaceTests", dependencies: ["SwiftData"]),
        .testTarget(
            name: "StoreModelTests", dependencies: ["PlanHarness", "StoreModel", "Storekeeper", "SwiftData", "StoreSQLite"],
            swiftSettings: swiftSettings),
    ]

let modelProducts: [Product] =
    !hasModels
    ? []
    : [
        .library(name: "Storekeeper", targets: ["Storekeeper"]),
        .library(name: "SwiftData", targets: ["SwiftData"]),
        .executable(name: "notesd", targets: ["notesd"]),
        .executable(name: "notes-reader", targets: ["notes-reader"]),
    ]

let package = Package(
    name: "storekeeper",
    products: [
        .executable(name: "storectl", targets: ["storectl"]),
        .executable(name: "storekeeperd", targets: ["storekeeperd"]),
    ] + modelProducts,
    dependencies: packageDependencies,
    targets: [
        .systemLibrary(
            name: "CStoreSQLite", path: "Sources-Shared/CStoreSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CStoreSystem", dependencies: ["CStoreSQLite"], path: "Sources-Shared/CStoreSystem"),
        .target(
            name: "StoreSQLite", dependencies: ["CStoreSQLite", "CStoreSystem"], path: "Sources-Shared/StoreSQLite",
            swiftSettings: swiftSettings),
        .target(
            name: "StoreShared", dependencies: ["StoreSQLite", "CStoreSystem"], path: "Sources-Shared/StoreShared",
            swiftSettings: swiftSettings),
        .target(name: "StoreMigration", dependencies: ["StoreSQLite", "StoreShared"], swiftSettings: swiftSettings),
        .target(name: "StoreOwner", dependencies: ["StoreSQLite", "StoreShared", "StoreMigration"], swiftSettings: swiftSettings),
        .target(name: "StoreReader", dependencies: ["StoreSQLite", "StoreShared", "StoreMigration"], swiftSettings: swiftSettings),
        .executableTarget(
            name: "storectl", dependencies: ["StoreSQLite", "StoreShared", "StoreMigration", "StoreOwner", "StoreReader"],
            swiftSettings: swiftSettings, linkerSettings: commandLinkerSettings),
        .executableTarget(
            name: "storekeeperd", dependencies: ["StoreSQLite", "StoreShared", "StoreMigration", "StoreOwner"],
            swiftSettings: swiftSettings, linkerSettings: commandLinkerSettings),
        .target(name: "ProcessHarness", path: "Tests/ProcessHarness", swiftSettings: swiftSettings),
        .target(
            name: "PlanHarness", dependencies: ["StoreMigration", "StoreShared", "StoreSQLite"], path: "Tests/PlanHarness",
            swiftSettings: swiftSettings),
        .target(name: "CFaultActor", dependencies: ["CStoreSQLite"], path: "Tests/Faults/CFaultActor"),
        .target(
            name: "FaultPlan", dependencies: ["StoreMigration", "StoreShared", "StoreSQLite"], path: "Tests/Faults/FaultPlan",
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "fault-actor",
            dependencies: ["CFaultActor", "FaultPlan", "StoreSQLite", "StoreShared", "StoreMigration", "StoreOwner", "StoreReader"],
            path: "Tests/Faults/FaultActor", swiftSettings: swiftSettings, linkerSettings: commandLinkerSettings),
        .target(
            name: "FaultHarness", dependencies: ["FaultPlan", "StoreSQLite", "StoreShared", "StoreMigration", "StoreReader"],
            path: "Tests/Faults/FaultHarness", swiftSettings: swiftSettings),
        .executableTarget(
            name: "store-soak", dependencies: ["FaultHarness", "StoreShared"], path: "Tests/Faults/StoreSoak", swiftSettings: swiftSettings),
        .testTarget(
            name: "FaultTests",
            dependencies: ["FaultHarness", "FaultPlan", "PlanHarness", "ProcessHarness", "StoreMigration", "StoreShared", "StoreSQLite"],
            path: "Tests/Faults/FaultTests", swiftSettings: swiftSettings),
        .testTarget(
            name: "ProcessTests",
            dependencies: ["PlanHarness", "ProcessHarness", "StoreMigration", "StoreSQLite", "StoreShared"]
                + (hasModels ? ["BookmarksSchema", "Storekeeper"] : []),
            path: "Tests/Processes", exclude: hasModels ? [] : ["ObserverTests.swift"], swiftSettings: swiftSettings),
        .testTarget(
            name: "StoreMigrationTests", dependencies: ["PlanHarness", "StoreMigration", "StoreShared", "StoreSQLite"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "StoreOwnerTests",
            dependencies: ["PlanHarness", "StoreOwner", "StoreReader", "StoreMigration", "StoreShared", "StoreSQLite"],
            swiftSettings: swiftSettings),
        .testTarget(name: "StoreSQLiteTests", dependencies: ["StoreSQLite"], swiftSettings: swiftSettings),
        .testTarget(name: "StoreSharedTests", dependencies: ["StoreShared", "StoreSQLite"], swiftSettings: swiftSettings),
        .testTarget(
            name: "StorectlTests",
            dependencies: ["PlanHarness", "ProcessHarness", "StoreOwner", "StoreMigration", "StoreShared", "StoreSQLite"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "StoreReaderTests", dependencies: ["StoreReader", "StoreMigration", "StoreShared", "StoreSQLite"],
            swiftSettings: swiftSettings),
    ] + modelTargets + fuzzTargets,
    swiftLanguageModes: [.v6]
)
