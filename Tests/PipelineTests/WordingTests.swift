// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests of the script scripts/wording, which `./launch lint` runs.
@Suite struct WordingTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func write(_ text: String, to name: String) throws {
        let path = folder.path(name)
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    /// Checks the files of the folder.
    /// - Returns: the file and line of each finding, and the text after them.
    private func findings() throws -> [String] {
        let outcome = try Program.run([Repository.root + "/scripts/wording", folder.path])
        #expect(outcome.status == (outcome.output.isEmpty ? 0 : 1), "\(outcome.errors)")
        return outcome.outputLines.map(String.init)
    }

    static let planted = [
        ("README.md", "# A page\n\nThe file is read anew.\n", 3),
        ("docs/page.md", "Each face that\ngoes\n  over to the next one.\n", 2),
        ("CHANGELOG.md", "- svmixer: A film plays.\n", 1),
        ("pipelines/a.pipeline", "# Shows what was\n# found.\n\nvideotestsrc ! {sink}\n", 1),
        ("launch", "#!/bin/bash\n# A film.\nsay \"the film ends\"\n", 3),
        ("scripts/a.sh", "cat <<HELP\nOne line\nand a film\nHELP\n", 3),
        ("packaging/debian/control", "Description: Shows what was found\n", 1),
        ("deploy/Containerfile", "# What was found\n", 1),
        ("Sources/CPage/page/index.html", "<p class=\"film\">Video</p>\n<p title=\"A film here\">Video</p>\n", 2),
        ("Sources/CPage/page/a.js", "// A film.\nconst text = `Not a film: ${film}`;\n", 2),
        ("Sources/A/A.swift", "// A film.\nlet text = \"\\(film) is told\" + \"film\"\n", 2),
        ("Sources/A/B.swift", "let text = \"\"\"\n    One line,\n    and a film.\n    \"\"\"\n", 3),
    ]

    @Test("A word to avoid is found at its line", arguments: planted)
    func word(_ name: String, _ text: String, _ line: Int) throws {
        try write(text, to: name)
        let findings = try findings()
        #expect(findings.count == 1, "\(findings)")
        #expect(findings.first?.hasPrefix("\(name):\(line): \"") == true, "\(findings)")
        #expect(findings.first?.contains("\": write ") == true, "\(findings)")
    }

    static let clean = [
        ("README.md", "# A page\n\nThe file is read again.\n"),
        ("docs/page.md", "Code such as `what was found`.\n\n```sh\n./launch film\n```\n\n[A link](film.md)\n"),
        ("docs/picture.md", "The mode picture-in-picture shows `pictures`.\n"),
        ("pipelines/a.pipeline", "# Shows faces.\n\nfilesrc location=film ! {sink}\n"),
        ("Sources/A/A.swift", "// A film.\nlet film = \"film\" // is told\n"),
        ("Sources/A/B.swift", "Property(\"mode\", \\.mode, in: 0...1, \"Mode (0 = none)\", nick: \"how\")\n"),
    ]

    @Test("Clean text passes", arguments: clean)
    func cleanText(_ name: String, _ text: String) throws {
        try write(text, to: name)
        #expect(try findings().isEmpty)
    }

    @Test(
        "A marker on the line, or the line before, allows an exception",
        arguments: [
            "A film. <!-- wording: allow -->\n", "<!-- wording: allow -->\nA film.\n",
        ])
    func exception(_ text: String) throws {
        try write(text, to: "README.md")
        #expect(try findings().isEmpty)
        try write(text + "\nAnother line.\n\nA film.\n", to: "README.md")
        #expect(try findings().count == 1)
    }

    @Test(
        "Descriptions begin with a capital letter, have no full stop at the end, and are no clauses",
        arguments: [
            ("Property(\"mode\", \\.mode, \"How images are blended\")", "begins with \"How\""),
            ("Property(\n    \"mode\", \\.mode, in: 0...1,\n    \"Whether \" + \"to blend\")", "with \"Whether\""),
            ("Property(\"mode\", \\.mode, \"blend mode\")", "begins with a small letter"),
            (".color(\"color\", \\.color, \"Colour of the lines.\", nick: \"Colour\")", "ends with a full stop"),
            ("Action(\"clear\", \"Clear the image.\") { $0.clear() }", "ends with a full stop"),
        ])
    func description(_ text: String, _ expected: String) throws {
        try write("static let all = [\n    \(text),\n]\n", to: "Sources/A/A.swift")
        let findings = try findings()
        #expect(findings.count == 1 && findings.first?.contains(expected) == true, "\(findings)")
    }

    @Test("Every pattern of the list has a replacement, is in lower case and matches no empty text")
    func list() throws {
        let lines = try Repository.text("scripts/wording.txt").split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count > 20)
        for line in lines {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            #expect((2...3).contains(parts.count) && parts.allSatisfy { !$0.isEmpty }, "\(line)")
            #expect(parts.first.map { $0 == $0.lowercased() } == true, "\(line)")
        }
        try write("A line.\n", to: "README.md")
        #expect(try findings().isEmpty)
    }
}
