// swift-tools-version: 6.2
// SPDX-License-Identifier: LGPL-2.1-or-later
import PackageDescription

// The sources of the product have package access, which ends at the package unless the compiler is given the same
// package name. SwiftPM derives that of the product from the name of its folder.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? ""
let product = String(
    folder.lowercased().enumerated().map { index, character in
        character.isASCII && (character.isLetter || index > 0 && character.isNumber) ? character : "_"
    })

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "swiftvision", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.3.0"),
    ],
    targets: [
        .executableTarget(
            name: "svbench",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CGStreamer", package: "swiftvision"),
                .product(name: "KernelTypes", package: "swiftvision"),
                .product(name: "Pictures", package: "swiftvision"),
            ],
            packageAccess: false,
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .unsafeFlags(["-package-name", product]),
            ])
    ]
)
