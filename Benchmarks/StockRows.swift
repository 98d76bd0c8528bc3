/// Filters beside the stock element that a user would take for the same job, both with the same frames in the same format.
extension Stage {
    static func filterRows(_ size: FrameSize, _ effort: Effort) -> [StreamRow] {
        let stage = Stage(isStill: false, size: size, effort: effort)
        let gains = "red=1.2 green=0.9 blue=1.1"
        let balance = "videobalance contrast=1.2 brightness=0.05"
        let opencv = "gstreamer1.0-opencv"
        var rows = [
            stage.filter(
                "svtint/tint0r-RGBA", "svtint \(gains)", "frei0r-filter-tint0r tint-amount=0.5", frei0rPackages,
                format: "RGBA", goal: 0.2),
            stage.filter(
                "svtint/videobalance-RGBA", "svtint \(gains)", balance, "gstreamer1.0-plugins-good", format: "RGBA",
                goal: 0.5),
            stage.filter(
                "svtint/videobalance-I420", "svtint \(gains)", balance, "gstreamer1.0-plugins-good", format: "I420",
                goal: nil),
            stage.filter(
                "svtint/gray-world-RGBA", "svtint white-balance=gray-world", balance, "gstreamer1.0-plugins-good",
                format: "RGBA", goal: nil),
        ]
        for (name, format, aperture) in [
            ("RGB", "RGB", 3), ("RGB-5", "RGB", 5), ("RGB-7", "RGB", 7), ("BGRA", "BGRA", 3), ("I420", "I420", 3),
        ] {
            let peer = "edgedetect mask=false threshold1=50 threshold2=150 aperture=\(aperture)"
            // It knows RGB alone.
            let converted = format == "RGB" ? peer : "videoconvert ! \(peer) ! videoconvert"
            rows.append(
                stage.filter(
                    "svedges/\(name)", "svedges low-threshold=50 high-threshold=150 aperture=\(aperture)", converted,
                    opencv, factory: "edgedetect", format: format, goal: 0.8))
        }
        return rows
    }

    /// - Parameter factory: the peer's; the first word of its description unless told.
    private func filter(
        _ name: String, _ ours: String, _ peer: String, _ package: String, factory: String? = nil, format: String,
        goal: Double?
    ) -> StreamRow {
        func task(_ element: String) -> StreamTask {
            StreamTask(
                description: "\(source(0)) ! \(element) ! video/x-raw,format=\(format) ! \(sink(0))",
                sources: [.writable], format: format, size: size, effort: effort)
        }
        func first(_ text: String) -> String { String(text.prefix { $0 != " " }) }
        return StreamRow(
            name: "\(name)/\(size)", ours: Contender(factory: first(ours), package: nil, task: task(ours)),
            peer: Contender(factory: factory ?? first(peer), package: package, task: task(peer)),
            goal: Goal(ratio: goal), oursCarrier: carrier(of: task(ours)), peerCarrier: carrier(of: task(peer)),
            isStill: false)
    }
}
