// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Synchronization
import Testing

/// Repository that these tests belong to.
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

    /// Names of the pipelines, from their files.
    static let pipelines = names(in: "pipelines", endingWith: ".pipeline")
    /// Pages with something to run or to check.
    static let pages = ["README.md"] + names(in: "docs", endingWith: ".md").map { "docs/\($0).md" }
    /// Names of the elements, from the pages about them.
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

/// A temporary folder for a test, removed with this object.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/swiftvision-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Makes a folder that is removed when the tests end, for what several of them use.
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

    /// Returns the number of bytes of a file; 0 if there is none.
    func size(of name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path(name))[.size] as? Int) ?? 0
    }

    /// Copies the plugin and the runner into a clone. A process of its own does: a program that is open for writing in another
    /// one, which is started at that moment, cannot be run.
    func copyBuild(to clone: String) throws {
        let target = path(clone) + "/.build/release"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        try Program.run(["cp", Repository.plugin, Repository.runner, target + "/"]).expectSuccess("cp")
    }

    /// Links the repository's pipelines and launcher into this folder, as in the one where the examples run.
    func linkRepository() throws {
        for name in ["pipelines", "launch"] {
            try FileManager.default.createSymbolicLink(
                atPath: path(name), withDestinationPath: Repository.root + "/" + name)
        }
    }
}
