// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Elements
import Imaging
import TestSupport
import Testing

@Suite("svoverlay: frames")
struct OverlayFrameTests {
    private let frame = TestFrame(.bgra, 200, 150, seed: 11)
    private let box = Rectangle(x: 60, y: 50, width: 80, height: 60)
    private let yellow = Color(red: 255, green: 255, blue: 0)

    // MARK: - Boxes

    @Test(
        "Boxes: an outline in the type's colour, a line's width outside of the object, and nothing else",
        arguments: PixelFormat.all)
    func boxes(_ format: PixelFormat) throws {
        let frame = TestFrame(format, 200, 150, seed: 12)
        let harness = try overlayHarness([("labels", "false"), ("line-width", "3")], like: frame)
        for (type, color) in [(Detection.Kind.face, yellow), (.catFace, Color(gray: 255))] {
            let result = try harness.process(frame, [Detection(type: type, id: 1, box: box)])
            let expected = frame.map { x, y, pixel in
                guard box.inset(-6).contains(x, y), !box.inset(-3).contains(x, y) else { return pixel }
                // Yellow has the Rec. 601 luma 226.
                var drawn = format.isGray ? [type == "face" ? 226 : 255] : color.pixel(format)
                if let place = format.padding { drawn[place] = pixel[place] }
                return drawn
            }
            try expectEqual(result, expected, within: format.isGray ? 1 : 0)
        }
    }

    @Test("Every format: box, landmarks and label, and the rest stays", arguments: FrameFormat.all.map(\.name))
    func formats(_ format: String) throws {
        let frame = TestFrame(.bgra, 400, 300, color: Color(red: 40, green: 60, blue: 80))
        let box = Rectangle(x: 100, y: 60, width: 200, height: 200)
        let line = try pipeline(
            "appsrc name=in format=time caps=\(frame.caps()) ! videoconvert ! video/x-raw,format=\(format) "
                + "! svoverlay name=o line-width=8 ! videoconvert ! video/x-raw,format=BGRA ! appsink name=out sync=false"
        )
        let (before, after) = try (FrameProbe(line.pad("o", "sink")), FrameProbe(line.pad("o", "src")))
        try line.play()
        try line.push(frame.buffer(with: [.face(box)]), into: "in")
        let shown = try #require(try line.pull()).frame
        try line.end("in")
        let isGray = format == "GRAY8"
        // In grey frames, colours become their Rec. 601 luma: 226 for yellow, 76 for red.
        func expect(_ x: Int, _ y: Int, _ color: Color, gray: UInt8) {
            let (found, wanted) = (shown.color(x, y), isGray ? Color(gray: gray) : color)
            let distance =
                [
                    Int(found.red) - Int(wanted.red), Int(found.green) - Int(wanted.green),
                    Int(found.blue) - Int(wanted.blue),
                ].map(abs).max() ?? 0
            #expect(distance < 12, "\(format) \(x) \(y) \(found)")
        }
        expect(87, 150, yellow, gray: 226)
        expect(200, 272, yellow, gray: 226)
        // The left eye's circle is at 0.3, 0.4 of the box. Its radius is 0.08 of the shorter side.
        expect(176, 140, Color(red: 255, green: 0, blue: 0), gray: 76)
        // The box of the label is above the left end of the face's box. Below the letters, it has a plain colour.
        expect(88, 42, yellow, gray: 226)
        expect(200, 230, Color(red: 40, green: 60, blue: 80), gray: 56)
        expect(350, 100, Color(red: 40, green: 60, blue: 80), gray: 56)
        #expect(before.frames.first?.bytes != after.frames.first?.bytes)
    }

    @Test("At the frame's edge the box goes along it")
    func edges() throws {
        let frame = TestFrame(.gray8, 60, 40, color: Color(gray: 0))
        let harness = try overlayHarness([("labels", "false"), ("line-width", "2")], like: frame)
        let result = try harness.process(
            frame, [Detection(type: "blob", id: 1, box: Rectangle(x: 1, y: 0, width: 40, height: 38))])
        let expected = frame.map { x, y, pixel in
            let outer = Rectangle(width: 45, height: 40)
            return outer.contains(x, y) && !outer.inset(2).contains(x, y) ? result[0, 0] : pixel
        }
        #expect(result == expected && result[0, 0] != [0])
    }

    @Test(
        "Lines are as wide as suits the frame, unless told",
        arguments: [
            (320, 240, "0", 1), (640, 480, "0", 2), (1280, 720, "0", 3), (1920, 1080, "0", 5), (320, 240, "7", 7),
        ])
    func lineWidth(_ width: Int, _ height: Int, _ property: String, _ expected: Int) throws {
        let frame = TestFrame(.gray8, width, height, color: Color(gray: 0))
        let harness = try overlayHarness([("labels", "false"), ("line-width", property)], like: frame)
        let box = Rectangle(x: 50, y: 50, width: 100, height: 100)
        let result = try harness.process(frame, [Detection(type: "blob", id: 1, box: box)])
        #expect((0..<100).filter { result[$0, 100] != [0] } == Array(50 - 2 * expected..<50 - expected))
    }

    // MARK: - Metadata from any source

    @Test("From the region's parameters, and through videoconvert and videoscale, which drop them")
    func scaled() throws {
        let frame = TestFrame(.bgra, 400, 300, color: Color(gray: 90))
        let face = Detection.face(Rectangle(x: 100, y: 60, width: 200, height: 200))
        // videoscale changes the shape of pixels, unless the caps say otherwise.
        for (converters, width, height, aspect) in [
            ("identity", 400, 300, 1), ("videoconvert ! video/x-raw,format=I420 ! videoconvert", 400, 300, 1),
            ("videoscale ! video/x-raw,width=200,height=300 ! videoconvert", 200, 300, 2),
            ("videoconvert ! videoscale ! video/x-raw,format=NV12,width=800,height=150 ! videoconvert", 800, 150, 0.25),
        ] {
            let line = try pipeline(
                "appsrc name=in format=time caps=\(frame.caps()) ! \(converters) ! video/x-raw,format=BGRA "
                    + "! svoverlay boxes=false labels=false line-width=5 ! appsink name=out sync=false")
            try line.play()
            try line.push(frame.buffer(with: [face]), into: "in")
            let shown = try #require(try line.pull()).frame
            try line.end("in")
            let (across, down) = (Double(width) / 400, Double(height) / 300)
            let eyes = try #require(face.landmarks)
            let side = min(200 * across * aspect, 200 * down)
            for (point, radius, color) in [
                (eyes.leftEye, 0.08, Color(red: 255, green: 0, blue: 0)),
                (eyes.rightEye, 0.08, Color(red: 0, green: 255, blue: 0)),
                (eyes.nose, 0.06, Color(red: 0, green: 0, blue: 255)),
                (eyes.mouthLeft, 0.03, Color(red: 255, green: 0, blue: 255)),
                (eyes.mouthRight, 0.03, Color(red: 255, green: 0, blue: 255)),
            ] {
                let radius = max(2, radius * side)
                let (x, y) = (Int(point.x * across + radius / aspect), Int(point.y * down))
                #expect(shown.color(x, y) == color, "\(converters) \(point)")
            }
        }
    }

    @Test("A region without any parameter, as detectors of others put it: its box and its type")
    func bare() throws {
        let harness = try overlayHarness(like: frame)
        let buffer = try frame.buffer()
        gst_buffer_add_video_region_of_interest_meta(buffer.pointer, "face", 60, 50, 80, 60)
        let shown = try harness.shown(harness.process(giving: buffer.reference))
        #expect(shown.color(58, 80) == yellow)
        #expect(try shown == harness.process(frame, [Detection(type: "face", id: 0, box: box)]))
    }

    @Test("What is on the buffer stays on it")
    func kept() throws {
        let harness = try overlayHarness(like: frame)
        var face = Detection.face(box, id: 7)
        face.classifications = [Classification(name: "person", label: "Ada", confidence: 0.5, distance: 12)]
        let result = try harness.process(giving: frame.buffer(with: [face], searched: ["face"]).reference)
        #expect(result.detections(200, 150) == [face])
        #expect(result.wasSearched(for: "face"))
        #expect(try harness.shown(result) != frame)
    }

    // MARK: - Nothing to draw, and buffers of other elements

    @Test("Nothing to draw: the very buffer goes on")
    func passThrough() throws {
        for (properties, detections) in [
            ([], []), (nothingDrawn, [Detection.face(box)]),
            ([("boxes", "false"), ("labels", "false")], [Detection(type: "blob", id: 1, box: box)]),
            ([], [Detection.face(box, type: "truth/face")]),
            ([("pixelate-faces", "true")], []),
        ] {
            let harness = try overlayHarness(properties, like: frame)
            let buffer = try frame.buffer(with: detections, searched: ["face"])
            #expect(harness.push(buffer) == GST_FLOW_OK)
            let result = try harness.pull()
            #expect(result.pointer == buffer.pointer)
            #expect(try harness.shown(result) == frame)
        }
    }

    @Test("A shared buffer is not drawn on")
    func shared() throws {
        for properties in [[], [("pixelate-faces", "true")]] {
            let harness = try overlayHarness(properties, like: frame)
            let kept = try frame.buffer(with: [.face(box)], searched: ["face"])
            #expect(harness.push(kept) == GST_FLOW_OK)
            #expect(try harness.shown(harness.pull()) != frame)
            #expect(try harness.shown(kept) == frame)
        }
        let line = try pipeline(
            "appsrc name=in format=time caps=\(frame.caps()) ! tee name=t ! queue ! svoverlay ! appsink name=out sync=false "
                + "t. ! queue ! appsink name=other sync=false")
        try line.play()
        try line.push(frame.buffer(with: [.face(box)]), into: "in")
        #expect(try line.pull("other")?.frame == frame)
        #expect(try line.pull("out")?.frame != frame)
        try line.end("in")
    }

    // MARK: - Truth

    @Test("Truth is drawn when it is asked for, in dashes of its type's colour")
    func truth() throws {
        let properties = [("labels", "false"), ("landmarks", "false"), ("line-width", "2")]
        let detections = [Detection.face(box, type: "truth/face")]
        #expect(try overlayHarness(properties, like: frame).process(frame, detections) == frame)
        let shown = try overlayHarness(properties + [("truth", "true")], like: frame).process(frame, detections)
        // Dashes are four times as long as the width of the line.
        let expected = frame.map { x, y, pixel in
            guard box.inset(-4).contains(x, y), !box.inset(-2).contains(x, y) else { return pixel }
            let isSide = y >= 48 && y < 112
            return (isSide ? y - 46 : x - 56) / 8 % 2 == 0 ? yellow.pixel(.bgra) : pixel
        }
        #expect(shown == expected)
    }
}
