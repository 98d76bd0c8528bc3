// SPDX-License-Identifier: LGPL-2.1-or-later
/// Filters beside the stock element that a user would choose for the same job.
extension Catalogue {
    var stockFilters: [Row] {
        FrameSize.large.flatMap { size in
            (Self.tints + Self.edges).map { pair in
                var pair = pair
                pair.ours += " ! video/x-raw,format=\(pair.format)"
                pair.theirs += " ! video/x-raw,format=\(pair.format)"
                return pair.row(size, effort)
            }
        }
    }

    private static var tints: [FilterPair] {
        let balance = "videobalance contrast=1.2 brightness=0.05"
        let gains = "svtint red=1.2 green=0.9 blue=1.1"
        let good = Peer(factory: "videobalance", package: "gstreamer1.0-plugins-good")
        return [
            FilterPair(
                name: "svtint/tint0r-RGBA", ours: gains, theirs: "frei0r-filter-tint0r tint-amount=0.5",
                peer: .frei0r("filter-tint0r"), ratio: 0.2),
            FilterPair(name: "svtint/videobalance-RGBA", ours: gains, theirs: balance, peer: good, ratio: 0.5),
            FilterPair(name: "svtint/videobalance-I420", format: "I420", ours: gains, theirs: balance, peer: good),
            FilterPair(
                name: "svtint/gray-world-RGBA", ours: "svtint white-balance=gray-world", theirs: balance, peer: good),
        ]
    }

    private static var edges: [FilterPair] {
        [("RGB", "RGB", 3), ("RGB-5", "RGB", 5), ("RGB-7", "RGB", 7), ("BGRA", "BGRA", 3), ("I420", "I420", 3)].map {
            let peer = "edgedetect mask=false threshold1=50 threshold2=150 aperture=\($2)"
            return FilterPair(
                name: "svedges/\($0)", format: $1, ours: "svedges low-threshold=50 high-threshold=150 aperture=\($2)",
                // The peer only supports RGB.
                theirs: $1 == "RGB" ? peer : "videoconvert ! \(peer) ! videoconvert", peer: .opencv("edgedetect"),
                ratio: 0.8)
        }
    }
}
