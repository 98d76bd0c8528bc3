// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// A buffer that has left an element.
struct Passage: Codable {
    /// Frame number in the stream.
    var frame: Int
    /// Wall time from one pad to the other.
    var nanoseconds: Int
    var regions: [Region]
}

/// Region of interest of a buffer.
struct Region: Codable {
    /// Type such as `face`, `cat-face`, `blob` or `truth/face`.
    var type: String
    var x, y, width, height: Int
    /// Number of the region; 0 if the element assigns none.
    var id: Int
    /// Name of the person or class, if it has one.
    var label: String?

    var box: Rectangle { Rectangle(x: x, y: y, width: width, height: height) }
}

extension UnsafeMutablePointer<GstBuffer> {
    var regions: [Region] {
        var regions: [Region] = []
        var cursor: gpointer?
        while let meta = gst_buffer_iterate_meta_filtered(
            self, &cursor, gst_video_region_of_interest_meta_api_get_type())
        {
            let region: UnsafeMutablePointer<GstVideoRegionOfInterestMeta> = meta.cast()
            guard let type = g_quark_to_string(region.pointee.roi_type) else { continue }
            let answer =
                gst_video_region_of_interest_meta_get_param(region, "person")
                ?? gst_video_region_of_interest_meta_get_param(region, "blob-class")
            regions.append(
                Region(
                    type: String(cString: type), x: Int(region.pointee.x), y: Int(region.pointee.y),
                    width: Int(region.pointee.w), height: Int(region.pointee.h), id: Int(region.pointee.id),
                    label: answer.flatMap { gst_structure_get_string($0, "label") }.map { String(cString: $0) }))
        }
        return regions
    }
}
