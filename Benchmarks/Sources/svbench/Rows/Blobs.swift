// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Scenes

/// Drawn things on paper, and the elements that find and name them.
extension Catalogue {
    var blobs: [Row] {
        // Models that learn the background over time do not find what stands still.
        [("border", true), ("frame-mean", true), ("mog2", false), ("knn", false)].map { model, findsAll in
            blobs("detect-\(model)", 6, "svblobdetect draw=false model=\(model)", isFound: findsAll)
        } + [
            blobs("detect-uneven", 6, "svblobdetect draw=false ground=uneven", isFound: true),
            blobs("detect-shadows-kept", 6, "svblobdetect draw=false shadows=keep", isFound: true),
            blobs("classify", 1, classifier("mode=sync"), isNamed: true, limit: 12),
            blobs("classify", 6, classifier("mode=sync"), isNamed: true),
            blobs("classify-classic", 1, classifier("mode=sync algorithm=classic"), isNamed: true),
            blobs("classify-things", 6, classifier("mode=sync", of: .things), of: .things, isNamed: true),
        ]
    }

    var liveBlobs: [Row] {
        [1, 6].map {
            live(
                "blobs/live/\($0)/1280x720", classifier("mode=auto"), on: things($0), preparations: [training(.coins)],
                frames: 10 * StreamJob.framesPerSecond)
        }
    }

    private func things(_ count: Int, of kind: Scene.Kind = .coins) -> Content {
        Content(.drawn(DrawnStream(kind: kind, count: count, ground: .bars)), .hd)
    }

    private func classifier(_ options: String, of kind: Scene.Kind = .coins) -> String {
        "svblobdetect draw=false ! svblobclassify training=\"\(folder)/\(kind)/training.plist\" draw=false \(options)"
    }

    /// The run that writes the training pictures of what is drawn, and their list.
    private func training(_ kind: Scene.Kind) -> Run {
        let scene = "scene=\(kind) training-location=\"\(folder)/\(kind)\""
        let job = StreamJob(description: "videotestsrc num-buffers=1 ! svtestscene \(scene) ! fakesink")
        return Run(.ours, job, isShared: true)
    }

    private func blobs(
        _ name: String, _ count: Int, _ pipeline: String, of kind: Scene.Kind = .coins, isFound: Bool = true,
        isNamed: Bool = false, limit: Double? = nil
    ) -> Row {
        let content = things(count, of: kind)
        /// Returns the number of correct finds per 100 things in all counted frames.
        func share(_ readings: Readings, where fits: (Region, SceneEntity) -> Bool) -> String {
            var (there, found) = (0, 0)
            for reading in readings[.ours] {
                for (frame, regions) in reading.regions(count: effort.total).enumerated().dropFirst(effort.warmUp) {
                    for entity in content.entities(in: frame) {
                        there += 1
                        let find = regions.first { $0.type == "blob" && $0.box.similarity(entity.rectangle) >= 0.7 }
                        found += find.map { fits($0, entity) } == true ? 1 : 0
                    }
                }
            }
            return (100 * Double(found) / Double(max(1, there))).tenths
        }
        return .cost(
            "Blobs on paper: CPU per frame above the carrier's, ms, and to a memcpy of the frame in BGRA; of 100 drawn "
                + "things\nthose that are found (IoU at least 0.7) and named rightly",
            "blobs/\(name)/\(count)/1280x720", pipeline, on: [content], effort, preparations: [training(kind)],
            goal: limit.map { limit in ("<=\(limit.whole)ms", { $0.added().median <= limit * 1e6 }) },
            others: [
                Column("found") { isFound ? share($0) { _, _ in true } : "-" },
                Column("named") { isNamed ? share($0) { $0.label == $1.object?.label } : "-" },
            ])
    }
}

extension Rectangle {
    /// Returns the area of the intersection as a share of that of the union.
    func similarity(_ other: Rectangle) -> Double {
        let common = intersection(other)
        let shared = common.width * common.height
        return Double(shared) / Double(max(1, width * height + other.width * other.height - shared))
    }

    var center: Point { Point(Double(x) + Double(width) / 2, Double(y) + Double(height) / 2) }
}
