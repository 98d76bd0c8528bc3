// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Foundation
import TestSupport
import Testing

/// Tests of the report about the training images, which svblobclassify writes at the start.
@Suite("svblobclassify: report about the training set")
struct BlobReportTests {
    private let folder: TemporaryFolder
    private var reports: String { folder.file("report") }
    private var page: String { "\(reports)/training-report.html" }

    init() throws { folder = try TemporaryFolder() }

    /// Starts svblobclassify with a training set, and returns its warnings.
    private func warnings(_ training: String) throws -> [String] {
        let picture = try DrawnCoins.of(1).picture
        let chain = try BlobChain([], [("training", training), ("report-location", reports)], like: picture)
        _ = try chain.names(picture)
        return chain.classify.bus.pending(GST_MESSAGE_WARNING).map(\.text)
    }

    private func report() throws -> String { String(decoding: try contents(of: page), as: UTF8.self) }

    /// Creates a training set with a drawn coin and an image without an object. The name of this image must be escaped
    /// in HTML.
    private func setWithPlainImage() throws -> String {
        let set = folder.file("set")
        for name in ["medal", "<b>"] { try Folder.make("\(set)/\(name)") }
        let coins = try DrawnTraining.shared.folder
        let coin = try #require(coins.names.filter { $0.hasSuffix(".png") }.sorted().first)
        try FileManager.default.copyItem(atPath: coins.file(coin), toPath: "\(set)/medal/1.png")
        let line = try pipeline(
            "videotestsrc num-buffers=1 pattern=solid-color foreground-color=0xFFC0C0C0 "
                + "! video/x-raw,format=RGB,width=120,height=90 ! pngenc ! filesink location=\"\(set)/<b>/plain.png\"")
        try line.play()
        try line.finish()
        return set
    }

    @Test("Each image of a good set works, and the page shows its outline, its names and its distances")
    func goodSet() throws {
        #expect(try warnings(DrawnTraining.shared.list).isEmpty)
        let report = try report()
        #expect(report.contains("6 of 6 images work"))
        #expect(report.components(separatedBy: "src=\"data:image/png;base64,iVBOR").count == 7)
        #expect(!report.contains("class=\"bad\""))
    }

    @Test("An image of plain ground is named in a warning and on the page")
    func plainImage() throws {
        let warnings = try warnings(setWithPlainImage())
        #expect(
            warnings == [
                "1 of 2 training images failed the check: \"<b>/plain.png\" shows no object. Read \"\(page)\"."
            ])
        let report = try report()
        #expect(report.contains("1 of 2 images work") && report.contains("class=\"bad\""))
        #expect(report.contains("&lt;b&gt;/plain.png") && !report.contains("<b>"))
    }

    @Test("A report replaces an earlier report, but no other file")
    func replacing() throws {
        #expect(try warnings(DrawnTraining.shared.list).isEmpty)
        _ = try warnings(setWithPlainImage())
        #expect(try report().contains("1 of 2 images work"))
        try Data("my page".utf8).write(to: URL(fileURLWithPath: page))
        let problem = "cannot replace \"\(page)\": the file is not a report of svblobclassify. Use another folder."
        #expect(try warnings(DrawnTraining.shared.list) == [problem])
        #expect(try report() == "my page")
    }

    @Test("Without a report, the test of the images runs in the background")
    func background() throws {
        let picture = try DrawnCoins.of(1).picture
        let chain = try BlobChain([], [("training", try setWithPlainImage())], like: picture)
        _ = try chain.names(picture)
        let bus = chain.classify.bus
        var texts: [String] = []
        #expect(
            eventually {
                texts += bus.pending(GST_MESSAGE_WARNING).map(\.text)
                return !texts.isEmpty
            })
        #expect(texts.first?.hasSuffix("shows no object. For details, set report-location.") == true)
    }
}
