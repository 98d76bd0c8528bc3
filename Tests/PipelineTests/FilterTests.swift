// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Foundation
import Testing

/// Tests of the documentation and the effects of the filters.
@Suite struct FilterTests {
    /// `gst-inspect-1.0` and `./launch filters --list` must list the same filters.
    @Test func inspectionListsEveryFilter() throws {
        try Repository.requirePlugin()
        let outcome = try Program.run(["gst-inspect-1.0", "svfilter"])
        outcome.expectSuccess("gst-inspect-1.0 svfilter")
        #expect(outcome.output.contains("\n" + Filter.catalogue + "\n"))
        let names = Filter.catalogue.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("    ") }
        #expect(names.count == Filter.all.count)
        #expect(names.count >= 40)
    }

    @Test func pageTellsEveryFilter() throws {
        let page = Markdown(try Repository.text("docs/svfilter.md"))
        let tables = page.tables.filter { $0.header.first == "filter" }
        let rows = tables.flatMap { table in table.rows.map { (table, $0) } }
        let filters = Filter.Category.allCases.flatMap { category in Filter.all.filter { $0.category == category } }
        #expect(rows.map { Markdown.code(in: $0.1[0]).first ?? "" } == filters.map(\.name))
        for ((table, row), filter) in zip(rows, filters) {
            let parameters = filter.parameters.map { "`\($0.name)` \($0.values); \($0.blurb)" }.joined(
                separator: "<br>")
            #expect(table.cell("what it does", of: row) == filter.summary)
            #expect(table.cell("parameters", of: row) == (parameters.isEmpty ? "none" : parameters), "\(filter.name)")
            #expect(table.cell("formula", of: row)?.isEmpty == false, "\(filter.name)")
        }
    }

    @Test func planIsInTheLog() throws {
        try Repository.requirePlugin()
        let folder = try ScratchFolder()
        let log = folder.path("filter.log")
        let outcome = try Program.launch(
            "videotestsrc num-buffers=3 ! video/x-raw,format=BGRA ! svfilter filters=\"sepia-tone | hue | saturation\" ! fakesink",
            in: folder.path, environment: ["GST_DEBUG": "svfilter:5", "GST_DEBUG_FILE": log, "GST_DEBUG_NO_COLOR": "1"])
        outcome.expectSuccess("svfilter")
        let text = folder.text(of: "filter.log")
        #expect(text.matches(of: #/sepia-tone \| hue \| saturation: 1 pass/#).count == 1)
        #expect(text.contains("1: matrix of sepia-tone, hue, saturation"))
    }

    /// A path in quotes, a pipe character and spaces must pass through gst-launch-1.0.
    @Test func quotesComeThrough() throws {
        try Repository.requirePlugin()
        let folder = try ScratchFolder()
        try "LUT_1D_SIZE 2\n1 1 1\n0 0 0\n".write(
            toFile: folder.path("a | b.cube"), atomically: true, encoding: .utf8)
        let line =
            "gst-launch-1.0 --no-fault videotestsrc num-buffers=3 ! videoconvert ! svfilter "
            + "filters=\"hue | cube path='a | b.cube'\" ! fakesink"
        try Program.shell(line, in: folder.path).expectSuccess(line)
        let wrong = try Program.shell(line.replacing("b.cube", with: "c.cube"), in: folder.path)
        #expect(wrong.status != 0)
        #expect(wrong.errors.contains("cannot read \"a | c.cube\": no such file"), "\(wrong.errors)")
    }
}
