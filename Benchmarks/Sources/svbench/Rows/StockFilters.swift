/// Filters beside the stock element that a user would choose for the same job.
extension PairMeasurement {
    private static let balance = "videobalance contrast=1.2 brightness=0.05"
    private static let gains = "svtint red=1.2 green=0.9 blue=1.1"
    private static let goodPlugins = Peer(factory: "videobalance", package: "gstreamer1.0-plugins-good")

    private typealias Pair = (
        name: String, format: String, ours: String, theirs: String, peer: Peer, ratio: Double?
    )

    private static let tints: [Pair] = [
        ("tint0r-RGBA", "RGBA", gains, "frei0r-filter-tint0r tint-amount=0.5", .frei0r("filter-tint0r"), 0.2),
        ("videobalance-RGBA", "RGBA", gains, balance, goodPlugins, 0.5),
        ("videobalance-I420", "I420", gains, balance, goodPlugins, nil),
        ("gray-world-RGBA", "RGBA", "svtint white-balance=gray-world", balance, goodPlugins, nil),
    ].map { ("svtint/" + $0, $1, $2, $3, $4, $5) }

    private static let edges: [Pair] = [
        ("RGB", "RGB", 3), ("RGB-5", "RGB", 5), ("RGB-7", "RGB", 7), ("BGRA", "BGRA", 3), ("I420", "I420", 3),
    ].map { name, format, aperture in
        let peer = "edgedetect mask=false threshold1=50 threshold2=150 aperture=\(aperture)"
        return (
            "svedges/" + name, format, "svedges low-threshold=50 high-threshold=150 aperture=\(aperture)",
            // The peer only supports RGB.
            format == "RGB" ? peer : "videoconvert ! \(peer) ! videoconvert", .opencv("edgedetect"), 0.8
        )
    }

    static func stockFilters(_ setting: Setting) -> [PairMeasurement] {
        [FrameSize.hd, .fullHD].flatMap { size in
            (tints + edges).map { pair in
                func job(_ element: String) -> StreamJob {
                    StreamJob(
                        "\(element) ! video/x-raw,format=\(pair.format)",
                        on: .pictures(format: pair.format, size: size),
                        setting.effort, isWatched: false)
                }
                return PairMeasurement(
                    name: "\(pair.name)/\(size)", ours: job(pair.ours), theirs: job(pair.theirs),
                    elements: [String(pair.ours.prefix { $0 != " " })], peer: pair.peer, ratio: pair.ratio)
            }
        }
    }
}
