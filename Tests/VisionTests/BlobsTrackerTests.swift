// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing
import Vision

@Suite("Blobs: tracker")
struct BlobsTrackerTests {
    private final class Counter {
        var last = 0
        func next() -> Int {
            last += 1
            return last
        }
    }

    private func tracker(patience: Int = 10) -> BoxTracker {
        let counter = Counter()
        return BoxTracker(patience: patience) { counter.next() }
    }

    private func box(_ x: Double, _ y: Double, _ size: Double = 40) -> Box {
        Box(center: Point(x, y), width: size, height: size)
    }

    @Test("numbers stay with what moves, in whatever order the boxes come")
    func motion() {
        var tracker = tracker()
        for frame in 0..<200 {
            let t = Double(frame)
            var boxes = [
                box(100 + 60 * sin(0.1 * t), 100), box(300 + 80 * cos(0.12 * t), 300, 60),
                box(500, 100 + 50 * sin(0.2 * t), 30 + 5 * sin(t)),
            ]
            var expected = [1, 2, 3]
            if frame > 0, frame % 3 == 0 {
                boxes.reverse()
                expected.reverse()
            }
            #expect(tracker.ids(of: boxes, frame: frame) == expected)
        }
    }

    @Test("things that pass each other keep their numbers")
    func crossing() {
        var tracker = tracker()
        for frame in 0..<60 {
            let t = Double(frame)
            #expect(tracker.ids(of: [box(100 + 8 * t, 100), box(580 - 8 * t, 112)], frame: frame) == [1, 2])
        }
    }

    @Test("fast things, and frames that were left out")
    func fast() {
        var tracker = tracker()
        for frame in stride(from: 0, to: 40, by: 2) {
            #expect(tracker.ids(of: [box(50 + 14 * Double(frame), 200)], frame: frame) == [1])
        }
    }

    @Test("what comes back soon is the same, later it is new; so is what is elsewhere or of another size")
    func patience() {
        var tracker = tracker(patience: 3)
        #expect(tracker.ids(of: [box(100, 100)], frame: 1) == [1])
        for frame in 2...4 { #expect(tracker.ids(of: [], frame: frame) == []) }
        #expect(tracker.ids(of: [box(102, 100)], frame: 5) == [1])
        for frame in 6...9 { #expect(tracker.ids(of: [], frame: frame) == []) }
        #expect(tracker.ids(of: [box(102, 100)], frame: 10) == [2])
        #expect(tracker.ids(of: [box(300, 100)], frame: 11) == [3])
        #expect(tracker.ids(of: [box(102, 100), box(325, 100, 12)], frame: 12) == [2, 4])
    }

    @Test("a number is given once, to the box that it suits best")
    func unique() {
        var tracker = tracker()
        #expect(tracker.ids(of: [box(100, 100)], frame: 1) == [1])
        #expect(tracker.ids(of: [box(118, 100), box(101, 100), box(90, 104)], frame: 2) == [2, 1, 3])
    }

    @Test("a reset, or a frame number that goes back, begins anew")
    func reset() {
        var tracker = tracker()
        #expect(tracker.ids(of: [box(1, 1)], frame: 5) == [1])
        tracker.reset()
        #expect(tracker.ids(of: [box(1, 1)], frame: 6) == [2])
        #expect(tracker.ids(of: [box(1, 1)], frame: 6) == [3])
        #expect(tracker.ids(of: [box(1, 1)], frame: .min) == [4])
        #expect(tracker.ids(of: [box(1, 1)], frame: .max) == [5])
    }

    @Test("boxes that are none")
    func senseless() {
        var tracker = tracker()
        let boxes = [
            Box(x: .nan, y: 0, width: 5, height: 5), Box(x: 0, y: 0, width: -5, height: .infinity),
            Box(x: 1e300, y: 0, width: 0, height: 0),
        ]
        for frame in 0..<3 { #expect(Set(tracker.ids(of: boxes, frame: frame)).count == 3) }
    }
}
