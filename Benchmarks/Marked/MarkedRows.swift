/// Rows that tell what `svfacemerge` and `svoverlay` add to a stream whose faces are known. No stock element has these
/// jobs, so they are compared with a memcpy of the frame.
struct MarkedRow {
    /// The group of rows: what is done to the faces.
    var group: String
    var style: String
    var factory: String
    var element: String
    var stream: MarkedStream
    var effort: Effort

    /// What the rows need.
    static let factories = ["svfacemerge", "svfacerecognize", "svoverlay"]
    /// Of CPU time for one face that is merged in a frame of 1280x720, in milliseconds.
    private static let limit = 2.0
    /// The same for one that is recognised, in a frame of any size.
    private static let recognitionLimit = 3.0

    var makesHybrids: Bool { group == "merge" }
    var name: String { "\(group)/\(style)/\(stream.change)-\(stream.count)/\(stream.format)/\(stream.size)" }

    /// - Parameter milliseconds: for one face.
    func verdict(_ milliseconds: Double) -> String {
        if group == "recognise" {
            let limit = Self.recognitionLimit
            return Goal.verdict("<=\(limit.fixed(0))ms", milliseconds <= limit)
        }
        return makesHybrids && stream.size == .hd
            ? Goal.verdict("<=\(Self.limit.fixed(0))ms", milliseconds <= Self.limit) : "-"
    }

    /// What is done to faces, and what is measured of it.
    private struct Style {
        var group = "merge"
        var name: String
        var factory = "svfacemerge"
        var element: String
        var counts = [1, 4, 8]
        var changes = [MarkedStream.Change.still, .moving]
    }

    private static func overlay(_ name: String, _ properties: String) -> Style {
        Style(
            group: "overlay", name: name, factory: "svoverlay", element: properties, counts: [1, 4], changes: [.moving])
    }

    static func all(effort: Effort) -> [MarkedRow] {
        let partner = "partner=\"\(Machine.repository)/pipelines/cat.png\""
        var styles = [
            Style(name: "smooth", element: "preset=smooth \(partner)", changes: [.still, .moving, .lit]),
            Style(name: "classic", element: "preset=classic \(partner)"),
            Style(name: "swap", element: "layout=swap", counts: [2]),
            overlay("boxes", "confidence=true"),
            overlay("pixelate", "pixelate-faces=true boxes=false landmarks=false labels=false"),
            overlay("blur", "blur-faces=true boxes=false landmarks=false labels=false"),
        ]
        styles += NamingRow.algorithms.map { algorithm in
            Style(
                group: "recognise", name: algorithm, factory: "svfacerecognize",
                element: "\(NamingRow.properties(algorithm: algorithm)) draw=false", counts: [1, 4],
                changes: [.moving])
        }
        var rows: [MarkedRow] = []
        for size in [FrameSize.hd, .fullHD] {
            for format in ["BGRA", "I420"] {
                for style in styles {
                    for change in style.changes {
                        rows += style.counts.map { count in
                            let stream = MarkedStream(count: count, change: change, format: format, size: size)
                            return MarkedRow(
                                group: style.group, style: style.name, factory: style.factory,
                                element: "\(style.factory) \(style.element)", stream: stream, effort: effort)
                        }
                    }
                }
            }
        }
        return rows
    }
}
