import Imaging

/// Drawn things on paper, and the elements that find and name them.
enum Blobs {
    static let factories = ["svblobdetect", "svblobclassify", "svtestscene"]

    static func scene(_ count: Int) -> DrawnStream {
        DrawnStream(kind: "coins", count: count, size: .hd, ground: .bars)
    }

    static func classifier(_ options: String, _ setting: Setting) -> String {
        "svblobdetect draw=false ! svblobclassify training=\"\(setting.folder)/training/training.plist\" draw=false \(options)"
    }

    /// Returns the runs that write the training pictures of what is drawn, and their list.
    static func training(_ setting: Setting) -> [Run] {
        let location = "training-location=\"\(setting.folder)/training\""
        let job = StreamJob(writing: "videotestsrc num-buffers=1 ! svtestscene \(location) ! fakesink")
        return [Run(.ours, job, isShared: true)]
    }

    /// Returns the number of correct finds per 100 things in all counted frames.
    fileprivate static func share(
        _ readings: Readings, _ effort: Effort, in stream: DrawnStream, where suits: (Region, SceneEntity) -> Bool
    ) -> String {
        var (there, found) = (0, 0)
        for reading in readings[.ours] {
            for (frame, regions) in reading.regions(count: effort.total).enumerated().dropFirst(effort.warmUp) {
                for actor in stream.actors(in: frame) {
                    there += 1
                    let find = regions.first { $0.type == "blob" && $0.box.similarity(actor.rectangle) >= 0.7 }
                    found += find.map { suits($0, actor) } == true ? 1 : 0
                }
            }
        }
        return (100 * Double(found) / Double(max(1, there))).tenths
    }
}

extension CostMeasurement {
    static func blobs(_ setting: Setting) -> [CostMeasurement] {
        // Models that learn the background over time do not find what stands still.
        let models = [("border", true), ("frame-mean", true), ("mog2", false), ("knn", false)].map { model, findsAll in
            blobs("detect-\(model)", 6, "svblobdetect draw=false model=\(model)", setting, isFound: findsAll)
        }
        return models + [
            blobs("classify", 1, Blobs.classifier("mode=sync", setting), setting, isNamed: true, limit: 12),
            blobs("classify", 6, Blobs.classifier("mode=sync", setting), setting, isNamed: true),
            blobs(
                "classify-classic", 1, Blobs.classifier("mode=sync algorithm=classic", setting), setting, isNamed: true),
        ]
    }

    private static func blobs(
        _ name: String, _ count: Int, _ pipeline: String, _ setting: Setting, isFound: Bool = true,
        isNamed: Bool = false, limit: Double? = nil
    ) -> CostMeasurement {
        let (scene, effort) = (Blobs.scene(count), setting.effort)
        return CostMeasurement(
            title:
                "Blobs on paper: CPU per frame above the carrier's, ms, and to a memcpy of the frame in BGRA; of 100 drawn "
                + "things\nthose that are found (IoU at least 0.7) and named rightly",
            name: "blobs/\(name)/\(count)/1280x720", elements: Blobs.factories, preparations: Blobs.training(setting),
            pipeline: pipeline, contents: [.drawn(scene)], effort: effort,
            goal: limit.map { .milliseconds($0) { $0.added().median } },
            others: [
                Column("found") { isFound ? Blobs.share($0, effort, in: scene) { _, _ in true } : "-" },
                Column("named") {
                    isNamed ? Blobs.share($0, effort, in: scene) { $0.label == $1.object?.label } : "-"
                },
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
}
