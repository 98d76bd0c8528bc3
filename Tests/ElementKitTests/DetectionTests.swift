// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
@testable import ElementKit
import Imaging
import TestSupport
import Testing

@Suite("Detections on a buffer")
struct DetectionTests {
    private let size = PixelSize(width: 200, height: 100)
    private let face = Detection(
        type: "face", id: 41, box: Rectangle(x: 20, y: 10, width: 40, height: 50), label: "Ada", labelID: 7,
        confidence: 0.75,
        landmarks: FaceLandmarks(
            leftEye: Point(30, 30), rightEye: Point(50, 25), nose: Point(40, 40), mouthLeft: Point(32, 50),
            mouthRight: Point(64, 52.5), isRightEyeFound: false),
        classifications: [
            Classification(name: "person", label: "Ada", labelID: 3, confidence: 0.5, modelName: "lbph", distance: 12.5)
        ])

    private func makeBuffer() throws -> Buffer {
        _ = GStreamer.isReady
        return try TestFrame(.gray8, 200, 100, seed: 1).buffer()
    }

    private func meta(_ buffer: Buffer) -> DetectionMeta { DetectionMeta(buffer: buffer.pointer, size: size) }

    @Test("A region has the structures and fields that DL Streamer knows")
    func fields() throws {
        let buffer = try makeBuffer()
        meta(buffer).attach([face])
        let region = try #require(buffer.regions.first)
        #expect([region.x, region.y, region.w, region.h] == [20, 10, 40, 50])
        #expect(region.id == 41 && region.parent_id == -1)
        let detection = try #require(Buffer.parameter("detection", of: region))
        #expect(detection.text("label") == "Ada")
        #expect(detection.int("label_id") == 7)
        #expect(detection.double("confidence") == 0.75)
        let edges = ["x_min", "x_max", "y_min", "y_max"].map { detection.double($0) }
        #expect(edges == [0.1, 0.3, 0.1, 0.6])
        #expect(Buffer.parameter("object_id", of: region)?.int("id") == 41)
        let person = try #require(Buffer.parameter("person", of: region))
        #expect(person.text("attribute_name") == "person")
        #expect(person.text("model_name") == "lbph")
        #expect(person.double("distance") == 12.5)
    }

    @Test("Closed eyes, a found mouth and the angles of a face are fields of its landmarks, and are read again")
    func faceDetails() throws {
        let buffer = try makeBuffer()
        var detailed = face
        detailed.landmarks?.isMouthFound = false
        detailed.landmarks?.closedEyes = ClosedEyes(left: true, right: false)
        detailed.landmarks?.pose = HeadPose(roll: 3.5, yaw: -40, pitch: 12)
        meta(buffer).attach([detailed])
        var region = try #require(buffer.regions.first)
        let fields = StructureView(
            try required(gst_video_region_of_interest_meta_get_param(&region, "landmarks"), "no landmarks"))
        #expect(fields.bool("mouth_found") == false)
        #expect(fields.bool("left_eye_closed") == true && fields.bool("right_eye_closed") == false)
        #expect(["roll", "yaw", "pitch"].map { fields.double($0) } == [3.5, -40, 12])
        #expect(meta(buffer).detections(truth: false).first?.landmarks == detailed.landmarks)
    }

    @Test("Unknown closed eyes and angles have no fields")
    func unknownDetails() throws {
        let buffer = try makeBuffer()
        meta(buffer).attach([face])
        var region = try #require(buffer.regions.first)
        let fields = StructureView(
            try required(gst_video_region_of_interest_meta_get_param(&region, "landmarks"), "no landmarks"))
        #expect(["left_eye_closed", "right_eye_closed"].allSatisfy { fields.bool($0) == nil })
        #expect(["roll", "yaw", "pitch"].allSatisfy { fields.double($0) == nil })
        let landmarks = try #require(meta(buffer).detections(truth: false).first?.landmarks)
        #expect(landmarks.closedEyes == nil && landmarks.pose == nil && landmarks.isMouthFound)
    }

    @Test("Possible detections are regions, but only those who ask for them get them")
    func possible() throws {
        let buffer = try makeBuffer()
        var possible = face
        (possible.type, possible.id) = (face.type.possible, 0)
        meta(buffer).attach([face, possible], searched: ["face", "possible-face"])
        #expect(buffer.regions.count == 2)
        #expect(meta(buffer).detections(truth: false).map(\.type) == ["face"])
        #expect(meta(buffer).detections.filter(\.type.isPossible).map(\.type.rawValue) == ["possible-face"])
        #expect(possible.type.certain == "face" && face.type.certain == "face")
        #expect(meta(buffer).search(for: "possible-face") == .searched)
    }

    @Test("Landmarks: named fields, and float32 pairs in a variant, as shares of the region")
    func landmarks() throws {
        let buffer = try makeBuffer()
        meta(buffer).attach([face])
        var region = try #require(buffer.regions.first)
        let structure = try required(gst_video_region_of_interest_meta_get_param(&region, "landmarks"), "no landmarks")
        let value = try required(gst_structure_get_value(structure, "data_buffer"), "no data")
        let variant = try #require(g_value_get_variant(value))
        let type = try #require(g_variant_get_type_string(variant))
        #expect(String(cString: type) == "ay")
        var count: gsize = 0
        let bytes = try #require(g_variant_get_fixed_array(variant, &count, 1))
        let floats = [Float](
            UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: Float.self), count: Int(count) / 4))
        #expect(floats == [0.25, 0.4, 0.75, 0.3, 0.5, 0.6, 0.3, 0.8, 1.1, 0.85])
        var (x, found): (Double, gboolean) = (0, 1)
        let hasX = gst_structure_get_double(structure, "mouth_right_x", &x) != 0
        let hasFound = gst_structure_get_boolean(structure, "right_eye_found", &found) != 0
        #expect(hasX && x == 1.1)
        #expect(hasFound && found == 0)
        let format = gst_structure_get_string(structure, "format").map { String(cString: $0) }
        #expect(format == "landmark_points")
    }

    @Test("What was attached is read again")
    func readAgain() throws {
        let buffer = try makeBuffer()
        var part = Detection(type: "logo", id: 42, box: Rectangle(x: 0, y: 0, width: 1, height: 1))
        part.parent = 41
        let truth = Detection(
            type: "truth/face", id: 43, box: Rectangle(x: 5, y: 5, width: 9, height: 9), confidence: 1)
        meta(buffer).attach([face, part, truth], searched: ["face"])
        #expect(meta(buffer).detections(truth: false) == [face, part])
        #expect(meta(buffer).detections(truth: true) == [truth])
        #expect(meta(buffer).search(for: "face") == .searched)
        #expect(meta(buffer).search(for: "cat-face") != .searched)
    }

    @Test("A detector's doubt comes along")
    func alternative() throws {
        let doubtful = Detection(
            type: .face, alternative: .catFace, id: 4, box: Rectangle(x: 10, y: 20, width: 30, height: 40))
        let buffer = try makeBuffer()
        meta(buffer).attach([doubtful])
        let region = try #require(buffer.regions.first)
        #expect(Buffer.parameter("detection", of: region)?.text("alternative") == "cat-face")
        #expect(meta(buffer).detections(truth: false) == [doubtful])
    }

    @Test("That a box is exact comes along, until pixels move")
    func exact() throws {
        var face = Detection(type: .face, id: 4, box: Rectangle(x: 10, y: 20, width: 30, height: 40))
        face.isExact = true
        let buffer = try makeBuffer()
        meta(buffer).attach([face])
        let region = try #require(buffer.regions.first)
        #expect(Buffer.parameter("detection", of: region)?.bool("exact") == true)
        #expect(meta(buffer).detections(truth: false) == [face])
        meta(buffer).move { [MappedRegion(box: $0) { $0 }] }
        face.isExact = false
        #expect(meta(buffer).detections(truth: false) == [face])
    }

    @Test("An outline: float32 pairs in a variant, as shares of the region, its area and colour")
    func outline() throws {
        let buffer = try makeBuffer()
        // All values are multiples of 1/4, so that nothing is rounded.
        let blob = Detection(
            type: "blob", id: 9, box: Rectangle(x: 10, y: 20, width: 32, height: 16),
            outline: Outline(
                corners: [Point(10, 20), Point(42, 24), Point(26, 36)], area: 128, color: 0xFF0A_B0C0))
        meta(buffer).attach([blob])
        var region = try #require(buffer.regions.first)
        let structure = try required(gst_video_region_of_interest_meta_get_param(&region, "outline"), "no outline")
        let text = try required(
            gst_structure_to_string(structure).map { text in
                defer { g_free(text) }
                return String(cString: text)
            }, "no text")
        #expect(text.contains("area=(double)0.25") && text.contains("0ab0c0") && text.contains("contour_points"))
        #expect(meta(buffer).detections(truth: false) == [blob])
        // A converter drops the parameters of regions. This is the same case.
        let bare = try makeBuffer()
        meta(bare).attach([blob])
        for region in bare.regions {
            var region = region
            gst_structure_remove_all_fields(gst_video_region_of_interest_meta_get_param(&region, "outline"))
        }
        #expect(meta(bare).detections(truth: false).first?.outline == nil)
    }

    @Test(
        "Outlines that make no sense are none",
        arguments: [[], [0.1, 0.2, 0.3], [0, 0, 1, 1], [0, 0, 1, .nan, 1, 0], [0, 0, 1, 3e38, 1, 0]] as [[Float]])
    func senselessOutline(_ floats: [Float]) throws {
        var structure = Structure("outline")
        structure.set("data_buffer", bytesOf: floats)
        let outline = structure.withView { Outline($0, in: Rectangle(width: 9, height: 9)) }
        #expect(outline == .some(nil))
    }

    @Test("Nothing found is told too, and survives a copy of the buffer")
    func searched() throws {
        let buffer = try makeBuffer()
        meta(buffer).attach([], searched: ["face", "cat-face"])
        let copy = Buffer(taking: try #require(gst_buffer_copy(buffer.pointer)))
        #expect(meta(copy).search(for: "cat-face") == .searched)
        #expect(meta(copy).detections(truth: false).isEmpty)
    }

    @Test("Who searches the stream, but has not searched this frame, says so")
    func unsearched() throws {
        let buffer = try makeBuffer()
        #expect(!meta(buffer).search(for: "face").isMarked)
        meta(buffer).attach([], searched: ["logo"], unsearched: ["face", "cat-face"])
        #expect(meta(buffer).search(for: "face").isMarked && meta(buffer).search(for: "face") != .searched)
        #expect(!meta(buffer).search(for: "blob").isMarked)
        let copy = Buffer(taking: try #require(gst_buffer_copy(buffer.pointer)))
        #expect(meta(copy).search(for: "face").isMarked && meta(copy).search(for: "face") != .searched)
        // If one element has searched for a type, the type counts as searched. The order of the elements does not
        // matter.
        meta(buffer).attach([], searched: ["face"], unsearched: ["logo"])
        #expect(meta(buffer).search(for: "face") == .searched && meta(buffer).search(for: "logo") == .searched)
        #expect(meta(buffer).search(for: "cat-face") != .searched)
    }

    @Test("Boxes are cut off at the frame's edges; what is outside is left out")
    func clipped() throws {
        let buffer = try makeBuffer()
        meta(buffer).attach([
            Detection(type: "face", id: 1, box: Rectangle(x: -10, y: 90, width: 30, height: 30)),
            Detection(type: "face", id: 2, box: Rectangle(x: 200, y: 0, width: 30, height: 30)),
            Detection(type: "face", id: 3, box: Rectangle(x: .min, y: .min, width: .max, height: .max)),
            Detection(type: "face", id: 4, box: Rectangle(x: 10, y: 10, width: 0, height: 5)),
        ])
        let found = meta(buffer).detections(truth: false)
        #expect(found.map(\.id) == [1])
        #expect(found.first?.box == Rectangle(x: 0, y: 90, width: 20, height: 10))
    }

    @Test("A later element completes a detection and leaves what others told")
    func completed() throws {
        let buffer = try makeBuffer()
        meta(buffer).attach([face])
        var region = try #require(buffer.regions.first)
        gst_video_region_of_interest_meta_add_param(&region, gst_structure_from_string("color, label=(string)red", nil))
        var named = face
        named.label = "Grace"
        named.landmarks = nil
        named.classifications = [Classification(name: "person", label: "Grace")]
        meta(buffer).attach([named])
        let found = try #require(meta(buffer).detections(truth: false).first)
        #expect(buffer.regions.count == 1)
        #expect(found.label == "Grace")
        #expect(found.landmarks == face.landmarks)
        #expect(Set(found.classifications.map(\.label)) == ["Grace", "red"])
        // A structure with the same name is updated. Fields that are missing in the second structure keep their values.
        #expect(found.classifications.first { $0.name == "person" }?.modelName == "lbph")
    }

    @Test("Without parameters the custom metadata counts, and without that the box alone")
    func fallbacks() throws {
        let buffer = try makeBuffer()
        meta(buffer).attach([face])
        // Stock converters copy the region in the new size, without its parameters.
        let converted = try makeBuffer()
        let custom = try required(gst_buffer_get_custom_meta(buffer.pointer, "svdetections"), "no custom metadata")
        let copy = try required(gst_buffer_add_custom_meta(converted.pointer, "svdetections"), "no custom metadata")
        let source = try #require(gst_custom_meta_get_structure(custom))
        for index in 0..<gst_structure_n_fields(source) {
            let name = gst_structure_nth_field_name(source, guint(index))
            gst_structure_set_value(gst_custom_meta_get_structure(copy), name, gst_structure_get_value(source, name))
        }
        try converted.addRegion("face", id: 41, [10, 5, 20, 25])
        try converted.addRegion("face", id: 99, [100, 5, 20, 25])
        let found = meta(converted).detections(truth: false)
        #expect(found.map(\.id) == [41, 99])
        let known = try #require(found.first)
        #expect(known.label == "Ada")
        #expect(known.confidence == 0.75)
        // The frame has half the size. The landmarks are relative to the region.
        #expect(known.landmarks?.leftEye == Point(15, 15))
        #expect(known.landmarks?.isRightEyeFound == false)
        #expect(known.classifications.map(\.label) == ["Ada"])
        let bare = try #require(found.last)
        #expect(bare.label == "face")
        #expect(bare.confidence == nil && bare.landmarks == nil)
    }

    @Test("A later element completes what a converter has left")
    func completedAfterConversion() throws {
        let buffer = try makeBuffer()
        meta(buffer).attach([face])
        let converted = Buffer(taking: try #require(gst_buffer_copy(buffer.pointer)))
        var cursor: gpointer?
        let api = gst_video_region_of_interest_meta_api_get_type()
        let region = try #require(gst_buffer_iterate_meta_filtered(converted.pointer, &cursor, api))
        #expect(gst_buffer_remove_meta(converted.pointer, region) != 0)
        try converted.addRegion("face", id: 41, [20, 10, 40, 50])
        var named = Detection(type: "face", id: 41, box: face.box, label: "Grace")
        named.classifications = [Classification(name: "smile", label: "smiling")]
        meta(converted).attach([named])
        let found = try #require(meta(converted).detections(truth: false).first)
        #expect(converted.regions.count == 1)
        #expect(found.label == "Grace" && found.confidence == 0.75)
        #expect(found.landmarks == face.landmarks)
        #expect(Set(found.classifications.map(\.label)) == ["Ada", "smiling"])
    }

    @Test("A region of others that is partly outside is cut off; its landmarks stay in their places")
    func partlyOutside() throws {
        let buffer = try makeBuffer()
        try buffer.addRegion(
            "face", id: 5, [180, 60, 40, 80],
            parameter: "landmarks, left_eye_x=0.25, left_eye_y=0.25, right_eye_x=0.75, right_eye_y=0.25, nose_x=0.5, "
                + "nose_y=0.5, mouth_left_x=0.25, mouth_left_y=0.75, mouth_right_x=0.75, mouth_right_y=0.75")
        let found = try #require(meta(buffer).detections(truth: false).first)
        #expect(found.box == Rectangle(x: 180, y: 60, width: 20, height: 40))
        #expect(found.landmarks?.rightEye == Point(210, 80))
        #expect(found.landmarks?.mouthLeft == Point(190, 120))
    }

    @Test("A region of another element that happens to have our number keeps to its own")
    func otherNumbers() throws {
        let buffer = try makeBuffer()
        meta(buffer).attach([face])
        try buffer.addRegion("blob", id: 41, [100, 5, 20, 25])
        let blob = try #require(meta(buffer).detections(truth: false).first { $0.type == "blob" })
        #expect(blob.label == "blob" && blob.confidence == nil && blob.landmarks == nil)
    }

    @Test("Fields of the wrong type, or no numbers, are as good as missing")
    func malformed() throws {
        let buffer = try makeBuffer()
        try buffer.addRegion(
            "face", id: 1, [1, 2, 3, 4],
            parameter: "detection, label=(int)5, confidence=(string)high, label_id=(double)1")
        let region = try #require(buffer.regions.first)
        #expect(region.id == 1)
        let found = try #require(meta(buffer).detections(truth: false).first)
        #expect(found.label == "face" && found.labelID == 0 && found.confidence == nil)
    }

    @Test("Ids are never the same")
    func ids() {
        let ids = (0..<100).map { _ in Detection.newID() }
        #expect(Set(ids).count == 100)
        #expect(ids.allSatisfy { $0 > 0 })
    }

    @Test("Detections pass stock videoconvert and videoscale: boxes scaled, parameters kept")
    func converters() throws {
        let line = try Pipeline(
            "appsrc name=in format=time caps=\(TestFrame(.gray8, 200, 100, seed: 1).caps()) ! videoconvert "
                + "! video/x-raw,format=I420 ! videoscale ! video/x-raw,width=400,height=300 ! videoconvert "
                + "! video/x-raw,format=RGB ! tee ! queue ! identity name=end ! fakesink")
        let probe = try FrameProbe(line.pad("end", "src"))
        try line.play()
        let buffer = try makeBuffer()
        meta(buffer).attach([face], searched: ["face"])
        try line.push(buffer, into: "in")
        try line.end("in")
        try line.finish()
        let result = try #require(probe.frames.first).buffer
        let scaled = DetectionMeta(buffer: result.pointer, size: PixelSize(width: 400, height: 300))
        let found = try #require(scaled.detections(truth: false).first)
        #expect(found.box == Rectangle(x: 40, y: 30, width: 80, height: 150))
        #expect(found.id == 41 && found.label == "Ada" && found.confidence == 0.75)
        #expect(found.landmarks?.leftEye == Point(60, 90))
        #expect(found.classifications == face.classifications)
        #expect(scaled.search(for: "face") == .searched)
    }
}
