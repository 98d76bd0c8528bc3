// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests when `launch` builds, and its messages if it cannot build. A script replaces the compiler and notes its calls.
@Suite struct LaunchBuildTests {
    private let folder: ScratchFolder
    private var clone: String { folder.path("clone") }

    init() throws {
        try Repository.requirePlugin()
        folder = try ScratchFolder()
        try folder.cloneRepository()
        for name in ["Sources/One.swift", "Sources/Two.swift"] { try write("", to: name) }
        try age("Sources", "Sources/One.swift", "Sources/Two.swift", by: 120)
        try compiler("exit 0")
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.path("clone/\(name)"), atomically: false, encoding: .utf8)
    }

    private func age(_ names: String..., by seconds: Double) throws {
        for name in names {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: folder.path("clone/\(name)"))
        }
    }

    private func compiler(_ build: String) throws {
        let script =
            "#!/bin/sh\n[ \"$1\" != --version ] || { echo 'Swift version 9.9'; exit; }\necho \"$@\" >>called\n\(build)\n"
        try program("swift", script)
    }

    /// Writes a program that has priority over other programs with the same name. A separate process writes it.
    /// Otherwise, a process that starts at this moment could have the file open, and the program could not run.
    private func program(_ name: String, _ script: String) throws {
        let write = "mkdir -p bin && printf '%s' \"$1\" >bin/\(name) && chmod 755 bin/\(name)"
        try Program.run(["sh", "-c", write, "sh", script], in: folder.path).expectSuccess(name)
    }

    /// Runs a pipeline of the clone for one frame.
    private func launch(as user: [String] = []) throws -> Outcome {
        let work = folder.path("work")
        try FileManager.default.createDirectory(atPath: work, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: work)
        return try Program.run(
            user + ["env", "-u", "XDG_CACHE_HOME", "HOME=\(work)", "PATH=\(folder.path("bin")):\(path)"]
                + ["\(clone)/launch", "blend", "sink=null", "frames=1", "size=32x16"], in: work)
    }

    private var path: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin" }
    /// The number of times that the plugin was built.
    private var builds: Int {
        folder.text(of: "work/called").split(separator: "\n").count { $0.hasSuffix("gstswiftvision") }
    }

    @Test func aPluginThatIsNewerThanItsSourcesIsNotBuilt() throws {
        try launch().expectSuccess("./launch blend")
        #expect(builds == 0)
    }

    @Test(arguments: ["change", "removal"]) func aChangeIsBuiltOnce(_ kind: String) throws {
        if kind == "change" {
            try write("// changed", to: "Sources/One.swift")
        } else {
            try FileManager.default.removeItem(atPath: folder.path("clone/Sources/Two.swift"))
        }
        for _ in 0..<2 { try launch().expectSuccess("./launch blend") }
        // If the change makes no difference, the compiler does not change the plugin.
        #expect(builds == 1)
    }

    @Test func aMissingRunnerIsBuilt() throws {
        let missing = folder.path("clone/.build/release/swiftvision-run")
        try FileManager.default.removeItem(atPath: missing)
        try compiler("[ \"$7\" != swiftvision-run ] || cp '\(Repository.runner)' '\(missing)'")
        try launch().expectSuccess("./launch blend")
        #expect(FileManager.default.fileExists(atPath: missing))
    }

    @Test func aPluginWhoseLibrariesAreGoneIsBuilt() throws {
        try write("no library", to: ".build/release/libgstswiftvision.so")
        try program("ldd", "#!/bin/sh\necho 'libopencv_core.so.406 => not found'\n")
        _ = try launch()
        #expect(builds == 1)
    }

    /// Returns a command prefix for a user who must not write to the repository. If root runs the tests, this is
    /// another user. Otherwise, removes the permission to write.
    private func second() throws -> [String] {
        guard geteuid() == 0 else {
            for name in [".build/release", ".build"] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o555], ofItemAtPath: folder.path("clone/\(name)"))
            }
            return []
        }
        return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    }

    private func restore() throws {
        for name in [".build", ".build/release"] {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: folder.path("clone/\(name)"))
        }
    }

    @Test func anotherUserRunsThePlugin() throws {
        try FileManager.default.removeItem(atPath: folder.path("clone/.build/gstreamer-registry.bin"))
        let user = try second()
        try launch(as: user).expectSuccess("./launch blend")
        try restore()
        #expect(builds == 0)
        #expect(FileManager.default.fileExists(atPath: folder.path("work/.cache/swiftvision/gstreamer-registry.bin")))
        #expect(!FileManager.default.fileExists(atPath: folder.path("clone/.build/gstreamer-registry.bin")))
    }

    @Test func anotherUserIsToldWhyItCannotBeBuilt() throws {
        try write("// changed", to: "Sources/One.swift")
        let outcome = try launch(as: second())
        try restore()
        #expect(outcome.status == 2)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.contains("the plugin is older than its sources"))
        #expect(outcome.errors.contains(#/may not write to \S+/clone/\.build:/#), "\(outcome.errors)")
        #expect(builds == 0)
    }

    @Test(
        arguments: [
            ("error: cannot write: No space left on device", "the disk is full"),
            ("error: invalid access to /tmp/_x_.build.lock", "/tmp/_x_.build.lock belongs to another user"),
            ("error: unable to open: Read-only file system", "may not write to all of"),
        ])
    func whatIsNotTheCompilersIsSaidInALine(_ error: String, _ reason: String) throws {
        try write("// changed", to: "Sources/One.swift")
        try compiler("echo '\(error)'; exit 1")
        let outcome = try launch()
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 2, "\(outcome.errors)")
        #expect(outcome.errorLines.last?.contains(reason) == true, "\(outcome.errors)")
    }

    @Test func compilerErrorsAreShown() throws {
        try write("// changed", to: "Sources/One.swift")
        try compiler("echo 'One.swift:1:1: error: nonsense'; exit 1")
        let outcome = try launch()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("One.swift:1:1: error: nonsense"))
    }

    @Test func aBuildThatWaitsForAnotherSaysSo() throws {
        try write("// changed", to: "Sources/One.swift")
        try compiler("echo \"Another instance of SwiftPM (PID: 7) is already running using '.build', waiting …\"")
        let outcome = try launch()
        outcome.expectSuccess("./launch blend")
        #expect(outcome.errors.contains("waiting for another build"), "\(outcome.errors)")
    }
}
