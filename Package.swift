// swift-tools-version: 6.2
// SPDX-License-Identifier: LGPL-2.1-or-later
import PackageDescription

// MARK: - Settings that targets share

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Targets of the plugin. Without the implicit import, code cannot call the functions for regular expressions by mistake,
/// which would make the plugin 1.3 MB larger.
let product = strict + [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]

/// Kernels are loops over pixels, so debug builds optimise them, too. Without optimisation, kernels would be too slow,
/// and would emit functions of the standard library under names that the kernel sets share (see
/// Sources/Kernels/Rows.swift). Each kernel set is optimised as a whole, as in release builds, because kernels call
/// functions of other files for each pixel. With -fno-math-errno, a square root is one instruction, without a call that
/// sets `errno`.
let kernels =
    product + [
        .unsafeFlags(["-O", "-Xcc", "-fno-math-errno"]),
        .unsafeFlags(["-wmo", "-num-threads", "2"], .when(configuration: .debug)),
    ]

// The same kernel sources are compiled again for each newer instruction set (the folders are symbolic links to
// Sources/Kernels). `Imaging` selects one kernel set at run time. Processors other than x86-64 have vector instructions
// in the baseline and need no second set.
#if arch(x86_64)
    let wideKernels: [Target] = [3, 4].map { level in
        .target(
            name: "KernelsV\(level)", dependencies: ["KernelTypes"], path: "Sources/KernelsV\(level)",
            swiftSettings: kernels + [
                .define("LEVEL_\(level)"),
                // These instruction sets have a fused multiply-add instruction.
                .define("FUSED"),
                .unsafeFlags(["-Xcc", "-march=x86-64-v\(level)", "-Xcc", "-mprefer-vector-width=512"]),
            ])
    }
#else
    let wideKernels: [Target] = []
#endif

/// Targets that loop over pixels. Debug builds optimise them, too, because tests draw, blend and compare thousands of
/// frames.
let pixels = product + [.unsafeFlags(["-O"])]
let pixelTests = strict + [.unsafeFlags(["-O"])]

/// Targets whose code runs once per frame, not once per pixel. Release builds optimise them for size.
let small = product + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// C++ code that loops over pixels. Debug builds optimise it, too.
let openCV: [CXXSetting] = [.unsafeFlags(["-I/usr/include/opencv4", "-O2"])]

/// The installed products need no Swift runtime. The linker options make the plugin 20 % smaller.
let standalone = [
    "-static-stdlib", "-use-ld=lld", "-Xlinker", "--gc-sections", "-Xlinker", "--icf=all", "-Xlinker", "-O2",
    "-Xlinker", "-s", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--as-needed",
]

/// The targets that process images, without GStreamer and OpenCV.
let pictures: [Target.Dependency] = ["Imaging", "Blending", "Drawing", "Filters", "Scenes", "Transitions"]

let package = Package(
    name: "swiftvision",
    products: [
        .library(name: "gstswiftvision", type: .dynamic, targets: ["SwiftVisionPlugin"]),
        .executable(name: "swiftvision-run", targets: ["swiftvision-run"]),
        // For the benchmarks, which are a separate package.
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
        // The web page of svwebsink.
        .target(name: "CPage"),
        // The looks of svfilter.
        .target(name: "CLooks"),
        // The clients for message brokers, which load the brokers' libraries when a client needs them.
        .target(name: "CBrokers", linkerSettings: [.linkedLibrary("dl")]),

        // MARK: Swift
        // Reads files of several megabytes byte by byte, so debug builds optimise it, too.
        .target(name: "Files", swiftSettings: product + [.unsafeFlags(["-O"])]),
        // Waiting between threads.
        .target(name: "Waiting", swiftSettings: product),
        // HTTP and WebSocket.
        .target(
            name: "Web",
            dependencies: [
                "Files",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: small),
        // Messages to the service manager, such as systemd.
        .target(name: "Service", swiftSettings: small),
        // Messages to files and brokers. Reads files byte by byte, so debug builds optimise it, too.
        .target(
            name: "Publishing", dependencies: ["CBrokers", "Files", "Service", "Waiting"],
            swiftSettings: small + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        // The types of the kernels' arguments, and the list of kernels.
        .target(name: "KernelTypes", swiftSettings: product),
        .target(name: "Kernels", dependencies: ["KernelTypes"], swiftSettings: kernels),
        // The common code of all targets that process images, and the choice of the fastest kernels for the processor.
        .target(
            name: "Imaging",
            dependencies: ["CProcessor", "KernelTypes", "Kernels"]
                + wideKernels.map { .init(stringLiteral: $0.name) },
            swiftSettings: pixels),
        .target(name: "Blending", dependencies: ["CProcessor", "Imaging", "KernelTypes"], swiftSettings: pixels),
        .target(name: "Drawing", dependencies: ["Imaging", "KernelTypes"], swiftSettings: pixels),
        .target(
            name: "Filters", dependencies: ["CLooks", "CProcessor", "Files", "Imaging", "KernelTypes"],
            swiftSettings: pixels),
        .target(name: "Transitions", dependencies: ["Blending", "Imaging", "KernelTypes"], swiftSettings: pixels),
        // Tests draw hundreds of scenes, so debug builds optimise them, too.
        .target(
            name: "Scenes", dependencies: ["Drawing", "Imaging"],
            swiftSettings: small + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
        .target(name: "Text", dependencies: ["CPango", "Drawing", "Imaging"], swiftSettings: product),
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
            name: "SwiftVisionPlugin", dependencies: ["Elements"], exclude: ["exported.map"], swiftSettings: product,
            linkerSettings: [
                // SwiftPM applies these flags to all dependent targets, so no test depends on this target.
                .unsafeFlags(standalone),
                // The plugin exports only its two entry points.
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
        // Tests of all targets that process images without GStreamer and OpenCV.
        .testTarget(
            name: "ImagingTests", dependencies: ["KernelTypes", "TestScope"] + pictures, swiftSettings: pixelTests),
        // The number of cases that tests run.
        .target(name: "TestScope", path: "Tests/TestScope", swiftSettings: strict),
        // Common code for the tests of elements: frames, harnesses, pipelines, files. Draws and compares frames.
        .target(
            name: "TestSupport", dependencies: ["Elements", "ElementKit", "Imaging", "CGStreamer", "CGStreamerCheck"],
            path: "Tests/TestSupport", swiftSettings: pixelTests),
        // Calls OpenCV directly, for tests that compare results with OpenCV.
        .target(
            name: "COpenCVCheck", dependencies: ["COpenCV"], path: "Tests/COpenCVCheck",
            cxxSettings: openCV),
        // A program that saves models until it is killed, for the tests of model files.
        .executableTarget(
            name: "modelsaver", dependencies: ["Vision"], path: "Tests/ModelSaver", swiftSettings: strict),
        .testTarget(
            name: "VisionTests",
            dependencies: [
                "Vision", "KernelTypes", "COpenCVCheck", "TestScope", "TestSupport", "modelsaver",
            ] + pictures,
            swiftSettings: pixelTests),
        .testTarget(name: "TextTests", dependencies: ["Text", "Drawing", "Imaging", "CPango"], swiftSettings: strict),
        .testTarget(
            name: "ElementKitTests", dependencies: ["ElementKit", "TestScope", "TestSupport"] + pictures,
            swiftSettings: strict),
        .testTarget(
            name: "ElementsTests",
            dependencies: [
                "Elements", "ElementKit", "KernelTypes", "Text", "Vision", "TestScope", "TestSupport", "COpenCVCheck",
                "blob-lab",
            ] + pictures,
            swiftSettings: pixelTests),
        // A program that tests the elements with random input: `./launch fuzz`.
        .executableTarget(
            name: "fuzzer", dependencies: ["Elements", "ElementKit", "Vision", "TestSupport", "Web"] + pictures,
            path: "Tests/Fuzzer", swiftSettings: strict),
        // A program that shows the stages and the decisions of the search for blobs in one image.
        .executableTarget(
            name: "blob-lab", dependencies: ["CGStreamer", "Elements", "ElementKit", "Imaging", "Vision"],
            path: "Tests/BlobLab", swiftSettings: strict),
        .testTarget(name: "FuzzTests", dependencies: ["fuzzer"], swiftSettings: strict),
        .testTarget(
            name: "PipelineTests", dependencies: ["ElementKit", "CGStreamer", "TestScope"] + pictures,
            swiftSettings: strict),
    ] + wideKernels,
    cxxLanguageStandard: .cxx17
)
