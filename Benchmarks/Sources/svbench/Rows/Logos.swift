/// Drawn scenes with a logo in all frames or in none, and the element that finds it.
enum Logos {
    static let factory = "svlogodetect"

    static func element(_ properties: String) -> String {
        "\(factory) template=\"\(Machine.repository)/pipelines/logo.png\" draw=false \(properties)"
    }

    static func scenes(hasLogo: Bool, _ size: FrameSize) -> [DrawnStream] {
        (1...3).map { DrawnStream(kind: "logo", count: hasLogo ? 1 : 0, seed: $0, size: size, ground: .bars) }
    }

    static func effort(_ setting: Setting) -> Effort {
        Effort(warmUp: 30, frames: setting.effort.isQuick ? 70 : 270)
    }

    /// Counts the frames in which the logo's box shares at least half with what is drawn, and those with a box
    /// elsewhere.
    fileprivate static func finds(
        _ readings: Readings, _ effort: Effort, in scenes: [DrawnStream]
    ) -> (right: Int, wrong: Int) {
        var (right, wrong) = (0, 0)
        for (reading, scene) in zip(readings[.ours], scenes) {
            for (frame, regions) in reading.regions(count: effort.total).enumerated() {
                guard let find = regions.first(where: { $0.type == "logo" }) else { continue }
                let truth = scene.actors(in: frame).first?.rectangle
                if let truth, find.box.similarity(truth) >= 0.5 { right += 1 } else { wrong += 1 }
            }
        }
        return (right, wrong)
    }
}

/// Rows of the finds of `svlogodetect`; no stock element finds a logo at any rotation and tilt.
extension CostMeasurement {
    static func logos(_ setting: Setting) -> [CostMeasurement] {
        [FrameSize.vga, .hd].flatMap { size in
            ["shape", "orb", "none"].flatMap { verification in
                [true, false].map { logos(verification, hasLogo: $0, size, Logos.effort(setting)) }
            }
        }
    }

    private static func logos(
        _ verification: String, hasLogo: Bool, _ size: FrameSize, _ effort: Effort
    ) -> CostMeasurement {
        let scenes = Logos.scenes(hasLogo: hasLogo, size)
        let frames = scenes.count * effort.total
        func finds(_ readings: Readings) -> (right: Int, wrong: Int) { Logos.finds(readings, effort, in: scenes) }
        return CostMeasurement(
            title:
                "Logos, drawn: CPU per frame above the carrier's, ms, and to a memcpy of the frame in BGRA; frames with a "
                + "find in its place and elsewhere",
            name: "logo/\(verification)/\(hasLogo ? "there" : "absent")/\(size)", elements: [Logos.factory],
            pipeline: Logos.element("mode=sync verify=\(verification)"), contents: scenes.map { .drawn($0) },
            effort: effort,
            goal: Goal(hasLogo ? ">=95%" : "<=1%") {
                let isFound = hasLogo ? finds($0).right * 100 >= 95 * frames : finds($0).wrong * 100 <= frames
                return isFound && (size != .vga || $0.added().mean <= 15e6)
            },
            others: [
                Column("frames") { _ in "\(frames)" }, Column("found") { "\(finds($0).right)" },
                Column("wrong") { "\(finds($0).wrong)" },
            ])
    }
}
