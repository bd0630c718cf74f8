// swift-tools-version: 6.1

import PackageDescription

// A package of its own that depends on this one by path, as an application does: the same source in both language modes.
let package = Package(
    name: "consumer",
    dependencies: [.package(name: "storekeeper", path: "../..")],
    targets: [
        .executableTarget(
            name: "Swift5App", dependencies: [.product(name: "SwiftData", package: "storekeeper")], swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .executableTarget(
            name: "Swift6App", dependencies: [.product(name: "SwiftData", package: "storekeeper")], swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]
)
