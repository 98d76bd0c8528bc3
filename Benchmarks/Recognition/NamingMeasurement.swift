import CGStreamer
import Pixels
import Synchronization

/// Four drawn people, of whom the first three are known from pictures.
struct NamingTask: Codable {
    /// As gst-launch has it.
    var element: String
    var seed: UInt64
    var frames: Int
}

/// Counts of faces that were found.
struct NamingResult: Codable {
    /// Of people who are known.
    var known = 0
    var right = 0
    var unknown = 0
    /// Of people who are not.
    var strangers = 0
    var named = 0

    static func + (a: NamingResult, b: NamingResult) -> NamingResult {
        NamingResult(
            known: a.known + b.known, right: a.right + b.right, unknown: a.unknown + b.unknown,
            strangers: a.strangers + b.strangers, named: a.named + b.named)
    }
}

func measureNaming(_ task: NamingTask) throws -> NamingResult {
    gst_init(nil, nil)
    let pipeline = try Pipeline(
        "videotestsrc num-buffers=\(task.frames) ! video/x-raw,width=640,height=480,framerate=30/1 "
            + "! svtestscene scene=people count=4 seed=\(task.seed) ! svfacedetect draw=false message=none "
            + "! \(task.element) ! fakesink name=out0 sync=false enable-last-sample=false")
    let result = Mutex(NamingResult())
    try pipeline.withPad("sink", of: "out0") { pad in
        pad.onBuffer { buffer in result.withLock { $0 = $0 + buffer.naming } }
    }
    try pipeline.play()
    return result.withLock { $0 }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// How the faces of a buffer are named, compared with the truth.
    fileprivate var naming: NamingResult {
        var (truth, faces): ([(name: String, box: Rectangle)], [(name: String, box: Rectangle)]) = ([], [])
        var cursor: gpointer?
        while let meta = gst_buffer_iterate_meta_filtered(
            self, &cursor, gst_video_region_of_interest_meta_api_get_type())
        {
            let region = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoRegionOfInterestMeta.self)
            guard let type = g_quark_to_string(region.pointee.roi_type).map({ String(cString: $0) }),
                let person = gst_video_region_of_interest_meta_get_param(region, "person"),
                let name = gst_structure_get_string(person, "label").map({ String(cString: $0) })
            else { continue }
            let box = Rectangle(
                x: Int(region.pointee.x), y: Int(region.pointee.y), width: Int(region.pointee.w),
                height: Int(region.pointee.h))
            if type == "truth/face" { truth.append((name, box)) } else { faces.append((name, box)) }
        }
        var result = NamingResult()
        for face in faces {
            let middle = (x: face.box.x + face.box.width / 2, y: face.box.y + face.box.height / 2)
            guard let actor = truth.first(where: { $0.box.contains(middle.x, middle.y) }) else { continue }
            if NamingRow.people.contains(actor.name) {
                result.known += 1
                if face.name == actor.name { result.right += 1 }
                if face.name == "unknown" { result.unknown += 1 }
            } else {
                result.strangers += 1
                if face.name != "unknown" { result.named += 1 }
            }
        }
        return result
    }
}

extension Rectangle {
    fileprivate func contains(_ x: Int, _ y: Int) -> Bool {
        x >= self.x && y >= self.y && x < self.x + width && y < self.y + height
    }
}
