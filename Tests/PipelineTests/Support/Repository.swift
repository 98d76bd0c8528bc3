// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import Testing

/// The repository that contains these tests.
enum Repository {
    static let root: String = {
        var url = URL(fileURLWithPath: #filePath)
        // Tests/PipelineTests/Support/Repository.swift
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url.path
    }()

    static let pluginFolder = root + "/.build/release"
    static let plugin = pluginFolder + "/libgstswiftvision.so"
    static let runner = pluginFolder + "/swiftvision-run"
    static let foreground = root + "/pipelines/foreground.png"
    static let people = root + "/pipelines/people"
    static let logo = root + "/pipelines/logo.png"

    /// The names of the pipelines, from the pipeline files.
    static let pipelines = names(in: "pipelines", endingWith: ".pipeline")
    /// The pages with examples or facts that tests check.
    static let pages = ["README.md"] + names(in: "docs", endingWith: ".md").map { "docs/\($0).md" }
    /// The names of the elements, from their pages.
    static let elements = names(in: "docs", endingWith: ".md").filter { $0.hasPrefix("sv") }

    static func requirePlugin() throws {
        try #require(
            FileManager.default.fileExists(atPath: plugin), "\(plugin) is missing: run ./launch test, which builds it")
    }

    static func text(_ path: String) throws -> String {
        try String(contentsOfFile: root + "/" + path, encoding: .utf8)
    }

    private static func names(in folder: String, endingWith ending: String) -> [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: root + "/" + folder)) ?? []
        return files.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
    }
}

/// A temporary folder for a test. It is deleted with this object.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/swiftvision-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Creates a folder for several tests. It is deleted when the test process ends.
    static func lasting() throws -> ScratchFolder {
        let folder = try ScratchFolder()
        let isFirst = lastingPaths.withLock { paths in
            paths.append(folder.path)
            return paths.count == 1
        }
        if isFirst {
            atexit {
                for path in ScratchFolder.lastingPaths.withLock({ $0 }) {
                    try? FileManager.default.removeItem(atPath: path)
                }
            }
        }
        return folder
    }

    private static let lastingPaths = Mutex<[String]>([])

    func path(_ name: String) -> String { path + "/" + name }

    func text(of name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path(name)) ?? Data(), as: UTF8.self)
    }

    /// Returns the size of a file in bytes. Returns 0 if the file does not exist.
    func size(of name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path(name))[.size] as? Int) ?? 0
    }

    /// Creates the folder `clone` with `launch` and the plugin. The plugin is newer than its sources, so `launch` does
    /// not build it. The folder also has GStreamer's registry. Without a registry, the first program would read all
    /// plugins of the system, which takes seconds.
    /// - Returns: the path of `launch`.
    @discardableResult
    func cloneRepository() throws -> String {
        let files = FileManager.default
        let target = path("clone/.build/release")
        for folder in [target, path("clone/Sources")] {
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        for name in ["launch", "scripts", "pipelines", "docs", "Package.swift"] {
            try files.copyItem(atPath: Repository.root + "/" + name, toPath: path("clone/\(name)"))
        }
        // A separate process copies the files. If this process had the copy open for writing, a program that starts at
        // the same time would inherit the open file, and the copy could not run.
        try Program.run(["cp", Repository.plugin, Repository.runner, target + "/"]).expectSuccess("cp")
        let registry = "/.build/gstreamer-registry.bin"
        if files.fileExists(atPath: Repository.root + registry) {
            try files.copyItem(atPath: Repository.root + registry, toPath: path("clone" + registry))
        }
        for (name, age) in [("Sources", 2.0), ("Package.swift", 2.0), (".build/release/libgstswiftvision.so", 1.0)] {
            try files.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -60 * age)], ofItemAtPath: path("clone/\(name)"))
        }
        return path("clone/launch")
    }

    /// Links the pipelines and `launch` of the repository into this folder, as users have them for the examples. Each
    /// person has only three photos, because the recognition detects the face in each photo at its start.
    func linkRepository() throws {
        let files = FileManager.default
        func link(_ name: String) throws {
            try files.createSymbolicLink(atPath: path(name), withDestinationPath: Repository.root + "/" + name)
        }
        try link("launch")
        try files.createDirectory(atPath: path("pipelines"), withIntermediateDirectories: true)
        for name in try files.contentsOfDirectory(atPath: Repository.root + "/pipelines") where name != "people" {
            try link("pipelines/" + name)
        }
        for person in try files.contentsOfDirectory(atPath: Repository.people) {
            let folder = "pipelines/people/" + person
            try files.createDirectory(atPath: path(folder), withIntermediateDirectories: true)
            let photos = try files.contentsOfDirectory(atPath: Repository.root + "/" + folder).sorted()
            for photo in photos.prefix(3) { try link(folder + "/" + photo) }
        }
    }
}
