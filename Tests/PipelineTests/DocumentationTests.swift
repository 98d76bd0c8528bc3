// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Testing

/// Tests that the documentation matches the plugin.
@Suite struct DocumentationTests {
    private static func page(_ element: String) throws -> Markdown {
        Markdown(try Repository.text("docs/\(element).md"))
    }

    private static func word(_ cell: String?) -> String {
        Markdown.code(in: cell ?? "").first ?? cell ?? ""
    }

    // MARK: - Elements

    @Test func readmeTableIsThePlugin() throws {
        try Repository.requirePlugin()
        let plugin = try Program.run(["gst-inspect-1.0", "swiftvision"])
        plugin.expectSuccess("gst-inspect-1.0 swiftvision")
        let features = plugin.output.matches(of: #/(?m)^  (sv\w+): /#).map { String($0.1) }
        #expect(!features.isEmpty)

        let readme = Markdown(try Repository.text("README.md"))
        let table = try #require(readme.tables.first { $0.header.first == "element" })
        #expect(table.rows.map { Self.word($0.first) }.sorted() == features.sorted())
        #expect(Repository.elements == features.sorted(), "each element has a page in docs/")
        for row in table.rows {
            let element = try Inspection(Self.word(row.first))
            #expect(table.cell("what it does", of: row) == element.description)
            #expect(table.cell("kind", of: row) == element.kind)
        }
    }

    @Test(arguments: Repository.elements) func propertyTablesAreTheElement(_ name: String) throws {
        let element = try Inspection(name)
        let tables = try Self.page(name).tables.filter { $0.header.first == "property" }
        // The properties of pads are in the section about inputs.
        let ofPads = tables.filter { $0.section.contains("Inputs") }
        let ofElement = tables.filter { !$0.section.contains("Inputs") }
        compare(ofElement, element.properties, "\(name):")
        compare(ofPads, element.padProperties, "a pad of \(name):")
    }

    /// Properties that base classes have since GStreamer 1.24.
    private static let newer: Set = ["automatic-eos"]

    private func compare(_ tables: [Markdown.Table], _ properties: [String: Inspection.Property], _ owner: String) {
        let rows = tables.flatMap { table in table.rows.map { (table, $0) } }
        let names = properties.keys.filter { !Self.newer.contains($0) }
        #expect(rows.map { Self.word($0.1.first) }.sorted() == names.sorted(), "\(owner) names")
        for (table, row) in rows {
            guard let property = properties[Self.word(row.first)] else { continue }
            let what = "\(owner) \(Self.word(row.first))"
            #expect(table.cell("type", of: row) == property.type, "\(what)")
            expect(table.cell("range", of: row) ?? "", describes: property, what)
            let initial = Self.word(table.cell("default", of: row))
            #expect(
                initial == property.initial || Self.number(initial) == Self.number(property.initial),
                "\(what) has the default \(property.initial)")
            if let change = table.cell("may change", of: row) {
                #expect(change.contains("any time") == property.isMutable, "\(what)")
                #expect(change.contains("animated") == property.isControllable, "\(what)")
            }
        }
    }

    private func expect(_ range: String, describes property: Inspection.Property, _ what: String) {
        if let lower = property.lower, let upper = property.upper {
            let ends = range.components(separatedBy: " – ")
            if range.hasSuffix(" and up") {
                let largest: [String: Double] = ["uint": 0xFFFF_FFFF, "colour": 0xFFFF_FFFF, "int": 0x7FFF_FFFF]
                #expect(Self.number(String(range.dropLast(7))) == lower, "\(what) begins at \(lower)")
                #expect(upper == largest[property.type] ?? Double(UInt64.max), "\(what) ends at \(upper)")
            } else {
                #expect(ends.map(Self.number) == [lower, upper], "\(what) goes from \(lower) to \(upper)")
            }
        } else if range.hasPrefix("[a mode]") {
            #expect(property.values == Self.modes, "\(what)")
        } else if !property.values.isEmpty {
            #expect(Markdown.code(in: range) == property.values, "\(what)")
        }
    }

    /// Parses a decimal number, or a hexadecimal number after 0x.
    private static func number(_ text: String) -> Double? {
        text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16).map { Double($0) } : Double(text)
    }

    /// The modes in the tables of svblend's page, in order.
    private static let modes: [String] = {
        let tables = (try? page("svblend").tables) ?? []
        return tables.filter { $0.header.first == "mode" }.flatMap(\.rows).map { word($0.first) }
    }()

    /// GStreamer accepts only whole numbers for these properties, so the description contains an example with a unit.
    /// Descriptions of base classes have no comma before "in nanoseconds".
    @Test(arguments: Repository.elements) func timesHaveAnExampleWithAUnit(_ name: String) throws {
        try Repository.requirePlugin()
        let outcome = try Program.run(["gst-inspect-1.0", name])
        outcome.expectSuccess("gst-inspect-1.0 \(name)")
        let lengths = ["ms": 1e6, "s": 1e9, "min": 60e9, "day": 86_400e9]
        for line in outcome.outputLines where line.contains(", in nanoseconds") {
            let example = try #require(line.firstMatch(of: #/\b(\d+) = (\d+) (ms|s|min|day)\)/#), "\(name): \(line)")
            let (number, count) = (Double(example.1), Double(example.2))
            #expect(number == (count ?? .nan) * (lengths[String(example.3)] ?? .nan), "\(name): \(line)")
        }
    }

    @Test(arguments: Repository.elements) func listedFormatsAreTheElement(_ name: String) throws {
        let element = try Inspection(name)
        guard element.kind != "sink" else { return }
        let words = Markdown.code(in: try Self.page(name).prose)
        let start = try #require(words.firstIndex(of: element.formats[0]))
        #expect(Array(words[start...].prefix(element.formats.count)) == element.formats)
    }

    @Test(arguments: Repository.elements) func actionTableIsTheElement(_ name: String) throws {
        let tables = try Self.page(name).tables.filter { $0.header.first == "action" }
        let actions = tables.flatMap(\.rows).map { Self.word($0.first) }
        #expect(actions.sorted() == (try Inspection(name)).actions.sorted())
    }

    // MARK: - Pages

    @Test(arguments: Repository.pages) func linksLeadSomewhere(_ page: String) throws {
        let folder = Repository.root + "/" + (page.contains("/") ? "docs" : "")
        let markdown = Markdown(try Repository.text(page))
        for link in markdown.prose.matches(of: #/\]\(([^)]+)\)/#).map({ String($0.1) }) where !link.hasPrefix("http") {
            let parts = link.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
            let target = parts[0].isEmpty ? Repository.root + "/" + page : folder + "/" + parts[0]
            #expect(FileManager.default.fileExists(atPath: target), "\(page): \(link)")
            if parts.count > 1, let text = try? String(contentsOfFile: target, encoding: .utf8) {
                let anchors = text.matches(of: #/(?m)^#+ (.+)$/#).map {
                    $0.1.lowercased().replacing(" ", with: "-").filter { $0.isLetter || $0.isNumber || $0 == "-" }
                }
                #expect(anchors.contains(parts[1]), "\(page): \(link)")
            }
        }
    }

    @Test func picturesAreSmallAndShown() throws {
        let shown = try Repository.pages.map { try Repository.text($0) }.joined()
        let folder = Repository.root + "/docs/pictures"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(!files.isEmpty)
        for file in files {
            #expect(shown.contains("pictures/\(file))"), "\(file) is in no page")
            let size = try FileManager.default.attributesOfItem(atPath: folder + "/" + file)[.size] as? Int
            #expect(try #require(size) <= 160_000, "\(file)")
        }
    }

    @Test func workedExampleIsTheSource() throws {
        let page = Markdown(try Repository.text("docs/writing-an-element.md"))
        let block = try #require(page.blocks.first { $0.kind == "swift" })
        let source = try Repository.text("Tests/PipelineTests/Example/Negative.swift")
        #expect(block.lines.joined(separator: "\n") + "\n" == source)
    }
}
