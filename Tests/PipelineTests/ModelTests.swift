// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of `./launch models` with a test list and `file:` URLs. They do not use the internet.
@Suite struct ModelTests {
    private let folder: ScratchFolder
    private static let content = "a model of no use\n"
    private var stored: String { folder.path("home/swiftvision/models/small.onnx") }

    init() throws {
        folder = try ScratchFolder()
        let files = FileManager.default
        for name in ["clone", "home", "with blanks"] {
            try files.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        }
        for name in ["launch", "scripts", "docs", "pipelines"] {
            try files.copyItem(atPath: Repository.root + "/" + name, toPath: folder.path("clone/\(name)"))
        }
        try write(Self.content, to: "with blanks/small.onnx")
        let digest = try Program.run(["sha256sum", folder.path("with blanks/small.onnx")]).output.prefix(64)
        try write(
            "# A comment.\n\nsmall  svblend  \(Self.content.utf8.count)  \(digest)  file:\(folder.path)/right/small.onnx"
                + "  # nothing; MIT\n",
            to: "clone/scripts/models.txt")
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.path(name), atomically: false, encoding: .utf8)
    }

    private func models(_ words: String..., user: [String] = []) throws -> Outcome {
        try Program.run(
            user + ["env", "XDG_DATA_HOME=\(folder.path("home"))", folder.path("clone/launch"), "models"] + words)
    }

    /// The names of all files in the folder of the models.
    private var files: [String] {
        let home = URL(fileURLWithPath: folder.path("home"))
        let all = FileManager.default.enumerator(at: home, includingPropertiesForKeys: [.isRegularFileKey])
        return (all?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }.map(\.lastPathComponent)
    }

    private func expectFailure(_ outcome: Outcome, _ status: Int32, _ words: String) {
        #expect(outcome.status == status)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errorLines.count == 1 && outcome.errors.hasPrefix("launch: "), "\(outcome.errors)")
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(files.isEmpty)
    }

    // MARK: - Fetching

    @Test func theRightFileIsStored() throws {
        try models("get", "small", "file:\(folder.path)/with blanks/small.onnx").expectSuccess("get")
        #expect(folder.text(of: "home/swiftvision/models/small.onnx") == Self.content)
        #expect(files == ["small.onnx"])
        let mode = try FileManager.default.attributesOfItem(atPath: stored)[.posixPermissions] as? Int
        #expect(mode == 0o644)
        // An installed model is not downloaded again.
        let again = try models("get", "small", "file:/no/such/file")
        again.expectSuccess("get again")
        #expect(again.errors.contains("is already installed"))
    }

    @Test func withSystemItIsStoredForAllUsers() throws {
        // In this clone, the folder for all users is a temporary folder.
        let script = folder.path("clone/scripts/models.sh")
        let system = folder.path("home/system/swiftvision/models")
        let text = try String(contentsOfFile: script, encoding: .utf8)
        #expect(text.contains("system_models=/var/lib/swiftvision/models"))
        try text.replacing("system_models=/var/lib/swiftvision/models", with: "system_models=\(system)")
            .write(toFile: script, atomically: false, encoding: .utf8)
        let address = "file:\(folder.path)/with blanks/small.onnx"
        let user = geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
        if !user.isEmpty {
            let outcome = try models("get", "--system", "small", address, user: user)
            expectFailure(outcome, 2, "cannot store small in \(system): Permission denied; run as root: sudo ")
        }
        let command = [folder.path("clone/launch"), "models", "get", "small", address, "--system"]
        // This must also work without HOME, and if new files are only readable for their owner.
        let outcome = try Program.run(
            ["bash", "-c", "umask 077; exec env -u HOME -u XDG_DATA_HOME \"$@\"", "bash"] + command)
        outcome.expectSuccess("get --system")
        #expect(folder.text(of: "home/system/swiftvision/models/small.onnx") == Self.content)
        for (path, mode) in [(system, 0o755), (folder.path("home/system"), 0o755), (system + "/small.onnx", 0o644)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
        }
        #expect(try models().output.contains("\n              \(system)/small.onnx\n"))
    }

    @Test func theAddressIsInTheList() throws {
        try FileManager.default.moveItem(atPath: folder.path("with blanks"), toPath: folder.path("right"))
        try models("get", "small").expectSuccess("get")
        #expect(files == ["small.onnx"])
    }

    @Test func whatIsThereAndWrongIsReplaced() throws {
        let place = folder.path("home/swiftvision/models")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try write("another", to: "home/swiftvision/models/small.onnx")
        #expect(try models().output.contains("is a different file: it has 7 bytes instead of 18"))
        try models("get", "small", "file:\(folder.path)/with%20blanks/small.onnx").expectSuccess("get")
        #expect(folder.text(of: "home/swiftvision/models/small.onnx") == Self.content)
    }

    @Test(arguments: [
        ("a model of no USE\n", "has the SHA-256"), ("a model", "has 7 bytes instead of 18"), ("", "has 0 bytes"),
        (content + "and more", "has more than 18 bytes"),
    ])
    func anotherFileIsRefused(_ text: String, _ words: String) throws {
        try write(text, to: "wrong.onnx")
        expectFailure(try models("get", "small", "file:\(folder.path)/wrong.onnx"), 1, words)
    }

    @Test func whatNeverEndsIsRefused() throws {
        expectFailure(try models("get", "small", "file:/dev/zero"), 1, "has more than 18 bytes")
    }

    @Test func whatIsNotThereIsSaid() throws {
        expectFailure(
            try models("get", "small"), 1, "cannot download small from file:\(folder.path)/right/small.onnx: Couldn't")
        expectFailure(try models("get", "small", "/a/path"), 2, "'/a/path' is not an address")
        expectFailure(try models("get", "smal"), 2, "did you mean 'small'?")
        expectFailure(try models("get"), 2, "wrong number of arguments for models get")
        expectFailure(try models("gte", "small"), 2, "did you mean 'get'?")
    }

    @Test func whereNothingCanBeStoredIsSaid() throws {
        let address = "file:\(folder.path)/with blanks/small.onnx"
        let place = folder.path("home/swiftvision/models")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: place)
        // Root may write to all folders.
        let user = geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
        expectFailure(
            try models("get", "small", address, user: user), 2, "cannot store small in \(place): Permission denied")
        try FileManager.default.removeItem(atPath: place)
        try write("", to: "home/swiftvision/models")
        let outcome = try models("get", "small", address)
        #expect(outcome.status == 2 && outcome.errorLines.count == 1)
        #expect(outcome.errors.contains("cannot store small in \(place): "), "\(outcome.errors)")
    }

    // MARK: - Consent

    /// Adds a warning to the list.
    private func warn() throws {
        let list = folder.text(of: "clone/scripts/models.txt")
        try write(list + "! small  It was withdrawn.\n", to: "clone/scripts/models.txt")
    }

    @Test func aModelWithAWarningNeedsConsent() throws {
        try warn()
        let address = "file:\(folder.path)/with blanks/small.onnx"
        expectFailure(
            try models("get", "small", address), 2,
            "models get small needs your consent. It was withdrawn. If you agree, add --yes")
        expectFailure(try models("get"), 2, "wrong number of arguments for models get")
        let agreed = try models("get", "--yes", "small", address)
        agreed.expectSuccess("get --yes")
        #expect(files == ["small.onnx"])
        // An installed model does not need consent again.
        try models("get", "small").expectSuccess("get again")
    }

    @Test(arguments: [("y\n", true), ("yes\n", true), ("n\n", false), ("\n", false)])
    func atATerminalTheQuestionFollowsTheWarning(_ answer: String, _ isStored: Bool) throws {
        try warn()
        let get = "\(folder.path("clone/launch")) models get small \"file:\(folder.path)/with blanks/small.onnx\""
        try write("exec \(get)\n", to: "get")
        try write(answer, to: "answer")
        let outcome = try Program.run([
            "env", "XDG_DATA_HOME=\(folder.path("home"))", "bash", "-c",
            "script -qec 'bash \(folder.path("get"))' /dev/null <\(folder.path("answer"))",
        ])
        #expect(outcome.status == (isStored ? 0 : 1), "\(outcome.output)")
        #expect(outcome.output.contains("It was withdrawn.\r\nDownload small? [y/N] "), "\(outcome.output)")
        #expect(files == (isStored ? ["small.onnx"] : []))
    }

    @Test func theRecognitionModelSaysWhyItAsks() throws {
        let list = try Repository.text("scripts/models.txt")
        let warning = try #require(list.split(separator: "\n").first { $0.hasPrefix("! mobilefacenet ") })
        for words in ["withdrawn the training set MS-Celeb-1M", "biometric data"] {
            #expect(warning.contains(words))
        }
    }

    // MARK: - Listing

    @Test func theListTellsWhatIsThere() throws {
        let before = try models()
        before.expectSuccess("./launch models")
        #expect(
            before.output.contains(
                "small         for svblend (0 kB). nothing; MIT\n              not installed; to install it: "
                    + "./launch models get small\n"))
        for place in [folder.path("home"), "/var/lib", "/usr/local/share", "/usr/share"] {
            #expect(before.output.contains("\n  \(place)/swiftvision/models\n"))
        }
        try models("get", "small", "file:\(folder.path)/with blanks/small.onnx").expectSuccess("get")
        #expect(try models().output.contains("\n              \(stored)\n"))
    }

    @Test func aModelForAPropertyNamesTheProperty() throws {
        let list = folder.text(of: "clone/scripts/models.txt").replacing("  svblend  ", with: "  svblend:mask  ")
        try write(list, to: "clone/scripts/models.txt")
        #expect(try models().output.contains("small         for svblend mask= (0 kB)"))
        let got = try models("get", "small", "file:\(folder.path)/with blanks/small.onnx")
        got.expectSuccess("get")
        #expect(got.errors.contains("To use it, set the property mask of svblend to this path"))
    }

    @Test func theDoctorTellsWhatIsThere() throws {
        let doctor = ["env", "XDG_DATA_HOME=\(folder.path("home"))", folder.path("clone/launch"), "doctor"]
        #expect(try Program.run(doctor).output.contains("  note  no model small\n"))
        try models("get", "small", "file:\(folder.path)/with blanks/small.onnx").expectSuccess("get")
        #expect(try Program.run(doctor).output.contains("  ok    model small: \(stored)\n"))
    }

    /// The repository's list: each model has a URL with a commit, which cannot change, and a page documents the model.
    @Test func theListIsComplete() throws {
        let page = try Repository.text("docs/models.md")
        let lines = try Repository.text("scripts/models.txt").split(separator: "\n").filter {
            !$0.hasPrefix("#") && !$0.hasPrefix("!")
        }
        #expect(!lines.isEmpty)
        for line in lines {
            let match = try #require(
                line.wholeMatch(
                    of:
                        #/([a-z][a-z0-9-]*) +(sv[a-z]+)(?::[a-z-]+)? +([1-9]\d*) +([0-9a-f]{64}) +https:\/\/\S+\/[0-9a-f]{40}\/\S+?\/([^\/ ]+) +# .+; .+/#
                ),
                "\(line)")
            #expect(Repository.elements.contains(String(match.2)))
            for word in [match.1, match.3, match.4, match.5] { #expect(page.contains(word), "\(word)") }
        }
    }
}
