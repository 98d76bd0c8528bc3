// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// `scripts/in-release`. What installs a release is a script here, which copies a few programs of this system.
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

    /// Writes `debootstrap`, which notes its arguments and goes on as told. A process of its own does: the file is open in no
    /// other one that is started at this moment, which would keep it from being run.
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

    /// The root is made once; the command sees the repository, wherever it is, at the same path, and a folder of its own for
    /// what is built.
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
