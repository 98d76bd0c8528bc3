// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import CGStreamerCheck
@testable import ElementKit
import Imaging
import Scenes
import TestSupport

/// svtestscene between pads of the test, for frames of any format.
struct SceneHarness {
    let harness: Harness
    let format: FrameFormat
    let width: Int
    let height: Int

    /// The default size is the smallest size that has space for an entity.
    init(
        _ properties: [(String, String)] = [], format: FrameFormat = FrameFormat(.bgra), width: Int = 121,
        height: Int = 111, rate: String = "25/1"
    ) throws {
        guard GStreamer.isReady else { throw TestFailure("the elements are not registered") }
        harness = try Harness("svtestscene", properties, like: TestFrame(.bgra, 1, 1, color: Color(gray: 0)))
        (self.format, self.width, self.height) = (format, width, height)
        setCaps(width, height, rate: rate)
    }

    func setCaps(_ width: Int, _ height: Int, rate: String = "25/1") {
        gst_harness_set_src_caps_str(
            harness.harness,
            "video/x-raw,format=\(format.name),width=\(width),height=\(height),framerate=\(rate)")
    }

    /// Pushes a plain frame, and pulls the result.
    func process(at pts: UInt64? = 0) throws -> Buffer {
        try harness.process(giving: FrameMemory(format, width, height).buffer(at: pts).reference)
    }

    /// Returns the entities in the frame at `pts`, as the metadata describes them.
    func truth(at pts: UInt64? = 0) throws -> [Detection] { try process(at: pts).truth(width, height) }
}

extension Buffer {
    /// Returns the ground truth in the buffer for a frame of this size, as elements downstream read it.
    func truth(_ width: Int, _ height: Int) -> [Detection] {
        DetectionMeta(buffer: pointer, size: PixelSize(width: width, height: height)).detections(truth: true)
    }
}

extension Detection {
    /// Returns true if the detection is the ground truth of an entity, with the precision of the metadata.
    func isTruth(of entity: SceneEntity, within tolerance: Double = 1e-6) -> Bool {
        guard let landmarks, type == (entity.kind == .human ? "truth/face" : "truth/cat-face") else { return false }
        let pairs = [
            (landmarks.leftEye, entity.leftEye), (landmarks.rightEye, entity.rightEye), (landmarks.nose, entity.nose),
            (landmarks.mouthLeft, entity.mouthLeft), (landmarks.mouthRight, entity.mouthRight),
        ]
        return box == entity.rectangle && confidence == 1 && landmarks.isLeftEyeFound && landmarks.isRightEyeFound
            && pairs.allSatisfy { abs($0.x - $1.x) < tolerance && abs($0.y - $1.y) < tolerance }
    }
}

extension [Detection] {
    /// Returns true if the detections are the ground truth of the entities, in the same order.
    func areTruth(of entities: [SceneEntity]) -> Bool {
        count == entities.count && !isEmpty && zip(self, entities).allSatisfy { $0.isTruth(of: $1) }
    }
}

/// The parameter `landmarks` of a region. It is read without code of this project. The variant in this parameter cannot
/// be converted to text.
struct LandmarkFields {
    let format: String
    /// Coordinates of the landmarks in the order of the metadata. `named` contains the values of the named fields.
    /// `bytes` contains the values from the bytes of the variant.
    var named: [Double] = []
    var bytes: [Float] = []
    /// One value per eye: true if the detector has detected the eye.
    var found: [Bool] = []

    init(_ region: GstVideoRegionOfInterestMeta) throws {
        var region = region
        let structure = try required(gst_video_region_of_interest_meta_get_param(&region, "landmarks"), "no landmarks")
        format = try String(cString: required(gst_structure_get_string(structure, "format"), "no format"))
        for name in ["left_eye", "right_eye", "nose", "mouth_left", "mouth_right"] {
            for axis in ["x", "y"] {
                var value = 0.0
                if gst_structure_get_double(structure, "\(name)_\(axis)", &value) != 0 { named.append(value) }
            }
        }
        for eye in ["left_eye", "right_eye"] {
            var value: gboolean = 0
            if gst_structure_get_boolean(structure, "\(eye)_found", &value) != 0 { found.append(value != 0) }
        }
        let value = try required(gst_structure_get_value(structure, "data_buffer"), "no bytes")
        var count: gsize = 0
        let data = g_variant_get_fixed_array(g_value_get_variant(value), &count, 1)
        bytes = Array(UnsafeRawBufferPointer(start: data, count: Int(count)).bindMemory(to: Float.self))
    }
}

/// The memory layout of frames of any format, from GStreamer's tables.
struct FrameMemory {
    let info: GstVideoInfo
    let format: FrameFormat
    let width: Int
    let height: Int
    /// The value of all visible bytes of a plain frame.
    static let plain: UInt8 = 0x60
    static let filler: UInt8 = 0xA5

    init(_ format: FrameFormat, _ width: Int, _ height: Int) throws {
        var info = GstVideoInfo()
        guard
            gst_video_info_set_format(
                &info, GstVideoFormat(named: format.name), UInt32(width), UInt32(height)) != 0
        else { throw TestFailure("no such format") }
        (self.info, self.format, self.width, self.height) = (info, format, width, height)
    }

    private func allocate(_ size: gsize, _ byte: UInt8) throws -> Buffer {
        let buffer = try required(gst_buffer_new_allocate(nil, size, nil), "no memory")
        gst_buffer_memset(buffer, 0, byte, size)
        return Buffer(taking: buffer)
    }

    /// Returns a plain frame in GStreamer's default layout.
    func buffer(at pts: UInt64? = 0) throws -> Buffer {
        let buffer = try allocate(info.size, Self.plain)
        buffer.pointer.pointee.pts = pts.map { GstClockTime($0) } ?? .max
        return buffer
    }

    /// Returns a plain frame with filler bytes before each plane and after each row. A GstVideoMeta describes this
    /// layout.
    func buffer(padding: Int) throws -> Buffer {
        let strides = [info.stride.0, info.stride.1, info.stride.2, info.stride.3].map { $0 + gint(padding) }
        var offsets: [gsize] = []
        var size: gsize = 0
        for (plane, layout) in format.planes.enumerated() {
            size += gsize(padding)
            offsets.append(size)
            size += gsize(Int(strides[plane]) * layout.unitRows(height: height))
        }
        let buffer = try allocate(size, Self.filler)
        var (places, steps) = (offsets, Array(strides.prefix(offsets.count)))
        gst_buffer_add_video_meta_full(
            buffer.pointer, GST_VIDEO_FRAME_FLAG_NONE, GstVideoFormat(named: format.name), UInt32(width),
            UInt32(height), UInt32(offsets.count), &places, &steps)
        buffer.pointer.pointee.pts = 0
        try copy(self.buffer(), to: buffer)
        return buffer
    }

    /// Copies the visible bytes of a frame from `source` to `target`.
    func copy(_ source: Buffer, to target: Buffer) throws {
        var (from, to) = (GstVideoFrame(), GstVideoFrame())
        var info = info
        guard gst_video_frame_map(&from, &info, source.pointer, GST_MAP_READ) != 0 else {
            throw TestFailure("a buffer cannot be mapped")
        }
        defer { gst_video_frame_unmap(&from) }
        guard gst_video_frame_map(&to, &info, target.pointer, GST_MAP_WRITE) != 0 else {
            throw TestFailure("a buffer cannot be mapped")
        }
        defer { gst_video_frame_unmap(&to) }
        guard gst_video_frame_copy(&to, &from) != 0 else { throw TestFailure("a frame cannot be copied") }
    }

    /// Returns the visible bytes of a frame, in GStreamer's default layout.
    func visible(_ buffer: Buffer) throws -> [UInt8] {
        let plain = try self.buffer()
        try copy(buffer, to: plain)
        return TestFrame.memory(of: plain)
    }
}
