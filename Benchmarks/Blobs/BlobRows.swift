/// Rows that tell what `svblobdetect` and `svblobclassify` cost, what becomes of a live stream, and how many drawn things
/// are named rightly. No stock element has these jobs, so they are compared with a memcpy of the frame.
struct BlobRow {
    var name: String
    /// As gst-launch has it, with TRAINING where the training set goes.
    var elements: String
    var stream: DrawnStream
    var effort: Effort
    var isLive = false
    /// Of CPU time for a frame, in milliseconds.
    var limit: Double?

    /// Whether things that stand still are to be found: not by models that learn what was there before.
    var findsAll: Bool { !elements.contains("model=mog2") && !elements.contains("model=knn") }

    /// What the rows need.
    static let factories = ["svblobdetect", "svblobclassify", "svtestscene"]

    static func all(effort: Effort) -> [BlobRow] {
        func stream(_ count: Int) -> DrawnStream {
            DrawnStream(kind: "coins", count: count, size: .hd, ground: .bars)
        }
        func row(_ name: String, _ count: Int, _ elements: String, limit: Double? = nil) -> BlobRow {
            BlobRow(
                name: "blobs/\(name)/\(count)/1280x720", elements: elements, stream: stream(count), effort: effort,
                limit: limit)
        }
        func named(_ options: String) -> String {
            "svblobdetect draw=false ! svblobclassify training=\"TRAINING\" draw=false \(options)"
        }
        let detect = ["border", "frame-mean", "mog2", "knn"].map { model in
            row("detect-\(model)", 6, "svblobdetect draw=false model=\(model)")
        }
        let live = [1, 6].map { count in
            BlobRow(
                name: "blobs/live/\(count)/1280x720", elements: named("mode=auto"), stream: stream(count),
                effort: effort, isLive: true)
        }
        return detect + [
            row("classify", 1, named("mode=sync"), limit: 12),
            row("classify", 6, named("mode=sync")),
            row("classify-classic", 1, named("mode=sync algorithm=classic")),
        ] + live
    }
}
