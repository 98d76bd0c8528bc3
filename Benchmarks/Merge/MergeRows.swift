/// Rows that tell what `svfacemerge` adds to a stream whose faces are known. No stock element has this job, so they are
/// compared with a memcpy of the frame.
struct MergeRow {
    var style: String
    var element: String
    var stream: MergeStream
    var effort: Effort

    static let ours = "svfacemerge"
    /// Of CPU time for one face in a frame of 1280x720, in milliseconds.
    private static let limit = 2.0

    var name: String { "merge/\(style)/\(stream.change)-\(stream.count)/\(stream.format)/\(stream.size)" }

    /// - Parameter milliseconds: for one face.
    func verdict(_ milliseconds: Double) -> String {
        stream.size == .hd ? Goal.verdict("<=\(Self.limit.fixed(0))ms", milliseconds <= Self.limit) : "-"
    }

    /// How faces are merged, and what is measured of it.
    private struct Style {
        var name: String
        var element: String
        var counts = [1, 4, 8]
        var changes = [MergeStream.Change.still, .moving]
    }

    static func all(effort: Effort) -> [MergeRow] {
        let partner = "partner=\"\(Machine.repository)/pipelines/cat.png\""
        let styles = [
            Style(name: "smooth", element: "\(ours) preset=smooth \(partner)", changes: [.still, .moving, .lit]),
            Style(name: "classic", element: "\(ours) preset=classic \(partner)"),
            Style(name: "swap", element: "\(ours) layout=swap", counts: [2]),
        ]
        var rows: [MergeRow] = []
        for size in [FrameSize.hd, .fullHD] {
            for format in ["BGRA", "I420"] {
                for style in styles {
                    for change in style.changes {
                        rows += style.counts.map { count in
                            let stream = MergeStream(count: count, change: change, format: format, size: size)
                            return MergeRow(style: style.name, element: style.element, stream: stream, effort: effort)
                        }
                    }
                }
            }
        }
        return rows
    }
}
