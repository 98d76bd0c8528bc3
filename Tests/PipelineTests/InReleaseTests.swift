// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of `scripts/in-release`. A script replaces `debootstrap`, which installs a release. It copies a few programs
/// of this system.
@Suite struct InReleaseTests {
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        for name in ["clone/scripts", "bin"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(
            atPath: Repository.root + "/scripts/in-release", toPath: folder.path("clone/scripts/in-release"))
    }

    /// Writes a script `debootstrap`, which writes its arguments to a file and then runs `script`. A separate process
    /// writes it. Otherwise, a process that starts at this moment could have the file open, and the script could not
    /// run.
    private func installer(_ script: String) throws {
        let text =
            "#!/bin/sh\necho \"$@\" >>\(folder.path("installed"))\n"
            + "while [ $# != 0 ]; do [ \"$1\" != sid ] || tree=$2; shift; done\n"
        let write = "printf '%s' \"$1\" >bin/debootstrap && chmod 755 bin/debootstrap"
        try Program.run(["sh", "-c", write, "sh", text + script], in: folder.path).expectSuccess("debootstrap")
    }

    private func inRelease(_ words: String...) throws -> Outcome {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try Program.run(
            ["env", "PATH=\(folder.path("bin")):\(path)", folder.path("clone/scripts/in-release")] + words,
            in: folder.path("clone"))
    }

    private func expectRoot() throws {
        guard geteuid() == 0, try Program.run(["unshare", "--mount", "mount", "--bind", "/mnt", "/mnt"]).status == 0
        else {
            try Test.cancel("only root may mount")
        }
    }

    @Test func saysWhatItTakes() throws {
        for (words, expected) in [
            (["trixie"], "an argument is missing"), (["../x", "true"], "'../x' is not the name"),
        ] {
            let outcome = try Program.run([folder.path("clone/scripts/in-release")] + words)
            #expect(outcome.status == 2)
            #expect(outcome.errorLines.count == 1 && outcome.errors.contains(expected), "\(outcome.errors)")
        }
    }

    /// The root folder is created only once. The command has the repository at the same path, and its own folder for
    /// build files.
    @Test func aCommandRunsThere() throws {
        try expectRoot()
        try installer(
            """
            mkdir -p "$tree/etc" "$tree/dev" "$tree/proc" "$tree/sys" "$tree/usr/bin"
            cp /bin/sh /usr/bin/env "$tree/usr/bin/"
            cp -L --parents $(ldd /bin/sh /usr/bin/env | grep -o '/[^ :]*' | grep -v bin/) "$tree"

            """)
        for run in 1...2 {
            let outcome = try inRelease(
                "sid", "sh", "-c", "echo $PWD; echo scripts/*; echo /home*; echo $0 >>.build/made", "a b")
            outcome.expectSuccess("in-release sid")
            #expect(outcome.outputLines.dropFirst() == ["scripts/in-release", "/home*"])
            #expect(outcome.outputLines.first == "/build/swiftvision")
            #expect(folder.text(of: "installed").split(separator: "\n").count == 1)
            #expect(folder.text(of: "clone/.build/roots/sid.build/made") == String(repeating: "a b\n", count: run))
            #expect(!FileManager.default.fileExists(atPath: folder.path("clone/.build/made")))
        }
        #expect(try inRelease("sid", "sh", "-c", "exit 7").status == 7)
    }

    @Test func aFailureLeavesNoRoot() throws {
        try expectRoot()
        try installer("mkdir -p \"$tree\"; echo 'E: no such release'; exit 1\n")
        let outcome = try inRelease("sid", "true")
        #expect(outcome.status == 2)
        #expect(
            outcome.errors.contains("cannot install sid: E: no such release; full log: "), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("clone/.build/roots/sid")))
    }
}
