// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import Imaging
import Scenes
import TestSupport
import Testing

@Suite("svtestscene: frames")
struct TestSceneFrameTests {
    @Test("Every format shows the same picture")
    func formats() throws {
        func picture(_ format: FrameFormat) throws -> TestFrame {
            let line = try pipeline(
                "videotestsrc num-buffers=1 pattern=solid-color foreground-color=0xff303030 "
                    + "! video/x-raw,format=RGB,width=122,height=112 "
                    + "! videoconvert ! video/x-raw,format=\(format.name) ! svtestscene "
                    + "! videoconvert ! video/x-raw,format=\(format.isGray ? "GRAY8" : "RGB") ! appsink name=out")
            try line.play()
            return try #require(try line.pull()).frame
        }
        let expected = try picture(FrameFormat(.rgb))
        let entity = try #require(Scene(.faces, count: 2, width: 122, height: 112).entities(at: 0).first)
        let (eye, nose) = (entity.leftEye, entity.nose)
        #expect(expected.color(0, 0) == Color(gray: 0x30))
        #expect(expected.color(Int(eye.x), Int(eye.y)).red < 100)
        #expect(expected.color(Int(nose.x), Int(nose.y) - 12).red > 150)
        let luma = TestFrame(.gray8, 122, 112) { x, y in
            let color = expected.color(x, y)
            let sum: Double = 0.299 * Double(color.red) + 0.587 * Double(color.green) + 0.114 * Double(color.blue)
            return [UInt8(sum.rounded())]
        }
        for format in FrameFormat.all {
            let shown = try picture(format)
            let same = format.isGray ? luma : expected
            let distances: [Int] = zip(shown.bytes, same.bytes).map { abs(Int($0) - Int($1)) }
            let mean = Double(distances.reduce(0, +)) / Double(distances.count)
            // Subsampled chroma blurs the colours of edges, and videoconvert rounds down.
            let (limit, maximum) = format.isYUV ? (3, 40) : (format.isGray ? (0.6, 3) : (0, 0))
            #expect(mean <= limit, "\(format.name)")
            #expect((distances.max() ?? 255) <= maximum, "\(format.name)")
        }
    }

    @Test("Odd sizes, rows with padding, planes with bytes before them", arguments: FrameFormat.all)
    func padding(_ format: FrameFormat) throws {
        for (width, height) in [(121, 111), (122, 110)] {
            let memory = try FrameMemory(format, width, height)
            let scene = try SceneHarness(format: format, width: width, height: height)
            let plain = try scene.process()
            let before = try memory.buffer(padding: 7)
            let after = try scene.harness.process(giving: memory.buffer(padding: 7).reference)
            let shown = try memory.visible(after)
            #expect(try shown == memory.visible(plain))
            #expect(try shown != memory.visible(before))
            #expect(after.truth(width, height) == plain.truth(width, height))
            // After the visible bytes are restored, all bytes must be as before.
            try memory.copy(before, to: after)
            #expect(TestFrame.memory(of: after) == TestFrame.memory(of: before))
        }
    }

    @Test("Alpha becomes opaque where something is drawn, padding bytes stay")
    func alpha() throws {
        let frame = TestFrame(.bgra, 121, 111, color: Color(red: 9, green: 9, blue: 9, alpha: 0))
        let entity = try #require(Scene(.faces, count: 2, width: 121, height: 111).entities(at: 0).first)
        let scene = try SceneHarness()
        let shown = try TestFrame(scene.harness.process(giving: frame.buffer().reference), .bgra, 121, 111)
        #expect(shown.color(0, 0) == frame.color(0, 0))
        #expect(shown.color(Int(entity.nose.x), Int(entity.nose.y)).alpha == 255)
        let padded = TestFrame(.xrgb, 121, 111, color: Color(gray: 9))
        let other = try SceneHarness(format: FrameFormat(.xrgb))
        let result = try TestFrame(other.harness.process(giving: padded.buffer().reference), .xrgb, 121, 111)
        #expect(result != padded)
        #expect((0..<111).allSatisfy { y in (0..<121).allSatisfy { result[$0, y][0] == 77 } })
    }

    @Test("Of a cropped buffer the visible part is drawn on")
    func crop() throws {
        for (x, y) in [(5, 3), (6, 4), (0, 1)] {
            let whole = TestFrame(.bgrx, 141, 131, seed: 1)
            let scene = try SceneHarness(format: FrameFormat(.bgrx))
            let buffer = try whole.buffer(padded: Padding(offset: 4, row: 8))
            let meta = try #require(gst_buffer_add_meta(buffer.pointer, gst_video_crop_meta_get_info(), nil))
            let crop = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoCropMeta.self)
            (crop.pointee.x, crop.pointee.y) = (UInt32(x), UInt32(y))
            (crop.pointee.width, crop.pointee.height) = (121, 111)
            let part = whole.part(x, y, 121, 111)
            let alone = try scene.harness.process(giving: part.buffer().reference)
            let expected = try TestFrame(alone, .bgrx, 121, 111)
            let result = try scene.harness.process(giving: gst_buffer_copy_deep(buffer.pointer))
            let shown = try TestFrame(result, .bgrx, 141, 131)
            #expect(shown.part(x, y, 121, 111) == expected)
            let isAround = { (column: Int, row: Int) in
                !(x..<x + 121).contains(column) || !(y..<y + 111).contains(row)
            }
            #expect(shown == whole.map { isAround($0, $1) ? $2 : expected[$0 - x, $1 - y] })
            let truth = result.truth(121, 111)
            #expect(!truth.isEmpty && truth == alone.truth(121, 111))
        }
    }

    @Test("Frames too small for anybody go on as they are", arguments: [(1, 1), (95, 300), (300, 107), (60, 60)])
    func small(_ width: Int, _ height: Int) throws {
        for format in [FrameFormat(.rgb), .i420, .yuy2] {
            let scene = try SceneHarness([("scene", "both")], format: format, width: width, height: height)
            let memory = try FrameMemory(format, width, height)
            let given = try memory.buffer()
            let result = try scene.harness.process(giving: given.reference)
            #expect(result.pointer == given.pointer)
            #expect(try TestFrame.memory(of: result) == TestFrame.memory(of: memory.buffer()))
            #expect(result.regions.isEmpty)
        }
    }

    @Test("Nobody is in a scene of none")
    func nobody() throws {
        let scene = try SceneHarness([("count", "0")])
        let given = try FrameMemory(scene.format, scene.width, scene.height).buffer()
        #expect(try scene.harness.process(giving: given.reference).pointer == given.pointer)
    }

    @Test("A shared buffer stays as it was")
    func shared() throws {
        let scene = try SceneHarness()
        let memory = try FrameMemory(scene.format, scene.width, scene.height)
        let given = try memory.buffer()
        #expect(scene.harness.push(given) == GST_FLOW_OK)
        let result = try scene.harness.pull()
        #expect(result.pointer != given.pointer)
        #expect(given.regions.isEmpty)
        #expect(try TestFrame.memory(of: given) == TestFrame.memory(of: memory.buffer()))
        #expect(result.regions.count == 1)
    }

    @Test("Sizes change in the middle of the stream")
    func renegotiation() throws {
        let scene = try SceneHarness([("scene", "both")])
        for (width, height) in [(121, 111), (1, 1), (250, 111), (121, 240), (121, 111)] {
            scene.setCaps(width, height)
            let memory = try FrameMemory(scene.format, width, height)
            let result = try scene.harness.process(giving: memory.buffer().reference)
            let entities = Scene(.both, count: 2, width: width, height: height).entities(at: 0)
            let truth = result.truth(width, height)
            #expect(truth.areTruth(of: entities) || (entities.isEmpty && truth.isEmpty))
        }
    }
}
