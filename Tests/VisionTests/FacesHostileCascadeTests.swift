// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import TestSupport
import Testing
import Vision

/// OpenCV does not check cascade files. This project rejects files that would make OpenCV access memory out of bounds
/// or loop forever.
@Suite("Faces: hostile cascade files")
struct FacesHostileCascadeTests {
    private func reason(_ text: String, ending: String = "xml") throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\(ending)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let error = #expect(throws: CascadeError.self) { try Cascade(path: file.path, purpose: .face) }
        guard case .unusable(file.path, let reason) = error else {
            Issue.record("\(String(describing: error))")
            return ""
        }
        return reason
    }

    @Test("nested 200,000 deep: XML, YAML, JSON", arguments: ["", "</a>"])
    func deep(close: String) throws {
        let open = String(repeating: "<a>", count: 200_000)
        let end = String(repeating: close, count: 200_000)
        #expect(try reason("<?xml version=\"1.0\"?>\n<opencv_storage>\(open)\(end)").contains("deep"))
        let lists = String(repeating: "[", count: 200_000)
        #expect(try !reason("%YAML:1.0\n---\na: \(lists)", ending: "yml").isEmpty)
        #expect(try !reason("{\"a\": \(lists)", ending: "json").isEmpty)
    }

    /// Returns an image of waves with noise.
    private static func noise(_ width: Int, _ height: Int) -> GrayPicture {
        let picture = GrayPicture(width: width, height: height)
        var random = Random(seed: 7)
        for y in 0..<height {
            for x in 0..<width {
                let wave = 60 * sin(Double(x) / 9) * cos(Double(y) / 7) + 60 * cos(Double(x + y) / 23)
                picture[x, y] = UInt8(max(0, min(255, 128 + wave + Double(random.next() % 32))))
            }
        }
        return picture
    }

    // MARK: - Changes to valid cascades

    @Test(
        "these are right, and can be searched with",
        arguments: [SmallCascades.haar, SmallCascades.lbp, SmallCascades.old])
    func right(text: String) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).xml")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let cascade = try Cascade(path: file.path, purpose: .face)
        let picture = Self.noise(60, 40)
        let search = Cascade.Search(scaleFactor: 1.1, minNeighbors: nil, minSize: 0)
        // The stage accepts every candidate.
        let finds = try withExtendedLifetime(picture) { try cascade.detect(in: picture.image, search) }
        #expect(!finds.isEmpty)
    }

    private static let wrongHaar: [(old: String, new: String)] = [
        // Features that do not exist, or that extend beyond the window.
        ("1 0 0 0.5", "1 0 1000000 0.5"), ("1 0 0 0.5", "1 0 -1 0.5"), ("1 0 0 0.5", "1 0 2 0.5"),
        ("1 0 0 0.5", "1 0 0.5 0.5"), ("<_>2 4 8 6 -1.</_>", "<_>2 4 23 6 -1.</_>"),
        ("<_>2 4 8 6 -1.</_>", "<_>-1 4 8 6 -1.</_>"), ("<_>2 4 8 6 -1.</_>", "<_>2 4 -1000000 6 -1.</_>"),
        ("<_>2 4 8 6 -1.</_>", "<_>2 4 8 -2000000 -1.</_>"), ("<_>2 4 8 6 -1.</_>", "<_>2 4 8 1e30 -1.</_>"),
        ("<_>2 4 8 6 -1.</_>", "<_>2 4 8 6 nan</_>"), ("<_>2 4 8 6 -1.</_>", "<_>2 4 8 6</_>"),
        ("<_>2 4 8 6 -1.</_>", "<_>2 4 9223372036854775807 6 -1.</_>"),
        // A tilted rectangle extends to the left by its height. It extends down by its width plus its height.
        ("<_>9 3 6 4 -1.</_>", "<_>3 3 6 4 -1.</_>"), ("<_>9 3 6 4 -1.</_>", "<_>9 16 6 4 -1.</_>"),
        // OpenCV has memory for three rectangles per feature.
        ("<_>2 4 8 6 -1.</_>", String(repeating: "<_>2 4 8 6 -1.</_>", count: 4)),
        ("<_>2 4 8 6 -1.</_>", String(repeating: "<_>2 4 8 6 -1.</_>", count: 4000)),
        ("<_>2 4 8 6 -1.</_><_>2 6 8 2 3.</_>", ""),
        // Trees with cycles, or with leaves and nodes that do not exist.
        ("1 0 0 0.5 -1", "0 1 0 0.5 1"), ("1 0 0 0.5", "2 0 0 0.5"), ("1 0 0 0.5", "1 -3 0 0.5"),
        ("1 0 0 0.5", "1 -2147483648 0 0.5"), ("1 0 0 0.5 -1 -2 1 0.25", "1 0 0 0.5 -1 -2 1"),
        ("1 0 0 0.5 -1 -2 1 0.25", ""), ("0.5 -0.5 0.75", "0.5 -0.5"), ("0.5 -0.5 0.75", "0.5 -0.5 inf"),
        // Wrong window sizes, stages and types.
        ("<height>24</height>", "<height>0</height>"), ("<height>24</height>", "<height>-24</height>"),
        ("<height>24</height>", "<height>1000000</height>"), ("<height>24</height>", ""),
        ("<maxCatCount>0</maxCatCount>", "<maxCatCount>1</maxCatCount>"),
        ("<stageThreshold>-1.</stageThreshold>", "<stageThreshold>nan</stageThreshold>"),
        ("<stageType>BOOST</stageType>", "<stageType>OTHER</stageType>"),
    ]

    @Test("Haar", arguments: wrongHaar)
    func inHaar(old: String, new: String) throws {
        let wrong = SmallCascades.haar.replacing(old, with: new, maxReplacements: 1)
        #expect(wrong != SmallCascades.haar)
        #expect(try !reason(wrong).isEmpty)
    }

    private static let wrongLBP: [(old: String, new: String)] = [
        ("0 -1 0 1", "0 -1 1000000 1"), ("0 -1 0 1", "0 -1 -1 1"), ("0 -1 0 1", "1 -1 0 1"), ("0 -1 0 1", "0 -2 0 1"),
        // The numbers are one block. A feature has 3 x 3 blocks, which must be inside the window.
        ("3 3 7 7", "4 3 7 7"), ("3 3 7 7", "3 3 7 8"), ("3 3 7 7", "3 3 21 21"), ("3 3 7 7", "3 3 -7 7"),
        ("3 3 7 7", "3 3 7"), ("6 7 -8", "6 7"), ("6 7 -8", "6 7 4294967296"),
        // LBP codes have eight bits, so the number of categories must be 256.
        ("<maxCatCount>256</maxCatCount>", "<maxCatCount>32</maxCatCount>"),
        ("<maxCatCount>256</maxCatCount>", "<maxCatCount>-1</maxCatCount>"),
        ("<maxCatCount>256</maxCatCount>", "<maxCatCount>0</maxCatCount>"),
        ("<leafValues>0.5 -0.5</leafValues>", "<leafValues>0.5</leafValues>"),
        ("<_><rect>3 3 7 7</rect></_>", ""),
    ]

    @Test("LBP", arguments: wrongLBP)
    func inLBP(old: String, new: String) throws {
        let wrong = SmallCascades.lbp.replacing(old, with: new, maxReplacements: 1)
        #expect(wrong != SmallCascades.lbp)
        #expect(try !reason(wrong).isEmpty)
    }

    private static let wrongOld: [(old: String, new: String)] = [
        ("<left_node>1</left_node>", "<left_node>7</left_node>"), ("<left_node>1</left_node>", ""),
        ("<left_val>-0.5</left_val>", "<left_node>1</left_node>"),
        ("<_>2 4 8 6 -1.</_>", String(repeating: "<_>2 4 8 6 -1.</_>", count: 4)),
        ("<_>2 4 8 6 -1.</_>", "<_>2 4 -1000000 6 -1.</_>"), ("<size>24 24</size>", "<size>24</size>"),
        ("<size>24 24</size>", "<size>24 0</size>"), ("<_>9 3 6 4 -1.</_>", "<_>9 16 6 4 -1.</_>"),
        ("<stage_threshold>-1.</stage_threshold>", ""),
    ]

    @Test("the old form", arguments: wrongOld)
    func inOld(old: String, new: String) throws {
        let wrong = SmallCascades.old.replacing(old, with: new, maxReplacements: 1)
        #expect(wrong != SmallCascades.old)
        #expect(try !reason(wrong).isEmpty)
    }

    @Test("a real cascade whose features are numbered too high")
    func real() throws {
        let text = try String(contentsOfFile: cascadePath("lbpcascade_frontalface"), encoding: .utf8)
        let wrong = text.replacing(#/<internalNodes>\s*0 -1 \d+/#) { _ in "<internalNodes>0 -1 1000000" }
        #expect(wrong != text)
        #expect(try reason(wrong).contains("1000000"))
    }

    // MARK: - Valid cascades

    /// All cascades of Debian's package opencv-data.
    private static let all = ["haarcascades", "lbpcascades"].flatMap { folder in
        let path = "/usr/share/opencv4/\(folder)"
        return (try? FileManager.default.contentsOfDirectory(atPath: path))?.map { "\(path)/\($0)" }.sorted() ?? []
    }

    /// Returns the cascade with only its first stages. Fewer stages accept more candidates.
    private static func beginning(of text: String, stages: Int) throws -> String {
        let end = text.contains("</weakClassifiers></_>") ? "</weakClassifiers></_>" : "</next></_>"
        let parts = text.split(separator: end, omittingEmptySubsequences: false)
        let rest = try #require(parts.last)
        try #require(parts.count > stages + 1 && rest.contains("</stages>"))
        return (parts.prefix(stages) + [rest]).joined(separator: end)
    }

    @Test("every cascade of opencv-data is read, and finds what OpenCV finds with it", arguments: all)
    func everyone(path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).xml")
        try Data(Self.beginning(of: text, stages: 2).utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let picture = Self.noise(130, 130)
        let gray = OwnedImage(.gray8)
        try withExtendedLifetime(picture) { try gray.equalize(picture.image) }
        var counts: [Int] = []
        for path in [path, file.path] {
            // A cascade is valid for one of the two purposes, depending on its window.
            let cascade = try (try? Cascade(path: path, purpose: .face)) ?? Cascade(path: path, purpose: .smile)
            let search = Cascade.Search(scaleFactor: 1.5, minNeighbors: 0, minSize: 0)
            let expected = try openCVFinds(picture, scale: 1, cascade: path, scaleFactor: 1.5, minNeighbors: 0)
            #expect(try Set(cascade.detect(in: gray.image, search).map(\.rectangle)) == expected)
            counts.append(expected.count)
        }
        #expect(counts[1] > 0 && counts[1] >= counts[0])
    }

    @Test("there are some of all kinds")
    func kinds() {
        #expect(Self.all.count >= 20)
    }
}
