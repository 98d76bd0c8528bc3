// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests that the sources have the structure that docs/README.md describes.
@Suite struct StructureTests {
    private static let sources = URL(fileURLWithPath: Repository.root + "/Sources")

    /// Returns this project's modules that the Swift files of a target import.
    private static func imports(of target: String) throws -> Set<String> {
        let folder = sources.appendingPathComponent(target).resolvingSymlinksInPath()
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        let targets = Set(try FileManager.default.contentsOfDirectory(atPath: sources.path))
        let names = try files.flatMap { file in
            let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            return text.matches(of: #/(?m)^ *(?:@\w+ |internal |package |public |private )*import (\w+)/#).map {
                String($0.1)
            }
        }
        return Set(names).intersection(targets)
    }

    @Test func importsRunOneWay() throws {
        let readme = Markdown(try Repository.text("docs/README.md"))
        let table = try #require(readme.tables.first { $0.header == ["target", "imports"] })
        let rows = table.rows.flatMap { row in
            let imports = Set(Markdown.code(in: row[1]))
            return Markdown.code(in: row[0]).map { (target: $0, imports: imports) }
        }
        var below: Set<String> = []
        for row in rows.reversed() {
            #expect(try Self.imports(of: row.target) == row.imports, "\(row.target)")
            let ours = row.imports.filter { !$0.hasPrefix("C") }
            #expect(ours.isSubset(of: below), "\(row.target) imports what is beside it or above")
            below.insert(row.target)
        }
        let swift = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path)
            .filter { !$0.hasPrefix("C") }
        #expect(rows.map(\.target).sorted() == swift.sorted())
    }

    @Test func foldersAreWhereTheAnswersSay() throws {
        let readme = Markdown(try Repository.text("docs/README.md"))
        let table = try #require(readme.tables.first { $0.header == ["question", "answer"] })
        let paths = table.rows.flatMap { Markdown.code(in: $0[1]) }.filter { $0.contains("/") }
        #expect(paths.count >= table.rows.count)
        for path in paths {
            #expect(FileManager.default.fileExists(atPath: Self.sources.path + "/" + path), "\(path)")
        }
    }

    /// `switch` statements over this project's enumerations must not have `default:`, so that new cases are not
    /// forgotten. Enumerations of Swift and NIO may need it.
    @Test func switchesOverOurEnumerationsNameEveryCase() throws {
        let others: Set = ["scalar.properties.generalCategory", "frame.opcode"]
        let all = try FileManager.default.subpathsOfDirectory(atPath: Self.sources.path)
        let files = all.filter { $0.hasSuffix(".swift") }
        #expect(files.count > 100)
        for file in files {
            let text = try String(contentsOf: Self.sources.appendingPathComponent(file), encoding: .utf8)
            // The subjects and first cases of the open `switch` statements, by indentation.
            var open: [Int: (subject: String, first: String?)] = [:]
            for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                let indentation = line.prefix { $0 == " " }.count
                if line.contains("switch "), let match = line.firstMatch(of: #/\bswitch (.+) \{$/#) {
                    open[indentation] = (String(match.1), nil)
                }
                let words = line.dropFirst(indentation)
                if words.hasPrefix("case "), open[indentation]?.first == nil {
                    open[indentation]?.first = String(words)
                }
                guard words.hasPrefix("default:"), let (subject, first) = open[indentation] else { continue }
                #expect(
                    first?.contains(#/^case \(?\.[a-z]/#) != true || others.contains(subject),
                    "\(file):\(number + 1): switch \(subject)")
            }
        }
    }
}
