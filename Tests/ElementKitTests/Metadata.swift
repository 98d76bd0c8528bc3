// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import TestSupport
import Testing

private let customMetaName = "svtestmeta"

private let customMetaIsRegistered: Bool = {
    var tags: [UnsafePointer<CChar>?] = [nil]
    return gst_meta_register_custom(customMetaName, &tags, nil, nil, nil) != nil
}()

/// Adds three kinds of metadata: a region with a parameter, a custom structure, and a reference timestamp.
func addMetadata(to buffer: Buffer) throws {
    guard customMetaIsRegistered else { throw TestFailure("no custom meta") }
    try buffer.addRegion(
        "face", id: 17, [1, 2, 3, 4], parameter: "detection, confidence=(double)0.75, label=(string)cat")
    let custom = try required(gst_buffer_add_custom_meta(buffer.pointer, customMetaName), "no custom meta")
    var answer = GValue()
    g_value_init(&answer, Int32.valueType)
    g_value_set_int(&answer, 42)
    gst_structure_set_value(gst_custom_meta_get_structure(custom), "answer", &answer)
    let caps = gst_caps_from_string("timestamp/x-test")
    gst_buffer_add_reference_timestamp_meta(buffer.pointer, caps, 1234, 5678)
    gst_caps_unref(caps)
}

/// Expects that the buffer has each metadata of `addMetadata` exactly once.
func expectMetadata(of buffer: Buffer) throws {
    #expect(buffer.regions.count == 1)
    let region = try #require(buffer.regions.first)
    #expect([region.x, region.y, region.w, region.h] == [1, 2, 3, 4])
    #expect(region.id == 17)
    #expect(region.parent_id == -1)
    let face = g_quark_from_string("face")
    #expect(region.roi_type == face)
    #expect(g_list_length(region.params) == 1)
    let parameter = try #require(region.params?.pointee.data).assumingMemoryBound(to: GstStructure.self)
    let text = try #require(gst_structure_to_string(parameter))
    defer { g_free(text) }
    let fields = try #require(Fields(String(cString: text)))
    #expect(fields.name == "detection")
    #expect(fields.double("confidence") == 0.75)
    #expect(fields.text("label") == "cat")

    let custom = try required(gst_buffer_get_custom_meta(buffer.pointer, customMetaName), "no custom meta")
    var answer: gint = 0
    let hasAnswer = gst_structure_get_int(gst_custom_meta_get_structure(custom), "answer", &answer) != 0
    #expect(hasAnswer)
    #expect(answer == 42)

    let time = try #require(
        buffer.meta(gst_reference_timestamp_meta_api_get_type(), as: GstReferenceTimestampMeta.self)?.pointee)
    #expect(time.timestamp == 1234)
    #expect(time.duration == 5678)
}
