// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of the plugin file: its dependencies, and that it can be loaded.
@Suite struct PluginTests {
    @Test func standsAlone() throws {
        try Repository.requirePlugin()
        let outcome = try Program.run(["ldd", Repository.plugin])
        outcome.expectSuccess("ldd")
        #expect(!outcome.output.contains("not found"), "\(outcome.output)")
        #expect(!outcome.output.contains(#/libswift|libFoundation|lib_Foundation/#), "\(outcome.output)")
        #expect(outcome.outputLines.count <= 74)
    }

    /// Foundation would add four megabytes, and regular expressions another megabyte. So the plugin must not use them.
    @Test func isSmall() throws {
        try Repository.requirePlugin()
        let size = try FileManager.default.attributesOfItem(atPath: Repository.plugin)[.size] as? Int
        #expect(try #require(size) <= 19_500_000)
    }

    /// The cold registry contains only this plugin. GStreamer would need a second for each element to load all other
    /// plugins.
    @Test(arguments: Repository.elements) func loadsWithColdAndWarmRegistry(_ element: String) throws {
        let folder = try ScratchFolder()
        try inspect(element, ["GST_REGISTRY": folder.path("registry.bin"), "GST_PLUGIN_SYSTEM_PATH": ""])
    }

    @Test func loadsAmongAllPluginsWithColdAndWarmRegistry() throws {
        let folder = try ScratchFolder()
        try inspect(try #require(Repository.elements.first), ["GST_REGISTRY": folder.path("registry.bin")])
    }

    private func inspect(_ element: String, _ environment: [String: String]) throws {
        try Repository.requirePlugin()
        for state in ["cold", "warm"] {
            let outcome = try Program.run(["gst-inspect-1.0", element], environment: environment)
            outcome.expectSuccess("\(element), \(state)")
            #expect(outcome.errors.isEmpty, "\(state)")
            #expect(outcome.output.contains(Repository.plugin))
        }
    }

    @Test func licenceIsLGPL() throws {
        let outcome = try Program.run(["gst-inspect-1.0", "swiftvision"])
        #expect(outcome.output.contains(#/License +LGPL/#))
        #expect(try Repository.text("LICENSE").contains("GNU LESSER GENERAL PUBLIC LICENSE"))
    }
}
