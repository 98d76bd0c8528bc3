// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Glibc
import Imaging

/// The quality of a template: how well the logo can be distinguished from other things.
package struct TemplateQuality: Sendable, Hashable {
    /// Number of ORB keypoints.
    package let keypoints: Int
    /// Number of ORB keypoints of the normalized shape that differ from all others.
    package let distinctKeypoints: Int
    /// The highest score of the template on a plain shape, 0…1, and the name of the shape.
    package let confusion: Double
    package let lookalike: String

    /// True if the template matches plain shapes, which occur in most images.
    package var isUseless: Bool { confusion >= LogoTuning.uselessConfusion }

    /// Minimum score of a pose.
    let minScore: Double

    /// Measures the quality of a template, and reduces the weights of edges that plain shapes have, too.
    init(_ look: inout LogoLook, keypoints: Int, distinctCount: Int) throws(VisionError) {
        (self.keypoints, distinctKeypoints) = (keypoints, distinctCount)
        var shapes: [(name: String, agreements: [Double?], score: Double)] = []
        for shape in PlainShape.all {
            if let best = try shape.best(look) { shapes.append((shape.name, best.agreements, best.score)) }
        }
        var similar = shapes.filter { $0.score >= LogoTuning.plainScore }.map(\.agreements)
        if look.hasInnerEdges {
            // The outline alone can be similar to a shape, such as the disc of many logos. Then the edges inside decide.
            for shape in PlainShape.all {
                if let best = try shape.best(look.outline), best.score >= LogoTuning.plainScore {
                    similar.append(best.agreements)
                }
            }
        }
        look.weigh(by: similar)
        var (highest, name) = (0.0, "no shape")
        for shape in shapes {
            let score = LogoEvidence(look, agreements: shape.agreements)?.score ?? 0
            if score > highest { (highest, name) = (score, shape.name) }
        }
        (confusion, lookalike) = (highest, name)
        minScore = max(LogoTuning.minScore, min(LogoTuning.maxMinScore, confusion + LogoTuning.confusionMargin))
    }

    /// A description of the problem with figures and advice; nil if the template is good.
    package var problem: String? {
        func percent(_ fraction: Double) -> String { "\(Int((100 * fraction).rounded())) %" }
        if isUseless {
            return "the logo is \(percent(confusion)) similar to a plain \(lookalike), so other things would "
                + "match the logo"
        }
        if confusion >= LogoTuning.poorConfusion {
            return "the logo is \(percent(confusion)) similar to a plain \(lookalike) (good: below "
                + "\(percent(LogoTuning.poorConfusion))), so svlogodetect needs more evidence for this logo and misses "
                + "occluded logos. Use an image with more details, such as the logo with its text"
        }
        if keypoints < LogoTuning.fewKeypoints {
            return "the logo has \(keypoints) keypoints (good: at least \(LogoTuning.fewKeypoints)), so svlogodetect "
                + "can miss the logo on patterned backgrounds. Use an image with more details, such as the logo with "
                + "its text"
        }
        return nil
    }
}

/// A shape that is common in images, drawn in the middle of a square.
private struct PlainShape: Sendable {
    let name: String
    /// Number of rotations, in steps of 45 degrees, until the shape looks the same again.
    var turns = 8
    let draw: @Sendable (FrameImage) -> Void

    private static let (side, half, ink): (Double, Double, Color) = (240, 60, 0xFF20_2020)

    private static func box(_ frame: FrameImage, _ x: Double, _ y: Double, _ width: Double, _ height: Double) {
        let middle = side / 2
        frame.fill(
            Rectangle(
                x: Int(middle + x * half), y: Int(middle + y * half), width: Int(width * half),
                height: Int(height * half)), color: ink)
    }

    /// The shapes have a height or a width of 2 units, from −1 to 1.
    static let all: [PlainShape] = [
        PlainShape(name: "disc", turns: 1) {
            $0.disc(Point(side / 2, side / 2), radius: half, color: ink)
        },
        PlainShape(name: "ring", turns: 1) {
            $0.circle(Point(side / 2, side / 2), radius: 0.8 * half, lineWidth: 0.4 * half, color: ink)
        },
        PlainShape(name: "square", turns: 2) { box($0, -1, -1, 2, 2) },
        PlainShape(name: "frame", turns: 2) { frame in
            for (x, y, width, height) in [(-1, -1, 2, 0.4), (-1, 0.6, 2, 0.4), (-1, -1, 0.4, 2), (0.6, -1, 0.4, 2)] {
                box(frame, x, y, width, height)
            }
        },
        PlainShape(name: "bar", turns: 4) { box($0, -1, -0.3, 2, 0.6) },
        PlainShape(name: "triangle") {
            $0.polygon(
                [(-1.0, 0.87), (1.0, 0.87), (0, -0.87)].map { Point(side / 2 + $0.0 * half, side / 2 + $0.1 * half) },
                color: ink)
        },
        PlainShape(name: "letter T") { frame in
            box(frame, -0.8, -1, 1.6, 0.4)
            box(frame, -0.2, -1, 0.4, 2)
        },
        PlainShape(name: "letter L") { frame in
            box(frame, -0.6, -1, 0.4, 2)
            box(frame, -0.6, 0.6, 1.2, 0.4)
        },
        PlainShape(name: "cross", turns: 2) { frame in
            box(frame, -1, -0.25, 2, 0.5)
            box(frame, -0.25, -1, 0.5, 2)
        },
    ]

    /// Returns the best agreements of a template with this shape, and their score.
    func best(_ look: LogoLook) throws(VisionError) -> (agreements: [Double?], score: Double)? {
        let plane = OwnedImage(.gray8, width: Int(Self.side), height: Int(Self.side))
        let frame = FrameImage(plane.image)
        frame.fill(frame.bounds, color: 0xFFE0_E0E0)
        draw(frame)
        let view = try LogoView(frame)
        withExtendedLifetime(plane) {}
        guard let reader = try view.reader(for: 2 * Self.half) else { return nil }
        let fit = LogoFit(look: look, reader: reader)
        var best: (agreements: [Double?], score: Double)?
        for turn in 0..<turns {
            let angle = Double(turn) * .pi / 4
            let (x, y) = (2 * Self.half * cos(angle), 2 * Self.half * sin(angle))
            let pose = Homography(AffineMap(xx: x, xy: -y, x0: Self.side / 2, yx: y, yy: x, y0: Self.side / 2))
            guard let aligned = fit.aligned(pose), let gain = fit.gain(aligned) else { continue }
            let agreements = fit.agreements(aligned, gain)
            let score = LogoEvidence(look, agreements: agreements)?.score ?? 0
            if score > best?.score ?? 0 { best = (agreements, score) }
        }
        return best
    }
}
