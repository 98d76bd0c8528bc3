// swift-tools-version: 6.2
// SPDX-License-Identifier: LGPL-2.1-or-later
import PackageDescription

// MARK: - Settings that targets share

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Kernels are loops that are optimised in debug builds too: those would be slow beyond use, and would emit functions of
/// the standard library under names that the kernel sets share (see Sources/Kernels/Rows.swift). Roots are instructions,
/// without a call that sets `errno`.
let kernels = strict + [.unsafeFlags(["-O", "-Xcc", "-fno-math-errno"])]

// The same kernel sources are compiled once more for each newer instruction set (the folders are
// symbolic links to Sources/Kernels); `Imaging` picks one at run time. Other processors than x86-64 have
// their vector instructions in the baseline and need no second copy.
#if arch(x86_64)
    let wideKernels: [Target] = [3, 4].map { level in
        .target(
            name: "KernelsV\(level)", dependencies: ["KernelTypes"], path: "Sources/KernelsV\(level)",
            swiftSettings: kernels + [
                .define("LEVEL_\(level)"),
                // These have an instruction for a product and a sum.
                .define("FUSED"),
                .unsafeFlags(["-Xcc", "-march=x86-64-v\(level)", "-Xcc", "-mprefer-vector-width=512"]),
            ])
    }
#else
    let wideKernels: [Target] = []
#endif

/// What loops over pixels is optimised in debug builds, too: tests draw, blend and compare thousands of frames, pixel by pixel.
let pixels = strict + [.unsafeFlags(["-O"])]

/// What runs once a frame and not once a pixel is better small.
let small = strict + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// C++ that walks over pixels is optimised in debug builds, too.
let openCV: [CXXSetting] = [.unsafeFlags(["-I/usr/include/opencv4", "-O2"])]

/// What is installed stands alone: it needs no Swift runtime. The linker's options make the plugin 20 % smaller.
let standalone = [
    "-static-stdlib", "-use-ld=lld", "-Xlinker", "--gc-sections", "-Xlinker", "--icf=all", "-Xlinker", "-O2",
    "-Xlinker", "-s", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--as-needed",
]

/// What works on pictures, without GStreamer and OpenCV.
let pictures: [Target.Dependency] = ["Imaging", "Blending", "Drawing", "Filters", "Scenes", "Transitions"]

let package = Package(
    name: "swiftvision",
    products: [
        .library(name: "gstswiftvision", type: .dynamic, targets: ["SwiftVisionPlugin"]),
        .executable(name: "swiftvision-run", targets: ["swiftvision-run"]),
        // For the benchmarks, which are a package of their own.
        .library(name: "CGStreamer", targets: ["CGStreamer"]),
        .library(name: "KernelTypes", targets: ["KernelTypes"]),
        .library(name: "Pictures", targets: ["Imaging", "Blending", "Drawing", "Filters", "Scenes", "Transitions"]),
    ],
    dependencies: [
        // The server of svwebsink.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0")
    ],
    targets: [
        // MARK: C and C++
        .systemLibrary(name: "CGStreamer", pkgConfig: "gstreamer-video-1.0"),
        .systemLibrary(name: "CGStreamerCheck", pkgConfig: "gstreamer-check-1.0"),
        .systemLibrary(name: "CPango", pkgConfig: "pangocairo"),
        .target(name: "CElements", dependencies: ["CGStreamer"]),
        .target(
            name: "COpenCV",
            cxxSettings: openCV,
            linkerSettings: [
                .linkedLibrary("opencv_core"), .linkedLibrary("opencv_imgproc"), .linkedLibrary("opencv_objdetect"),
                .linkedLibrary("opencv_features2d"), .linkedLibrary("opencv_video"), .linkedLibrary("opencv_dnn"),
            ]),
        .target(name: "CProcessor"),
        // The page of svwebsink.
        .target(name: "CPage"),
        // The clients of brokers, which are loaded when they are needed.
        .target(name: "CBrokers", linkerSettings: [.linkedLibrary("dl")]),

        // MARK: Swift
        // Reads byte by byte what may be megabytes long: optimised in debug builds, too.
        .target(name: "Files", swiftSettings: strict + [.unsafeFlags(["-O"])]),
        // How threads wait for each other.
        .target(name: "Waiting", swiftSettings: strict),
        // HTTP and WebSocket.
        .target(
            name: "Web",
            dependencies: [
                "Files",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: small),
        // The service manager, such as systemd.
        .target(name: "Service", swiftSettings: small),
        // Messages on their way to files and brokers.
        .target(name: "Publishing", dependencies: ["CBrokers", "Files", "Service", "Waiting"], swiftSettings: small),
        // What crosses into kernels: their arguments' types, and the list of them.
        .target(name: "KernelTypes", swiftSettings: strict),
        .target(name: "Kernels", dependencies: ["KernelTypes"], swiftSettings: kernels),
        // What all who work on pictures share; the fastest kernels for this processor.
        .target(
            name: "Imaging",
            dependencies: ["CProcessor", "KernelTypes", "Kernels"]
                + wideKernels.map { .init(stringLiteral: $0.name) },
            swiftSettings: pixels),
        .target(name: "Blending", dependencies: ["CProcessor", "Imaging", "KernelTypes"], swiftSettings: pixels),
        .target(name: "Drawing", dependencies: ["Imaging", "KernelTypes"], swiftSettings: pixels),
        .target(
            name: "Filters", dependencies: ["CProcessor", "Files", "Imaging", "KernelTypes"], swiftSettings: pixels),
        .target(name: "Transitions", dependencies: ["Blending", "Imaging", "KernelTypes"], swiftSettings: pixels),
        .target(name: "Scenes", dependencies: ["Drawing", "Imaging"], swiftSettings: small),
        .target(name: "Text", dependencies: ["CPango", "Drawing", "Imaging"], swiftSettings: strict),
        .target(
            name: "Vision",
            dependencies: ["Blending", "COpenCV", "Drawing", "Files", "Filters", "Imaging", "KernelTypes"],
            swiftSettings: pixels),
        .target(
            name: "ElementKit", dependencies: ["CElements", "CGStreamer", "Files", "Imaging", "Waiting"],
            swiftSettings: small),
        .target(
            name: "Elements",
            dependencies: [
                "Blending", "CPage", "Drawing", "ElementKit", "Files", "Filters", "Imaging", "KernelTypes",
                "Publishing", "Scenes", "Text", "Transitions", "Vision", "Waiting", "Web",
            ],
            swiftSettings: small),
        .target(
            name: "SwiftVisionPlugin", dependencies: ["Elements"], exclude: ["exported.map"], swiftSettings: strict,
            linkerSettings: [
                // These flags travel to every target that depends on this one, so no test does.
                .unsafeFlags(standalone),
                // Nobody needs more of it than its two entry points.
                .unsafeFlags([
                    "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/SwiftVisionPlugin/exported.map",
                ]),
            ]),

        // The program that runs pipelines, for `launch`, `swiftvision` and services.
        .executableTarget(
            name: "swiftvision-run", dependencies: ["CGStreamer", "Files", "Service", "Waiting"],
            path: "Sources/Runner", swiftSettings: small, linkerSettings: [.unsafeFlags(standalone)]),

        // MARK: Tests
        .testTarget(name: "WaitingTests", dependencies: ["Waiting"], swiftSettings: strict),
        .testTarget(name: "FilesTests", dependencies: ["Files", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "PublishingTests", dependencies: ["Publishing", "TestSupport", "CBrokers", "Waiting"],
            swiftSettings: strict),
        .testTarget(name: "WebTests", dependencies: ["Web", "TestSupport"], swiftSettings: strict),
        // The page of svwebsink in Chromium.
        .testTarget(
            name: "BrowserTests", dependencies: ["ElementKit", "Imaging", "TestSupport", "CGStreamer"],
            swiftSettings: strict),
        // Of all that works on pictures without GStreamer and OpenCV.
        .testTarget(
            name: "ImagingTests", dependencies: ["KernelTypes"] + pictures, swiftSettings: pixels),
        // What the tests of elements share: frames, harnesses, pipelines, files.
        .target(
            name: "TestSupport", dependencies: ["Elements", "ElementKit", "Imaging", "CGStreamer", "CGStreamerCheck"],
            path: "Tests/TestSupport", swiftSettings: strict),
        // OpenCV called directly, for the tests that compare with it.
        .target(
            name: "COpenCVCheck", dependencies: ["COpenCV"], path: "Tests/COpenCVCheck",
            cxxSettings: openCV),
        // A program that saves models until it is killed, for the tests of model files.
        .executableTarget(
            name: "modelsaver", dependencies: ["Vision"], path: "Tests/ModelSaver", swiftSettings: strict),
        .testTarget(
            name: "VisionTests",
            dependencies: ["Vision", "KernelTypes", "COpenCVCheck", "TestSupport", "modelsaver"] + pictures,
            swiftSettings: pixels),
        .testTarget(name: "TextTests", dependencies: ["Text", "Drawing", "Imaging", "CPango"], swiftSettings: strict),
        .testTarget(
            name: "ElementKitTests", dependencies: ["ElementKit", "TestSupport"] + pictures, swiftSettings: strict),
        .testTarget(
            name: "ElementsTests",
            dependencies: ["Elements", "ElementKit", "KernelTypes", "Text", "Vision", "TestSupport", "COpenCVCheck"]
                + pictures,
            swiftSettings: strict),
        // A program that feeds the elements with nonsense: `./launch fuzz`.
        .executableTarget(
            name: "fuzzer", dependencies: ["Elements", "ElementKit", "Vision", "TestSupport"] + pictures,
            path: "Tests/Fuzzer", swiftSettings: strict),
        .testTarget(name: "FuzzTests", dependencies: ["fuzzer"], swiftSettings: strict),
        .testTarget(
            name: "PipelineTests", dependencies: ["ElementKit", "CGStreamer"] + pictures, swiftSettings: strict),
    ] + wideKernels,
    cxxLanguageStandard: .cxx17
)
