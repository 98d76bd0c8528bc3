// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import TestSupport
import Testing

/// Tests of regions of interest and marks during a transition.
@Suite("svswitch: regions")
struct SwitchRegionTests {
    /// Returns 13 frames. The transition is in the second to the twelfth frame, with the progress 0, 0.1 … 1.
    private func frames(_ transition: String, _ prepare: (Int, Buffer) throws -> Void) throws -> [Buffer] {
        let frame = TestFrame(.bgra, 40, 30, color: .black)
        let line = try pipeline(
            "svswitch every=40000000 duration=400000000 easing=linear transition=\(transition) name=s "
                + "! appsink name=out sync=false "
                + (0...1).map { "appsrc name=in\($0) format=time caps=\(frame.caps()) ! s.sink_\($0) " }.joined())
        try line.play()
        for index in 0...1 {
            for number in 0..<13 {
                let buffer = try frame.buffer(at: UInt64(number) * 40_000_000)
                try prepare(index, buffer)
                try line.push(buffer, into: "in\(index)")
            }
            try line.end("in\(index)")
        }
        let buffers = try line.pullAll().map(\.buffer)
        try #require(buffers.count == 13)
        return buffers
    }

    /// Returns the boxes by their ids. The old input has the region 4, 4, 8 x 8, and the new input has the region 20,
    /// 10, 10 x 10.
    private func boxes(_ transition: String) throws -> [[Int32: [UInt32]]] {
        try frames(transition) { index, buffer in
            try buffer.addRegion("face", id: Int32(index + 1), index == 0 ? [4, 4, 8, 8] : [20, 10, 10, 10])
        }.map { buffer in
            Dictionary(buffer.regions.map { ($0.id, [$0.x, $0.y, $0.w, $0.h]) }) { _, _ in [] }
        }
    }

    private let old: [UInt32] = [4, 4, 8, 8]
    private let new: [UInt32] = [20, 10, 10, 10]

    @Test("Both inputs' regions are told as long as both are seen")
    func fades() throws {
        let dissolve = try boxes("dissolve")
        for (number, boxes) in dissolve.enumerated() {
            #expect(boxes[1] == (number < 11 ? old : nil) && boxes[2] == (number > 1 && number < 13 ? new : nil))
        }
        for (number, boxes) in try boxes("fade-black").enumerated() {
            #expect(boxes[1] == (number < 6 ? old : nil) && boxes[2] == (number < 6 ? nil : new), "\(number)")
        }
    }

    @Test("Regions move with what they are of")
    func moves() throws {
        for (number, boxes) in try boxes("push-left").enumerated() {
            // The region moves 4 pixels to the left per frame.
            let way = 4 * max(0, min(10, number - 1))
            let left = max(0, 4 - way)
            let width = max(0, 12 - way - left)
            #expect(boxes[1] == (width > 0 ? [UInt32(left), 4, UInt32(width), 8] : nil), "\(number)")
            let place = 60 - way
            #expect(
                boxes[2] == (place < 40 ? [UInt32(place), 10, UInt32(min(10, 40 - place)), 10] : nil), "\(number)")
        }
    }

    @Test("Regions end where what they are of is covered")
    func covers() throws {
        for (number, boxes) in try boxes("wipe-right").enumerated() {
            let p = Double(max(0, min(10, number - 1))) / 10
            // Returns the weight of the new image at the centre of a column.
            func weight(_ x: Int) -> Double { min(1, max(0, (1.1 * p - (Double(x) + 0.5) / 40) / 0.1)) }
            let (old, new) = ((4..<12).filter { weight($0) < 1 }, (20..<30).filter { weight($0) > 0 })
            #expect(boxes[1] == old.first.map { [UInt32($0), 4, UInt32(old.count), 8] }, "\(number)")
            #expect(boxes[2] == new.first.map { [UInt32($0), 10, UInt32(new.count), 10] }, "\(number)")
        }
    }

    @Test("A frame counts as searched where each input that is seen does", arguments: [true, false])
    func searches(_ both: Bool) throws {
        let buffers = try frames("dissolve") { index, buffer in
            DetectionMeta(buffer: buffer.pointer, size: PixelSize(width: 40, height: 30))
                .attach([], searched: both || index == 0 ? ["face"] : [])
        }
        for (number, buffer) in buffers.enumerated() where number != 1 && number != 11 {
            #expect(buffer.wasSearched(for: "face") == (both || number == 0), "\(number)")
        }
    }
}
