import CGStreamer
import Pixels

extension MixerInput {
    /// Copies the input's regions of interest, with their ids and parameters, to the output, moved and scaled to where
    /// the input is shown and clipped to the frame; what lies outside is left out.
    /// - Parameter place: where the whole input lies in the output.
    package func carryRegions(to output: Frame, place: Rectangle) {
        guard let target = output.buffer, inputSize.width > 0, inputSize.height > 0 else { return }
        var cursor: gpointer?
        let api = gst_video_region_of_interest_meta_api_get_type()
        while let meta = gst_buffer_iterate_meta_filtered(buffer, &cursor, api) {
            let region = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self)
                .pointee
            // Edges are scaled, so that neighbouring regions stay neighbours.
            func across(_ x: Int) -> Int { place.x + x * place.width / inputSize.width }
            func down(_ y: Int) -> Int { place.y + y * place.height / inputSize.height }
            let left = across(Int(region.x))
            let top = down(Int(region.y))
            let scaled = Rectangle(
                x: left, y: top, width: across(Int(region.x) + Int(region.w)) - left,
                height: down(Int(region.y) + Int(region.h)) - top)
            let seen = output.image.bounds.intersection(scaled)
            guard !seen.isEmpty,
                let copy = gst_buffer_add_video_region_of_interest_meta_id(
                    target, region.roi_type, UInt32(seen.x), UInt32(seen.y), UInt32(seen.width), UInt32(seen.height))
            else { continue }
            copy.pointee.id = region.id
            copy.pointee.parent_id = region.parent_id
            var parameter = region.params
            while let item = parameter {
                let structure = item.pointee.data?.assumingMemoryBound(to: GstStructure.self)
                gst_video_region_of_interest_meta_add_param(copy, gst_structure_copy(structure))
                parameter = item.pointee.next
            }
        }
    }
}
