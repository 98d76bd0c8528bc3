// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import ElementKit
import TestSupport

// Random metadata, as upstream detectors may attach it to a frame. It may be contradictory.

extension Dice {
    private static let types = [
        "face", "face", "cat-face", "hybrid-face", "blob", "logo", "truth/face", "truth/", "", "person", "\u{1}", "ß",
    ]
    private static let structures = [
        "detection", "object_id", "landmarks", "landmarks", "outline", "outline", "person", "blob-class", "smile",
        "species", "eyes", "x",
    ]
    private static let points = ["left_eye", "right_eye", "nose", "mouth_left", "mouth_right"]
    private static let fields =
        [
            "label", "label_id", "confidence", "x_min", "x_max", "y_min", "y_max", "id", "format", "data_buffer",
            "left_eye_found", "right_eye_found", "area", "mean_color", "attribute_name", "model_name", "distance",
            "roi_type", "frame-width", "frame-height", "x", "y", "width", "height", "count",
        ] + points.flatMap { ["\($0)_x", "\($0)_y"] }

    /// Adds regions, a search mark and a crop. Each of these is only added with some probability.
    mutating func addMetadata(to buffer: UnsafeMutablePointer<GstBuffer>, width: Int, height: Int) {
        if once(in: 2) {
            for _ in 0..<(once(in: 20) ? 300 : 1 + below(4)) { addRegion(to: buffer, width, height) }
        }
        if once(in: 3) { addMark(to: buffer, width, height) }
        if once(in: 4), let crop = gst_buffer_add_meta(buffer, gst_video_crop_meta_get_info(), nil) {
            UnsafeMutableRawPointer(crop).withMemoryRebound(to: GstVideoCropMeta.self, capacity: 1) {
                ($0.pointee.x, $0.pointee.y) = (length(width), length(height))
                ($0.pointee.width, $0.pointee.height) = (length(width), length(height))
            }
        }
    }

    /// In most cases returns a position within a length, otherwise any number.
    private mutating func length(_ whole: Int) -> UInt32 {
        once(in: 3) ? uint32() : UInt32(below(whole + (once(in: 3) ? 20 : 1)))
    }

    private mutating func addRegion(to buffer: UnsafeMutablePointer<GstBuffer>, _ width: Int, _ height: Int) {
        let type = once(in: 6) ? text() : pick(Self.types)
        guard
            let region = gst_buffer_add_video_region_of_interest_meta(
                buffer, type, length(width), length(height), length(width), length(height))
        else { return }
        region.pointee.id = once(in: 4) ? int32() : Int32(below(5))
        region.pointee.parent_id = once(in: 2) ? -1 : once(in: 2) ? int32() : Int32(below(5))
        if once(in: 30) { region.pointee.roi_type = 0 }
        for _ in 0..<below(4) { gst_video_region_of_interest_meta_add_param(region, structure()) }
    }

    private mutating func addMark(to buffer: UnsafeMutablePointer<GstBuffer>, _ width: Int, _ height: Int) {
        guard gst_meta_get_info("svdetections") != nil,
            let meta = gst_buffer_get_custom_meta(buffer, "svdetections")
                ?? gst_buffer_add_custom_meta(buffer, "svdetections"),
            let mark = gst_custom_meta_get_structure(meta)
        else { return }
        for _ in 0..<1 + below(6) {
            let type = pick(Self.types)
            switch below(6) {
            case 0: set("searched-\(type)", of: mark, boolean: once(in: 2))
            case 1: set("changed-\(type)", of: mark, boolean: once(in: 2))
            case 2: set("scope-\(type)", of: mark, scope(width, height))
            case 3:
                let number = once(in: 3) ? "\(integer())" : once(in: 8) ? text() : "\(below(5))"
                let object = structure()
                if !once(in: 4) { set("roi_type", of: object, text: pick(Self.types)) }
                for _ in 0..<below(4) { set(pick(Self.structures), of: object, structure()) }
                set("object-\(number)", of: mark, object)
            case 4: setAny(pick(["searched-", "scope-", "changed-", "object-1", "object-"]) + type, of: mark)
            default: setAny(text(), of: mark)
            }
        }
    }

    private mutating func scope(_ width: Int, _ height: Int) -> UnsafeMutablePointer<GstStructure>? {
        let scope = gst_structure_new_empty("scope")
        for (field, value) in [
            ("frame-width", width), ("frame-height", height), ("x", 0), ("y", 0), ("width", width),
            ("height", height), ("count", below(3)),
        ] where !once(in: 20) {
            var box = GValue()
            g_value_init(&box, Int32.valueType)
            g_value_set_int(&box, once(in: 8) ? int32() : Int32(truncatingIfNeeded: value))
            gst_structure_take_value(scope, field, &box)
        }
        return scope
    }

    // MARK: - Structures

    private mutating func structure(depth: Int = 0) -> UnsafeMutablePointer<GstStructure>? {
        let name = pick(Self.structures)
        let structure = gst_structure_new_empty(name)
        if name == "landmarks", !once(in: 4) {
            for field in Self.points.flatMap({ ["\($0)_x", "\($0)_y"] }) where !once(in: 40) {
                var box = GValue()
                g_value_init(&box, Double.valueType)
                g_value_set_double(&box, once(in: 8) ? double() : Double(below(1000)) / 1000)
                gst_structure_take_value(structure, field, &box)
            }
        }
        if name == "outline", !once(in: 4) {
            var floats: [Float] = []
            for _ in 0..<(once(in: 20) ? 9000 : below(20)) {
                floats.append(once(in: 30) ? Float(double()) : Float(below(1000)) / 1000)
            }
            let bytes = floats.withUnsafeBytes { Array($0) }
            set("data_buffer", of: structure, bytes: bytes.dropLast(once(in: 8) ? below(8) : 0), type: "ay")
        }
        if !once(in: 3) { set("label", of: structure, text: text()) }
        for _ in 0..<below(5) { setAny(pick(Self.fields), of: structure, depth: depth) }
        return structure
    }

    /// Sets a field to a random value of a random type.
    private mutating func setAny(_ field: String, of structure: UnsafeMutablePointer<GstStructure>?, depth: Int = 0) {
        var box = GValue()
        switch below(10) {
        case 0, 1:
            g_value_init(&box, Double.valueType)
            g_value_set_double(&box, double())
        case 2:
            g_value_init(&box, Int32.valueType)
            g_value_set_int(&box, int32())
        case 3:
            g_value_init(&box, UInt64.valueType)
            g_value_set_uint64(&box, guint64(bits()))
        case 4: return set(field, of: structure, boolean: once(in: 2))
        case 5: return set(field, of: structure, text: text())
        case 6: return set(field, of: structure, bytes: bytes(below(70)), type: pick(["ay", "ay", "s", "au", "ad"]))
        case 7 where depth < 3: return set(field, of: structure, self.structure(depth: depth + 1))
        case 8:
            g_value_init(&box, String.valueType)  // A string that is NULL.
        default:
            g_value_init(&box, gst_fraction_get_type())
            gst_value_set_fraction(&box, int32() | 1, 1 + Int32(below(100)))
        }
        gst_structure_take_value(structure, field, &box)
    }

    private func set(_ field: String, of structure: UnsafeMutablePointer<GstStructure>?, boolean: Bool) {
        var box = GValue()
        g_value_init(&box, Bool.valueType)
        boolean.write(to: &box)
        gst_structure_take_value(structure, field, &box)
    }

    private func set(_ field: String, of structure: UnsafeMutablePointer<GstStructure>?, text: String) {
        var box = GValue()
        g_value_init(&box, String.valueType)
        text.write(to: &box)
        gst_structure_take_value(structure, field, &box)
    }

    /// Sets a field to a structure, and takes ownership of the structure.
    private func set(
        _ field: String, of structure: UnsafeMutablePointer<GstStructure>?,
        _ inner: UnsafeMutablePointer<GstStructure>?
    ) {
        guard let inner else { return }
        var box = GValue()
        g_value_init(&box, gst_structure_get_type())
        g_value_take_boxed(&box, inner)
        gst_structure_take_value(structure, field, &box)
    }

    private func set(
        _ field: String, of structure: UnsafeMutablePointer<GstStructure>?, bytes: some Sequence<UInt8>, type: String
    ) {
        let bytes = Array(bytes)
        let kind = g_variant_type_new(type)
        defer { g_variant_type_free(kind) }
        let data = g_bytes_new(bytes, gsize(bytes.count))
        defer { g_bytes_unref(data) }
        var box = GValue()
        g_value_init(&box, GType(21 << 2))  // G_TYPE_VARIANT is a macro.
        g_value_take_variant(&box, g_variant_ref_sink(g_variant_new_from_bytes(kind, data, 0)))
        gst_structure_take_value(structure, field, &box)
    }
}
