// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("What a frame was searched for")
struct SearchMarkTests {
    private let size = PixelSize(width: 200, height: 100)
    private let face = Detection(
        type: "face", id: 7, box: Rectangle(x: 40, y: 20, width: 40, height: 40),
        landmarks: FaceLandmarks(
            leftEye: Point(50, 35), rightEye: Point(70, 35), nose: Point(60, 45), mouthLeft: Point(52, 52),
            mouthRight: Point(68, 52)))

    private func searched(_ detections: [Detection]) throws -> Buffer {
        _ = GStreamer.isReady
        let buffer = try TestFrame(.gray8, 200, 100, seed: 1).buffer()
        meta(buffer).attach(detections, searched: ["face"])
        return buffer
    }

    private func meta(_ buffer: Buffer, _ size: PixelSize? = nil) -> DetectionMeta {
        DetectionMeta(buffer: buffer.pointer, size: size ?? self.size)
    }

    private func crop(_ buffer: Buffer, to part: Rectangle) throws {
        let meta = try required(
            gst_buffer_add_meta(buffer.pointer, gst_video_crop_meta_get_info(), nil), "no crop metadata")
        UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoCropMeta.self).pointee = {
            var crop = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoCropMeta.self).pointee
            (crop.x, crop.y) = (guint(part.x), guint(part.y))
            (crop.width, crop.height) = (guint(part.width), guint(part.height))
            return crop
        }()
    }

    private func removeRegion(_ buffer: Buffer) throws {
        let region = try required(
            gst_buffer_get_meta(buffer.pointer, gst_video_region_of_interest_meta_api_get_type()), "no region")
        gst_buffer_remove_meta(buffer.pointer, region)
    }

    // MARK: - Losses

    @Test("A region that was told and is missing")
    func missing() throws {
        var second = face
        second.id = 8
        second.box.x = 120
        let buffer = try searched([face, second])
        #expect(meta(buffer).search(for: "face") == .searched)
        try removeRegion(buffer)
        #expect(meta(buffer).search(for: "face") == .lost)
        // A region of another element, or of another type, does not replace the lost region.
        try buffer.addRegion("face", id: 0, [1, 2, 30, 40])
        #expect(meta(buffer).search(for: "face") == .lost)
        // Later detections of other types do not change the result. A new search does.
        meta(buffer).attach([Detection(type: "logo", id: 9, box: face.box)], searched: ["logo"], unsearched: ["face"])
        #expect(meta(buffer).search(for: "face") == .lost && meta(buffer).search(for: "logo") == .searched)
        meta(buffer).attach([], searched: ["face"])
        #expect(meta(buffer).search(for: "face") == .searched)
    }

    @Test("Two regions of one number, of which one is missing")
    func twins() throws {
        let buffer = try searched([face])
        meta(buffer).move { box in
            [0, 100].map { x in MappedRegion(box: Rectangle(x: box.x + x, y: box.y, width: 20, height: 40)) { $0 } }
        }
        #expect(meta(buffer).search(for: "face") == .searched)
        try removeRegion(buffer)
        #expect(meta(buffer).search(for: "face") == .lost)
    }

    @Test("Types that are told but not searched for")
    func told() throws {
        let buffer = try searched([])
        meta(buffer).attach([Detection(type: "hybrid-face", id: 11, box: face.box)])
        #expect(meta(buffer).search(for: "hybrid-face") == .unmarked)
        try removeRegion(buffer)
        #expect(meta(buffer).search(for: "hybrid-face") == .lost)
        #expect(meta(buffer).search(for: "face") == .searched)
    }

    @Test("A frame of another size")
    func otherSize() throws {
        let buffer = try searched([])
        #expect(meta(buffer, PixelSize(width: 100, height: 50)).search(for: "face") == .lost)
        #expect(meta(buffer, PixelSize(width: 201, height: 100)).search(for: "face") == .lost)
    }

    @Test("Pixels that nobody has searched")
    func changed() throws {
        let buffer = try searched([face])
        meta(buffer).setChanged()
        #expect(meta(buffer).search(for: "face") == .lost)
        #expect(meta(buffer).search(for: "logo") == .unmarked)
        meta(buffer).attach([], searched: ["face"])
        #expect(meta(buffer).search(for: "face") == .searched)
        // Detectors of other plugins only add regions.
        let other = try TestFrame(.gray8, 200, 100, seed: 1).buffer()
        try other.addRegion("face", id: 0, [1, 2, 30, 40])
        try other.addRegion("truth/face", id: 0, [1, 2, 30, 40])
        meta(other).setChanged()
        #expect(meta(other).search(for: "face") == .lost)
        #expect(meta(other).search(for: "truth/face") == .unmarked)
    }

    // MARK: - Methods

    @Test("The method of a search is known until pixels change; a network's search stays one")
    func methods() throws {
        let buffer = try searched([face])
        #expect(meta(buffer).searchMethod(for: "face") == nil)
        let other = try TestFrame(.gray8, 200, 100, seed: 1).buffer()
        meta(other).attach([], unsearched: ["face"], by: ["face": .cascade])
        #expect(meta(other).searchMethod(for: "face") == .cascade && meta(other).searchTypes == ["face"])
        for (method, expected) in [(.cascade, .cascade), (.network, .network), (.cascade, .network)]
            as [(SearchMethod, SearchMethod)]
        {
            meta(other).attach([], searched: ["face"], by: ["face": method, "logo": .cascade])
            #expect(meta(other).searchMethod(for: "face") == expected)
            #expect(meta(other).searchMethod(for: "logo") == nil)
        }
        meta(other).setChanged()
        #expect(meta(other).searchMethod(for: "face") == nil)
        meta(other).attach([], searched: ["face"], by: ["face": .cascade])
        #expect(meta(other).searchMethod(for: "face") == .cascade)
        // This detector does not set its method.
        meta(other).attach([], searched: ["face"])
        #expect(meta(other).searchMethod(for: "face") == nil)
    }

    // MARK: - Stock elements

    /// Sends a frame that was searched and has a face through some elements. Returns the metadata after the elements.
    private func through(_ elements: String) throws -> (meta: DetectionMeta, buffer: Buffer) {
        let caps = TestFrame(.gray8, 200, 100, seed: 1).caps()
        let line = try Pipeline(
            "appsrc name=in format=time caps=\(caps) ! \(elements) ! appsink name=out sync=false")
        try line.play()
        let face = try searched([face])
        meta(face).attach([], searched: ["face"], by: ["face": .cascade])
        try line.push(face, into: "in")
        try line.end("in")
        let (buffer, width, height) = try required(line.pullBuffer(), "no frame")
        return (meta(buffer, PixelSize(width: width, height: height)), buffer)
    }

    @Test(
        "Converters and scalers that keep the display aspect keep the mark",
        arguments: [
            "videoconvert ! video/x-raw,format=I420", "videoscale ! video/x-raw,width=100,height=50",
            "videoscale ! video/x-raw,width=333,height=167,pixel-aspect-ratio=1/1",
            "videoscale ! video/x-raw,width=400,height=400", "videoconvertscale ! video/x-raw,width=90,height=45",
            "videorate ! video/x-raw,framerate=50/1", "videoconvert ! jpegenc ! jpegdec",
        ])
    func kept(_ elements: String) throws {
        let (meta, buffer) = try through(elements)
        #expect(meta.search(for: "face") == .searched)
        #expect(meta.searchMethod(for: "face") == .cascade)
        #expect(buffer.regions.count == 1)
    }

    @Test(
        "Borders, stretching: nobody knows",
        arguments: [
            "videoscale ! video/x-raw,width=200,height=200,pixel-aspect-ratio=1/1",
            "videoscale add-borders=false ! video/x-raw,width=200,height=200,pixel-aspect-ratio=1/1",
            "videoscale ! video/x-raw,width=120,height=50,pixel-aspect-ratio=1/1",
        ])
    func borders(_ elements: String) throws {
        let (meta, buffer) = try through(elements)
        #expect(meta.search(for: "face") == .lost)
        #expect(buffer.regions.count == 1)
    }

    @Test(
        "Elements that drop regions drop the mark with them",
        arguments: [
            "videocrop left=20", "videoflip video-direction=horiz", "videoconvert ! videobox left=-20",
            "videoconvert ! aspectratiocrop aspect-ratio=1/1 ! videoconvert", "videoconvert ! alpha",
            "videoconvert ! videomedian",
            "videoconvert ! rtpvrawpay ! rtpvrawdepay",
        ])
    func dropped(_ elements: String) throws {
        let (meta, buffer) = try through(elements)
        #expect(buffer.regions.isEmpty)
        #expect(meta.search(for: "face") == .unmarked)
    }

    // MARK: - Parts of frames

    @Test("A part that was cut out by metadata: boxes are in its own pixels, and all of it was searched")
    func cropped() throws {
        let buffer = try searched([face])
        try crop(buffer, to: Rectangle(x: 50, y: 30, width: 100, height: 60))
        let found = try #require(meta(buffer).detections(truth: false).first)
        #expect(found.box == Rectangle(x: 0, y: 0, width: 30, height: 30))
        #expect(found.landmarks?.leftEye == Point(0, 5))
        #expect(meta(buffer).search(for: "face") == .searched)
    }

    @Test("A part of a frame that begins beyond all memory is none")
    func partBeyondMemory() throws {
        _ = GStreamer.isReady
        let buffer = try TestFrame(.gray8, 200, 100, seed: 1).buffer(padded: Padding())
        try crop(buffer, to: Rectangle(x: 50, y: 30, width: 100, height: 60))
        let size = PixelSize(width: 100, height: 60)
        let part = Buffer(taking: try #require(buffer.pointer.visiblePart(size)))
        withExtendedLifetime((buffer, part)) {
            let start: gsize = 30 * 200 + 50
            #expect(gst_buffer_get_video_meta(part.pointer)?.pointee.offset.0 == start)
            gst_buffer_get_video_meta(buffer.pointer)?.pointee.offset.0 = gsize.max - 100
            #expect(buffer.pointer.visiblePart(size) == nil)
        }
    }

    @Test("A search of such a part says nothing of the rest")
    func partSearched() throws {
        _ = GStreamer.isReady
        let buffer = try TestFrame(.gray8, 200, 100, seed: 1).buffer()
        try crop(buffer, to: Rectangle(x: 50, y: 30, width: 100, height: 60))
        var part = face
        part.box = Rectangle(x: 10, y: 5, width: 20, height: 20)
        part.landmarks = nil
        meta(buffer).attach([part], searched: ["face"])
        #expect(meta(buffer).search(for: "face") == .searched)
        #expect(meta(buffer).detections(truth: false) == [part])
        // Regions in the buffer are relative to the top left corner of the whole frame.
        let region = try #require(buffer.regions.first)
        #expect([region.x, region.y, region.w, region.h] == [60, 35, 20, 20])
        #expect(Buffer.parameter("detection", of: region)?.double("x_min") == 0.3)
        let whole = try #require(
            gst_buffer_get_meta(buffer.pointer, gst_video_crop_meta_api_get_type()), "no crop metadata")
        gst_buffer_remove_meta(buffer.pointer, whole)
        #expect(meta(buffer).search(for: "face") == .lost)
    }

    // MARK: - Moves

    @Test("Pixels that move take detections along: mirrored, doubled, out of sight")
    func moved() throws {
        let mirrored = try searched([face])
        meta(mirrored).move { box in
            [
                MappedRegion(box: Rectangle(x: 200 - box.x - box.width, y: box.y, width: box.width, height: box.height))
                {
                    Point(200 - $0.x, $0.y)
                }
            ]
        }
        var expected = face
        expected.box.x = 120
        expected.landmarks = FaceLandmarks(
            leftEye: Point(130, 35), rightEye: Point(150, 35), nose: Point(140, 45), mouthLeft: Point(132, 52),
            mouthRight: Point(148, 52))
        #expect(meta(mirrored).detections(truth: false) == [expected])
        #expect(meta(mirrored).search(for: "face") == .searched)

        let doubled = try searched([face])
        meta(doubled).move { box in
            [0, 90].map { x in
                MappedRegion(box: Rectangle(x: box.x + x, y: 20, width: 40, height: 40)) {
                    Point($0.x + Double(x), $0.y)
                }
            }
        }
        let copies = meta(doubled).detections(truth: false)
        #expect(copies.map(\.box.x) == [40, 130] && copies.map(\.id) == [7, 7])
        #expect(copies.map { $0.landmarks?.leftEye } == [Point(50, 35), Point(140, 35)])
        #expect(meta(doubled).search(for: "face") == .searched)

        let gone = try searched([face])
        meta(gone).move { _ in [] }
        #expect(gone.regions.isEmpty && meta(gone).search(for: "face") == .searched)
        let outside = try searched([face])
        meta(outside).move { _ in [MappedRegion(box: Rectangle(x: 300, y: 0, width: 9, height: 9)) { $0 }] }
        #expect(outside.regions.isEmpty && meta(outside).search(for: "face") == .searched)
    }

    @Test("A turned face keeps its eyes, a mirrored one exchanges what is known of them")
    func movedSides() throws {
        var oneEye = face
        oneEye.landmarks?.isLeftEyeFound = false
        let box = Rectangle(x: 20, y: 20, width: 60, height: 60)
        func landmarks(after move: @escaping (Point) -> Point) throws -> FaceLandmarks {
            let buffer = try searched([oneEye])
            meta(buffer).move { _ in [MappedRegion(box: box, point: move)] }
            return try #require(meta(buffer).detections(truth: false).first?.landmarks)
        }
        // A rotation by 180° about (60, 45), and then a rotation by 90°.
        let half = try landmarks { Point(120 - $0.x, 90 - $0.y) }
        #expect(half.leftEye == Point(70, 55) && half.mouthLeft == Point(68, 38) && !half.isLeftEyeFound)
        let quarter = try landmarks { Point(60 - ($0.y - 45), 45 + ($0.x - 60)) }
        #expect(quarter.leftEye == Point(70, 35) && quarter.rightEye == Point(70, 55) && !quarter.isLeftEyeFound)
        // The image is mirrored vertically. The left eye stays on the left, but it is the right eye of the mirrored
        // face.
        let lake = try landmarks { Point($0.x, 90 - $0.y) }
        #expect(lake.leftEye == Point(70, 55) && lake.rightEye == Point(50, 55))
        #expect(lake.isLeftEyeFound && !lake.isRightEyeFound)
    }

    @Test("Closed eyes and angles follow a face that is mirrored or turned")
    func movedDetails() throws {
        var winking = face
        winking.landmarks?.nose = Point(63, 44)
        winking.landmarks?.closedEyes = ClosedEyes(left: true, right: false)
        let before = try #require(winking.landmarks.flatMap { HeadPose($0) })
        winking.landmarks?.pose = before
        func landmarks(after move: @escaping (Point) -> Point) throws -> FaceLandmarks {
            let buffer = try searched([winking])
            let box = Rectangle(x: 20, y: 20, width: 80, height: 60)
            meta(buffer).move { _ in [MappedRegion(box: box, point: move)] }
            return try #require(meta(buffer).detections(truth: false).first?.landmarks)
        }
        let mirrored = try landmarks { Point(120 - $0.x, $0.y) }
        #expect(mirrored.closedEyes == ClosedEyes(left: false, right: true))
        let pose = try #require(mirrored.pose)
        #expect(before.yaw > 5 && abs(pose.yaw + before.yaw) < 0.1 && abs(pose.pitch - before.pitch) < 0.1)
        let quarter = try landmarks { Point(60 - ($0.y - 45), 45 + ($0.x - 60)) }
        #expect(quarter.closedEyes == winking.landmarks?.closedEyes)
        #expect(abs(try #require(quarter.pose).roll - before.roll - 90) < 0.1)
    }

    @Test("An outline's area follows the outline, not its box")
    func movedOutline() throws {
        let square = [Point(50, 25), Point(70, 25), Point(70, 45), Point(50, 45)]
        let blob = Detection(
            type: "face", id: 9, box: Rectangle(x: 50, y: 25, width: 20, height: 20),
            outline: Outline(corners: square, area: 360, color: 0xFF10_2030))
        func area(in box: Rectangle, _ move: @escaping (Point) -> Point?) throws -> Double? {
            let buffer = try searched([blob])
            meta(buffer).move { _ in [MappedRegion(box: box, point: move)] }
            return try #require(meta(buffer).detections(truth: false).first).outline?.area
        }
        // A rotation by 45 degrees does not change the area, but the box becomes twice as large.
        let turned = try #require(
            try area(in: Rectangle(x: 45, y: 20, width: 29, height: 29)) {
                Point(60 + ($0.x - 60 - $0.y + 35) / 2.0.squareRoot(), 35 + ($0.x - 60 + $0.y - 35) / 2.0.squareRoot())
            })
        #expect(abs(turned - 360) < 1e-3)
        let wide = try area(in: Rectangle(x: 30, y: 25, width: 60, height: 20)) { Point(($0.x - 60) * 3 + 60, $0.y) }
        #expect(wide == 1080)
        // Half of the region is outside the frame.
        let half = try area(in: Rectangle(x: 50, y: 25, width: 20, height: 20)) { $0.x < 60 || $0.y < 30 ? $0 : nil }
        #expect(half == 180)
    }

    @Test("Moving what came along in part does not make it whole")
    func movedLoss() throws {
        let buffer = try searched([face])
        try removeRegion(buffer)
        try buffer.addRegion("face", id: 3, [1, 2, 30, 40])
        meta(buffer).move { [MappedRegion(box: $0) { $0 }] }
        #expect(meta(buffer).search(for: "face") == .lost)
    }
}
