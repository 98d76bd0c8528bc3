import CGStreamer
import Synchronization

/// A stream of marked faces that goes through an element of ours.
struct MarkedTask: Codable {
    /// As gst-launch has it; nil for none.
    var element: String?
    /// Whether each face must become a hybrid.
    var makesHybrids: Bool
    var stream: MarkedStream
    var effort: Effort
}

struct MarkedResult: Codable {
    /// CPU time of the process without that of writing and marking the frames.
    var nanosecondsPerFrame: Double
    var peakKilobytes: Int
}

func measureMarked(_ task: MarkedTask) throws -> MarkedResult {
    gst_init(nil, nil)
    let (stream, effort) = (task.stream, task.effort)
    let pipeline = try Pipeline(
        "appsrc name=s0 format=time ! \(task.element ?? "identity silent=true") "
            + "! fakesink name=out0 sync=false enable-last-sample=false")
    try pipeline.feed(
        "s0", with: stream.footage(), as: .writable, caps: stream.caps, total: effort.warmUp + effort.frames)
    let meter = FrameMeter(size: stream.size, warmUp: effort.warmUp, frames: effort.frames, sinks: 1)
    let hybrids = Atomic<Int>(0)
    try pipeline.withPad("sink", of: "out0") { pad in
        meter.watch(pad)
        pad.onBuffer { hybrids.add($0.hybridCount, ordering: .relaxed) }
    }
    try pipeline.play()
    guard let time = meter.nanosecondsPerFrame else { throw Failure("the pipeline ended too early") }
    let wanted = task.element == nil || !task.makesHybrids ? 0 : stream.count * (effort.warmUp + effort.frames)
    let found = hybrids.load(ordering: .relaxed)
    guard found == wanted else { throw Failure("\(found) faces were merged, not \(wanted)") }
    return MarkedResult(nanosecondsPerFrame: time, peakKilobytes: Machine.peakKilobytes)
}

extension UnsafeMutablePointer<GstBuffer> {
    /// The regions of type `hybrid-face`.
    fileprivate var hybridCount: Int {
        let type = g_quark_from_string("hybrid-face")
        var (count, cursor) = (0, gpointer?.none)
        while let meta = gst_buffer_iterate_meta_filtered(
            self, &cursor, gst_video_region_of_interest_meta_api_get_type())
        {
            let region = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self)
            if region.pointee.roi_type == type { count += 1 }
        }
        return count
    }
}
