// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of the systemd unit and the Kubernetes manifest. They need neither systemd nor Kubernetes.
@Suite struct DeployTests {
    @Test func theUnitIsValid() throws {
        guard try Program.run(["which", "systemd-analyze"]).status == 0 else {
            try Test.cancel("systemd-analyze is not installed")
        }
        let folder = try ScratchFolder()
        let unit = folder.path("swiftvision@cam1.service")
        // The test does not need the installed program and manual.
        let text = try Repository.text("deploy/swiftvision@.service")
            .replacing("/usr/bin/swiftvision", with: "/bin/true").replacing(#/Documentation=.*/#, with: "")
        try text.write(toFile: unit, atomically: false, encoding: .utf8)
        let outcome = try Program.run(["systemd-analyze", "verify", unit])
        outcome.expectSuccess("systemd-analyze verify")
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    }

    @Test(
        arguments: [("playing", 0, true), ("playing", 300, false), ("stalled", 0, false), ("failed", 0, false)])
    func thePodIsAliveWhileFramesCome(_ state: String, age: Double, _ isAlive: Bool) throws {
        let folder = try ScratchFolder()
        let stats = folder.path("stats")
        let manifest = try Repository.text("deploy/kubernetes.yaml")
        // A folded scalar: its lines are joined by spaces.
        let lines = try #require(manifest.firstMatch(of: #/>-\n((?: {18}.+\n)+)/#)).1.split(separator: "\n")
        let command = lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
            .replacing("/run/swiftvision/stats", with: stats)
        #expect(try Program.run(["sh", "-c", command]).status != 0, "no note yet")
        let note = #"{"source":"cam1","state":"\#(state)","frames":7}"#
        try note.write(toFile: stats, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: stats)
        #expect((try Program.run(["sh", "-c", command]).status == 0) == isAlive)
    }

    @Test func podsMountNoTokenAndNoDescriptionIsAnArgument() throws {
        let manifest = try Repository.text("deploy/kubernetes.yaml")
        #expect(manifest.contains("automountServiceAccountToken: false"))
        #expect(!manifest.contains("gst-launch-1.0"))
        let arguments = try #require(manifest.firstMatch(of: #/args: (\[.*\])/#)).1
        #expect(arguments.contains("--file=/etc/swiftvision/$(POD_NAME)"))
    }
}
