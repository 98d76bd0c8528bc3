// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
@testable import Elements
import Imaging
import Scenes
import TestScope
import TestSupport
import Testing

/// Frames of drawn scenes with the metadata of svfacedetect.
struct MarkedScenes: Sendable {
    static let width = 960
    static let height = 540
    /// The number of faces in each scene.
    static let counts = TestScope.choose([0, 1, 20], all: [0, 1, 4, 20])

    /// The scenes. The test process creates them only once.
    static let shared = Result { try MarkedScenes() }

    private let buffers: [[Buffer]]
    private let caps: String

    private init() throws {
        let empty = TestFrame(.bgra, Self.width, Self.height, color: Color(gray: 98))
        caps = empty.caps()
        buffers = try Self.counts.map { count in
            let line = try pipeline(
                "appsrc name=in format=time caps=\(empty.caps()) ! svfacedetect draw=false mode=sync interval=1 "
                    + "! appsink name=out sync=false")
            try line.play()
            let faces = DrawnFaces(.faces, count: max(1, count), seed: 5, width: Self.width, height: Self.height)
            // svfacedetect reports an uncertain face only after a few frames.
            for number in 0..<8 {
                let picture = count == 0 ? empty : try faces.frame(at: Double(number) / 25).picture
                try line.push(picture, into: "in", at: UInt64(number) * 40_000_000)
            }
            try line.end("in")
            return try line.pullAll().suffix(2).map(\.buffer)
        }
    }

    /// Returns the areas that svoverlay must hide in the frames of a scene.
    /// - Parameter size: the size of the frames. GStreamer scales the boxes together with the frames, and rounds down.
    func heads(_ scene: Int, in size: PixelSize) -> [Rectangle] {
        // The areas depend on the boxes of earlier frames, because svoverlay enlarges boxes that have become smaller.
        var boxes = SteadyBoxes()
        let steady = buffers[...scene].map { frames in
            frames.flatMap { frame in
                boxes.steady(
                    frame.detections(Self.width, Self.height).filter { $0.type.rawValue.hasSuffix("face") }.map {
                        face in
                        var face = face
                        face.box = Rectangle(
                            x: face.box.x * size.width / Self.width, y: face.box.y * size.height / Self.height,
                            width: face.box.width * size.width / Self.width,
                            height: face.box.height * size.height / Self.height)
                        return face
                    })
            }
        }
        return steady.suffix(1).flatMap(\.self)
            .map {
                let size = max($0.box.width, $0.box.height)
                // If a face may be a cat's face, svoverlay also hides the area of the ears.
                let above = size * ($0.type == .face && $0.alternative == nil ? 2 : 3) / 5
                return Rectangle(
                    x: $0.box.x - size / 4, y: $0.box.y - above, width: $0.box.width + size / 2,
                    height: $0.box.height + above + size / 4)
            }
    }

    /// Returns the frames after some elements and an svoverlay that hides faces. Returns nil if svoverlay ends with an
    /// error.
    func shown(through chain: String) throws -> [(scene: Int, frame: TestFrame)]? {
        try frames(through: chain, then: "svoverlay pixelate-faces=true boxes=false labels=false landmarks=false")
    }

    /// Returns the frames after some elements, with the index of their scene. Returns nil if the pipeline ends with an
    /// error of svfacedetect.
    func frames(through chain: String, then end: String) throws -> [(scene: Int, frame: TestFrame)]? {
        let line = try pipeline(
            "appsrc name=in format=time caps=\(caps) ! videoconvert ! \(chain) ! videoconvert ! \(end) ! videoconvert "
                + "! video/x-raw,format=BGRA ! appsink name=out sync=false")
        try line.play()
        var number: UInt64 = 0
        for buffer in buffers.joined() {
            let copy = Buffer(taking: try required(gst_buffer_copy(buffer.pointer), "no copy"))
            copy.pointer.pointee.pts = GstClockTime(number * 40_000_000)
            copy.pointer.pointee.duration = 40_000_000
            try line.push(copy, into: "in")
            number += 1
        }
        try line.end("in")
        let samples: [Sample]
        do {
            samples = try line.pullAll()
        } catch {
            guard "\(error)".contains("svfacedetect") else { throw error }
            return nil
        }
        return samples.map { sample in
            // x264enc adds 1000 hours to timestamps.
            let index = Int(sample.pts % 3_600_000_000_000_000 / 40_000_000)
            let perScene = buffers.first?.count ?? 1
            return (min(max(0, index / perScene), buffers.count - 1), sample.frame)
        }
    }
}

/// Filters for raw video in the registry of GStreamer.
enum RawVideoFilters {
    /// Returns the names of a plugin's elements that have one sink pad and one source pad for raw video.
    static func of(plugin: String) -> [String] {
        guard let registry = gst_registry_get(),
            let features = gst_registry_get_feature_list_by_plugin(registry, plugin)
        else { return [] }
        defer { gst_plugin_feature_list_free(features) }
        var names: [String] = []
        var item: UnsafeMutablePointer<GList>? = features
        while let link = item {
            item = link.pointee.next
            guard let feature = link.pointee.data,
                g_type_check_instance_is_a(
                    feature.assumingMemoryBound(to: GTypeInstance.self), gst_element_factory_get_type()) != 0,
                isFilter(OpaquePointer(feature)),
                let name = gst_object_get_name(feature.assumingMemoryBound(to: GstObject.self))
            else { continue }
            names.append(String(cString: name))
            g_free(name)
        }
        return names.sorted()
    }

    private static func isFilter(_ factory: OpaquePointer) -> Bool {
        let raw = gst_caps_from_string("video/x-raw")
        defer { gst_caps_unref(raw) }
        var sides: [GstPadDirection: Int] = [:]
        var item = gst_element_factory_get_static_pad_templates(factory)
        while let link = item {
            item = UnsafePointer(link.pointee.next)
            guard let template = link.pointee.data?.assumingMemoryBound(to: GstStaticPadTemplate.self).pointee else {
                continue
            }
            var stored = template.static_caps
            guard let caps = gst_static_caps_get(&stored) else { continue }
            defer { gst_caps_unref(caps) }
            guard gst_caps_can_intersect(caps, raw) != 0 else { continue }
            sides[template.direction, default: 0] += 1
        }
        return sides[GST_PAD_SINK] == 1 && sides[GST_PAD_SRC] == 1
    }
}

extension GstPadDirection: @retroactive Hashable {}
