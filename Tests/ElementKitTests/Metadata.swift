import CGStreamer
import ElementKit
import TestSupport
import Testing

private let customMetaName = "svtestmeta"

private let customMetaIsRegistered: Bool = {
    var tags: [UnsafePointer<CChar>?] = [nil]
    return gst_meta_register_custom(customMetaName, &tags, nil, nil, nil) != nil
}()

/// Metadata of several kinds: a region with a parameter, a custom structure, a reference time stamp.
func addMetadata(to buffer: Buffer) throws {
    guard customMetaIsRegistered else { throw TestFailure("no custom meta") }
    let region = try required(
        gst_buffer_add_video_region_of_interest_meta(buffer.pointer, "face", 1, 2, 3, 4), "no region")
    region.pointee.id = 17
    region.pointee.parent_id = -1
    gst_video_region_of_interest_meta_add_param(
        region, gst_structure_from_string("detection, confidence=(double)0.75, label=(string)cat", nil))
    let custom = try required(gst_buffer_add_custom_meta(buffer.pointer, customMetaName), "no custom meta")
    gst_structure_set_value(gst_custom_meta_get_structure(custom), "answer", number(42))
    let caps = gst_caps_from_string("timestamp/x-test")
    gst_buffer_add_reference_timestamp_meta(buffer.pointer, caps, 1234, 5678)
    gst_caps_unref(caps)
}

/// Expects what `addMetadata` added, each once.
func expectMetadata(of buffer: Buffer) throws {
    #expect(buffer.regions.count == 1)
    let region = try #require(buffer.regions.first)
    #expect([region.x, region.y, region.w, region.h] == [1, 2, 3, 4])
    #expect(region.id == 17)
    #expect(region.parent_id == -1)
    #expect(region.roi_type == g_quark_from_string("face"))
    #expect(g_list_length(region.params) == 1)
    let parameter = try #require(region.params?.pointee.data).assumingMemoryBound(to: GstStructure.self)
    let text = try #require(gst_structure_to_string(parameter))
    defer { g_free(text) }
    let fields = try #require(Fields(String(cString: text)))
    #expect(fields.name == "detection")
    #expect(fields.double("confidence") == 0.75)
    #expect(fields.text("label") == "cat")

    let custom = try #require(gst_buffer_get_custom_meta(buffer.pointer, customMetaName))
    var answer: gint = 0
    #expect(gst_structure_get_int(gst_custom_meta_get_structure(custom), "answer", &answer) != 0)
    #expect(answer == 42)

    let time = try #require(
        buffer.meta(gst_reference_timestamp_meta_api_get_type(), as: GstReferenceTimestampMeta.self)?.pointee)
    #expect(time.timestamp == 1234)
    #expect(time.duration == 5678)
}

private func number(_ number: Int32) -> UnsafeMutablePointer<GValue> {
    // As long as the process; one for each test that needs it.
    let value = UnsafeMutablePointer<GValue>.allocate(capacity: 1)
    value.initialize(to: GValue())
    g_value_init(value, Int32.valueType)
    g_value_set_int(value, number)
    return value
}
