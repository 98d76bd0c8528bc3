// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of `./launch uninstall`. Each test has a separate home folder.
@Suite struct LaunchInstallTests {
    private static let plugins = "home/.local/share/gstreamer-1.0/plugins"
    private static let name = plugins + "/libgstswiftvision.so"

    private let folder: ScratchFolder

    init() throws {
        try Repository.requirePlugin()
        folder = try ScratchFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path(Self.plugins), withIntermediateDirectories: true)
    }

    /// - Returns: the result of `./launch uninstall`. Its output contains `~` instead of the home folder.
    private func uninstall(_ words: String...) throws -> (outcome: Outcome, output: String) {
        let home = folder.path("home")
        let outcome = try Program.run(
            [Repository.root + "/launch", "uninstall"] + words, in: folder.path,
            environment: ["HOME": home, "XDG_DATA_HOME": home + "/.local/share"])
        return (outcome, (outcome.output + outcome.errors).replacing(home, with: "~"))
    }

    private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder.path(name)) }

    @Test func thePluginIsRemovedAndOtherFilesStay() throws {
        for name in [Self.name, Self.plugins + "/.libgstswiftvision.so.new"] {
            try Program.run(["cp", Repository.plugin, folder.path(name)]).expectSuccess("cp")
        }
        let others = [Self.plugins + "/libgstother.so", "home/.local/share/swiftvision/models/yunet.onnx"]
        try FileManager.default.createDirectory(
            atPath: folder.path("home/.local/share/swiftvision/models"), withIntermediateDirectories: true)
        for name in others { try Data("other".utf8).write(to: URL(fileURLWithPath: folder.path(name))) }
        let (outcome, output) = try uninstall()
        outcome.expectSuccess("uninstall")
        #expect(output.contains("removed ~/.local/share/gstreamer-1.0/plugins/libgstswiftvision.so\n"), "\(output)")
        #expect(output.contains("kept the models in ~/.local/share/swiftvision/models\n"), "\(output)")
        let rest = try FileManager.default.contentsOfDirectory(atPath: folder.path(Self.plugins))
        #expect(rest == ["libgstother.so"])
        #expect(others.allSatisfy { folder.text(of: $0) == "other" })
        let second = try uninstall()
        second.outcome.expectSuccess("a second uninstall")
        #expect(second.output.contains("nothing to remove: ~/.local/share/gstreamer-1.0/plugins"), "\(second.output)")
    }

    @Test func anotherFolderIsPossible() throws {
        for name in [Self.name, "libgstswiftvision.so"] {
            try Program.run(["cp", Repository.plugin, folder.path(name)]).expectSuccess("cp")
        }
        let (outcome, _) = try uninstall(folder.path)
        outcome.expectSuccess("uninstall")
        #expect(!exists("libgstswiftvision.so") && exists(Self.name))
    }

    @Test func aFileThatIsNotThePluginStays() throws {
        try Data("other".utf8).write(to: URL(fileURLWithPath: folder.path(Self.name)))
        let (outcome, output) = try uninstall()
        #expect(outcome.status == 1 && output.contains("is not the plugin swiftvision"), "\(output)")
        #expect(folder.text(of: Self.name) == "other")
    }

    @Test func aLinkAndItsTargetStay() throws {
        try Program.run(["cp", Repository.plugin, folder.path("target.so")]).expectSuccess("cp")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path(Self.name), withDestinationPath: folder.path("target.so"))
        let (outcome, output) = try uninstall()
        #expect(outcome.status == 1 && output.contains("is a link"), "\(output)")
        #expect(exists(Self.name) && exists("target.so"))
    }
}
