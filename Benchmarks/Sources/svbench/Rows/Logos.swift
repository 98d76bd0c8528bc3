// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Scenes

/// Drawn scenes with a logo in all frames or in none, and the element that finds it; no stock element finds a logo at any
/// rotation and tilt.
extension Catalogue {
    var logos: [Row] {
        [FrameSize.vga, .hd].flatMap { size in
            ["shape", "orb", "none"].flatMap { verification in
                [true, false].map { logos(verification, hasLogo: $0, size) }
            }
        }
    }

    var liveLogos: [Row] {
        [true, false].flatMap { isOurs in
            [true, false].map { hasLogo in
                live(
                    "logo/live/\(isOurs ? "async" : "nothing")/\(hasLogo ? "there" : "absent")/640x480",
                    isOurs ? logoDetector("mode=async") : nil, on: logoScene(1, hasLogo: hasLogo, .vga),
                    frames: logoEffort.total, hasGoal: isOurs)
            }
        }
    }

    private func logoDetector(_ properties: String) -> String {
        "svlogodetect template=\"\(Machine.repository)/pipelines/logo.png\" draw=false \(properties)"
    }

    private func logoScene(_ seed: UInt64, hasLogo: Bool, _ size: FrameSize) -> Content {
        Content(.drawn(DrawnStream(kind: .logo, count: hasLogo ? 1 : 0, seed: seed, ground: .bars)), size)
    }

    private var logoEffort: Effort { Effort(warmUp: 30, frames: effort.isQuick ? 70 : 270) }

    private func logos(_ verification: String, hasLogo: Bool, _ size: FrameSize) -> Row {
        let scenes = (1...3).map { logoScene($0, hasLogo: hasLogo, size) }
        let total = logoEffort.total
        let frames = scenes.count * total
        /// Counts the frames in which the logo's box shares at least half with what is drawn, and those with a box
        /// elsewhere.
        func finds(_ readings: Readings) -> (right: Int, wrong: Int) {
            var (right, wrong) = (0, 0)
            for (reading, scene) in zip(readings[.ours], scenes) {
                for (frame, regions) in reading.regions(count: total).enumerated() {
                    guard let find = regions.first(where: { $0.type == "logo" }) else { continue }
                    let truth = scene.entities(in: frame).first?.rectangle
                    if let truth, find.box.similarity(truth) >= 0.5 { right += 1 } else { wrong += 1 }
                }
            }
            return (right, wrong)
        }
        func isGood(_ readings: Readings) -> Bool {
            let isFound = hasLogo ? finds(readings).right * 100 >= 95 * frames : finds(readings).wrong * 100 <= frames
            return isFound && (size != .vga || readings.added().mean <= 15e6)
        }
        return .cost(
            "Logos, drawn: CPU per frame above the carrier's, ms, and to a memcpy of the frame in BGRA; frames with a find "
                + "in its place and elsewhere",
            "logo/\(verification)/\(hasLogo ? "there" : "absent")/\(size)",
            logoDetector("mode=sync verify=\(verification)"), on: scenes, logoEffort,
            goal: (hasLogo ? ">=95%" : "<=1%", isGood),
            others: [
                Column("frames") { _ in "\(frames)" }, Column("found") { "\(finds($0).right)" },
                Column("wrong") { "\(finds($0).wrong)" },
            ])
    }
}
