import CGStreamer
import Glibc
import Pixels
import Synchronization

/// A stream of drawn things that goes through elements of ours.
struct BlobTask: Codable {
    /// As gst-launch has them; nil for none.
    var elements: String?
    var stream: DrawnStream
    var effort: Effort
}

struct BlobResult: Codable {
    /// CPU time of the process without that of writing the frames.
    var nanosecondsPerFrame: Double
    var peakKilobytes: Int
    /// Things that were there in all counted frames, those that were found, and those that were named rightly.
    var there: Int
    var found: Int
    var right: Int
}

func measureBlobs(_ task: BlobTask) throws -> BlobResult {
    gst_init(nil, nil)
    let (stream, effort) = (task.stream, task.effort)
    let pipeline = try Pipeline(
        "appsrc name=s0 format=time ! \(task.elements ?? "identity silent=true") "
            + "! fakesink name=out0 sync=false enable-last-sample=false")
    let caps = FaceStream.drawn(stream).caps
    try pipeline.feed("s0", with: stream.footage(), as: .writable, caps: caps, total: effort.warmUp + effort.frames)
    let meter = FrameMeter(size: stream.size, warmUp: effort.warmUp, frames: effort.frames, sinks: 1)
    let blobs = Mutex<[[NamedBox]]>([])
    try pipeline.withPad("sink", of: "out0") { pad in
        meter.watch(pad)
        pad.onBuffer { buffer in blobs.withLock { $0.append(buffer.namedBoxes) } }
    }
    try pipeline.play()
    guard let time = meter.nanosecondsPerFrame else { throw Failure("the pipeline ended too early") }
    var result = BlobResult(
        nanosecondsPerFrame: time, peakKilobytes: Machine.peakKilobytes, there: 0, found: 0, right: 0)
    let scene = stream.scene
    for (number, boxes) in blobs.withLock({ $0 }).enumerated().dropFirst(effort.warmUp) {
        for actor in scene.actors(at: StreamTask.seconds(number)) {
            result.there += 1
            guard let box = boxes.first(where: { $0.shows(actor) }) else { continue }
            result.found += 1
            if box.name == actor.trinket?.label { result.right += 1 }
        }
    }
    return result
}

/// Writes the training pictures of what is drawn, and their list.
func writeTraining(to folder: String) throws -> ChildResult {
    gst_init(nil, nil)
    try Pipeline("videotestsrc num-buffers=1 ! svtestscene training-location=\"\(folder)\" ! fakesink").play()
    return .done
}

private struct NamedBox: Sendable {
    var box: Rectangle
    var name: String?

    /// By the share of the common part, of both.
    func shows(_ actor: Actor) -> Bool {
        let common = box.intersection(actor.rectangle)
        func area(_ box: Rectangle) -> Double { Double(box.width * box.height) }
        return !common.isEmpty && area(common) >= 0.7 * (area(box) + area(actor.rectangle) - area(common))
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// The regions of type `blob` with their names.
    fileprivate var namedBoxes: [NamedBox] {
        let type = g_quark_from_string("blob")
        var (boxes, cursor): ([NamedBox], gpointer?) = ([], nil)
        while let meta = gst_buffer_iterate_meta_filtered(
            self, &cursor, gst_video_region_of_interest_meta_api_get_type())
        {
            let region = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self)
            guard region.pointee.roi_type == type else { continue }
            let answer = gst_video_region_of_interest_meta_get_param(region, "blob-class")
            let name = answer.flatMap { gst_structure_get_string($0, "label") }.map { String(cString: $0) }
            let (x, y) = (Int(region.pointee.x), Int(region.pointee.y))
            boxes.append(
                NamedBox(
                    box: Rectangle(x: x, y: y, width: Int(region.pointee.w), height: Int(region.pointee.h)), name: name)
            )
        }
        return boxes
    }
}
