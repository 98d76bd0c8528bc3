// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of the values of sink=web.
@Suite struct LaunchWebTests {
    @Test(arguments: [
        ("web", "svwebsink"), ("web:9000", "svwebsink port=9000"), ("web:0.0.0.0", "svwebsink address=0.0.0.0"),
        ("web:0.0.0.0:9000", "svwebsink address=0.0.0.0 port=9000"),
        ("web:[::1]:9000", "svwebsink address=::1 port=9000"),
    ])
    func addressesAndPorts(_ sink: String, _ words: String) throws {
        let outcome = try Program.run([Repository.root + "/launch", "blend", "sink=\(sink)", "--print"])
        outcome.expectSuccess(sink)
        #expect(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines).hasSuffix("! \(words)"))
    }

    @Test(arguments: ["web:99999", "web:a b", "web:$(id)", "webs"]) func whatIsNoAddress(_ sink: String) throws {
        let outcome = try Program.run([Repository.root + "/launch", "blend", "sink=\(sink)", "--print"])
        #expect(outcome.status == 2 && outcome.errors.contains("sink=\(sink): use "))
    }
}
