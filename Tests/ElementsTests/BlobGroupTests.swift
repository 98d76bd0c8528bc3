// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import Scenes
import TestSupport
import Testing

@Suite("svblobdetect: groups")
struct BlobGroupTests {
    private static let (red, blue) = (Color(red: 170, green: 40, blue: 40), Color(red: 40, green: 50, blue: 160))

    /// Two rectangles that pass each other. They form one blob from frame 14 to frame 19.
    private static func frame(_ number: Int) -> TestFrame {
        let (left, right) = (40 + 6 * number, 240 - 6 * number)
        return TestFrame(.bgra, 320, 240) { x, y in
            if x >= left && x < left + 40 && y >= 90 && y < 150 { return red.pixel(.bgra) }
            if x >= right && x < right + 40 && y >= 96 && y < 156 { return blue.pixel(.bgra) }
            return paper.pixel(.bgra)
        }
    }

    @Test("Two things that form one blob keep their ids, have estimated boxes, and cause no message")
    func crossing() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        let harness = try Harness("svblobdetect", [("draw", "false")], like: Self.frame(0))
        let overlay = try overlayHarness(
            [("hide", "blob"), ("hide-style", "black")] + nothingDrawn, like: Self.frame(0))
        var (ids, merged) = (Set<Int32>(), 0)
        for number in 0..<34 {
            let frame = Self.frame(number)
            let result = try harness.process(giving: frame.buffer(at: UInt64(number) * 40_000_000).reference)
            let all = DetectionMeta(buffer: result.pointer, size: PixelSize(width: 320, height: 240)).detections
            let blobs = all.filter { $0.type == .blob }
            #expect(blobs.count == 2, "frame \(number)")
            ids.formUnion(blobs.map(\.id))
            let groups = all.filter { $0.type == .blob.possible }
            #expect(result.wasSearched(for: .blob) && result.wasSearched(for: .blob.possible))
            if number >= 14 && number <= 19 {
                merged += 1
                #expect(blobs.allSatisfy { $0.isExact == false && $0.outline == nil }, "frame \(number)")
                let group = try #require(groups.first)
                #expect(groups.count == 1 && group.id == 0 && group.outline != nil)
                #expect(blobs.allSatisfy { group.box.intersection($0.box) == $0.box }, "frame \(number)")
            } else if number < 13 || number > 20 {
                #expect(blobs.allSatisfy { $0.isExact == nil && $0.outline != nil } && groups.isEmpty)
                // The larger x belongs to the second thing before the crossing, and to the first thing after it.
                #expect(blobs.count { $0.box.x > 40 + 6 * number - 4 && $0.box.x < 40 + 6 * number + 4 } == 1)
            }
            // An element that hides blobs hides both things completely.
            let hidden = try overlay.shown(overlay.process(giving: result.reference))
            for (x, y) in [(40 + 6 * number, 92), (79 + 6 * number, 148), (240 - 6 * number, 154)] {
                #expect(hidden.color(x, y) == .black, "frame \(number): \(x), \(y)")
            }
        }
        #expect(ids.count == 2 && merged == 6)
        #expect(harness.bus.pending(GST_MESSAGE_ELEMENT).count == 1)
    }

    @Test("Without tracks, things that touch are one blob")
    func untracked() throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        let harness = try Harness("svblobdetect", [("draw", "false"), ("track", "false")], like: Self.frame(0))
        for number in 10..<20 {
            let result = try harness.process(
                giving: Self.frame(number).buffer(at: UInt64(number) * 40_000_000).reference)
            let blobs = result.detections(320, 240)
            #expect(blobs.count == (number < 14 ? 2 : 1) && blobs.allSatisfy { $0.outline != nil })
        }
    }

    @Test("svblobclassify keeps the name of a thing in a group, and does not look at the estimated box")
    func names() throws {
        let coins = try DrawnCoins.of(1)
        let picture = coins.picture
        let chain = try BlobChain([], [("training", DrawnTraining.shared.list), ("interval", "1")], like: picture)
        let blob = try #require(try chain.push(picture, at: 0).detections(picture.width, picture.height).first)
        let name = try #require(blob.classifications.first?.label)
        #expect(name == coins.actors.first?.object?.label)
        var estimate = Detection(type: .blob, id: blob.id, box: Rectangle(x: 2, y: 2, width: 20, height: 20))
        estimate.isExact = false
        for _ in 0..<20 {
            let result = try chain.classify.process(
                giving: picture.buffer(with: [estimate], searched: [.blob]).reference)
            let named = try #require(result.detections(picture.width, picture.height).first)
            #expect(named.classifications.first?.label == name)
        }
    }

    @Test("A blob whose ID may have been exchanged in a group has no name until it is compared again")
    func exchanged() throws {
        let coins = try DrawnCoins.of(1)
        let picture = coins.picture
        let chain = try BlobChain([], [("training", DrawnTraining.shared.list), ("interval", "1000")], like: picture)
        let blob = try #require(try chain.push(picture, at: 0).detections(picture.width, picture.height).first)
        #expect(blob.classifications.first != nil)
        var estimate = Detection(type: .blob, id: blob.id, box: Rectangle(x: 2, y: 2, width: 20, height: 20))
        estimate.isExact = false
        func names(_ blob: Detection, on picture: TestFrame) throws -> [String] {
            let result = try chain.classify.process(giving: picture.buffer(with: [blob], searched: [.blob]).reference)
            return try #require(result.detections(picture.width, picture.height).first).classifications.map(\.label)
        }
        #expect(try names(estimate, on: picture) == blob.classifications.map(\.label))
        // After the split, the ID is at another object.
        let other = try DrawnCoins.of(2)
        let second = try #require(other.actors.last?.object?.label)
        #expect(second != blob.classifications.first?.label)
        var after = Detection(type: .blob, id: blob.id, box: blob.box)
        after.outline = blob.outline
        let name = try names(after, on: other.picture)
        #expect(name != blob.classifications.map(\.label))
    }

    private func shows(_ overlay: Harness, _ things: [Detection], on frame: TestFrame, _ x: Int) throws -> Bool {
        try overlay.process(frame, things, searched: [.blob, .blob.possible]).color(x, 120) != .black
    }

    private func thing(_ id: Int32, _ x: Int, _ name: String?, isEstimate: Bool = false) -> Detection {
        var thing = Detection(type: .blob, id: id, box: Rectangle(x: x, y: 100, width: 40, height: 40))
        if let name {
            thing.classifications = [Classification(name: "blob-class", label: name, labelID: 1, confidence: 0.9)]
        }
        thing.isExact = !isEstimate
        return thing
    }

    @Test("In a group, spare has no effect on a blob, and needs three exact frames after it")
    func sparing() throws {
        let frame = Self.frame(0)
        let overlay = try overlayHarness(
            [("hide", "blob"), ("spare", "key"), ("hide-style", "black")] + nothingDrawn, like: frame)
        let before = try (0..<4).map { _ in try shows(overlay, [thing(1, 50, "key")], on: frame, 70) }
        #expect(before == [false, false, true, true])
        for _ in 0..<5 { #expect(try !shows(overlay, [thing(1, 50, "key", isEstimate: true)], on: frame, 70)) }
        let after = try (0..<4).map { _ in try shows(overlay, [thing(1, 50, "key")], on: frame, 70) }
        #expect(after == [false, false, true, true])
    }

    @Test("After a group, a blob stays hidden until three exact frames show that no word of hide matches")
    func clearing() throws {
        let frame = Self.frame(0)
        let overlay = try overlayHarness([("hide", "door"), ("hide-style", "black")] + nothingDrawn, like: frame)
        let before = try (0..<4).map { _ in try shows(overlay, [thing(1, 50, "key")], on: frame, 70) }
        #expect(before == [false, false, true, true])
        for _ in 0..<5 { #expect(try !shows(overlay, [thing(1, 50, "key", isEstimate: true)], on: frame, 70)) }
        let after = try (0..<5).map { index in
            try shows(overlay, [thing(1, 50, index == 1 ? "door" : "key")], on: frame, 70)
        }
        #expect(after == [false, false, false, false, true])
    }

    @Test("A group is hidden if a word of hide could name one of its objects")
    func hidingGroups() throws {
        let frame = Self.frame(0)
        let overlay = try overlayHarness([("hide", "door"), ("hide-style", "black")] + nothingDrawn, like: frame)
        var group = Detection(type: .blob.possible, id: 0, box: Rectangle(x: 150, y: 100, width: 90, height: 40))
        group.isExact = true
        // A named face upstream, as svfacerecognize attaches it.
        let face = Detection(
            type: .face, id: 9, box: Rectangle(x: 10, y: 10, width: 20, height: 20),
            classifications: [Classification(name: "person", label: "Ann", labelID: 1, confidence: 0.9)])
        for _ in 0..<6 { #expect(try !shows(overlay, [face, group], on: frame, 220)) }
    }
}
