// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging

/// An effect in which a threshold determines for each pixel when the pixel changes (see `ThresholdMap`).
protocol ThresholdEffect: TransitionEffect {
    /// True if the thresholds depend on the seed and the mask.
    var usesSeed: Bool { get }

    func map(width: Int, height: Int, for moment: TransitionPainter.Moment, with blender: Blender) -> ThresholdMap
}

extension ThresholdEffect {
    func prepare(_ scene: Scene) {
        let (moment, output) = (scene.moment, scene.output)
        let key = TransitionRoom.MapKey(
            transition: moment.transition, width: output.width, height: output.height, seed: usesSeed ? moment.seed : 0,
            mask: usesSeed ? moment.mask?.number : nil)
        guard scene.room.map?.key != key else { return }
        scene.room.map = (key, map(width: output.width, height: output.height, for: moment, with: scene.blender))
    }

    func draw(_ scene: Scene) {
        guard let map = scene.room.map?.map else { return }
        scene.mix(by: map, at: map.moment(at: scene.progress))
    }

    func sight(of box: Rectangle, in side: TransitionSide, _ view: TransitionView) -> TransitionPainter.Sight? {
        guard let map = view.room.map?.map, map.width == view.frame.width, map.height == view.frame.height else {
            return .init(box: box)
        }
        let now = map.moment(at: view.moment.progress)
        return box.visiblePart {
            let weight = map.weight(Int($0), Int($1), at: now)
            return side == .old ? weight < 255 : weight > 0
        }.map { .init(box: $0) }
    }
}

/// A transition in which the position of a pixel decides when the pixel changes. Pixels with low thresholds change
/// first.
struct Pattern: ThresholdEffect {
    /// Returns the threshold at the centre of a pixel. The caller clamps the threshold to 0…1.
    typealias Threshold = (_ x: Float, _ y: Float) -> Float

    let usesSeed = false
    private let softness: Double
    private let threshold: @Sendable (_ width: Float, _ height: Float) -> Threshold
    private let isReversed: Bool

    /// - Parameters:
    ///   - softness: see `ThresholdMap`.
    ///   - threshold: returns the threshold function for the size of a frame.
    ///   - isReversed: if true, pixels with high thresholds change first.
    init(
        softness: Double, _ threshold: @escaping @Sendable (_ width: Float, _ height: Float) -> Threshold,
        isReversed: Bool = false
    ) {
        (self.softness, self.threshold, self.isReversed) = (softness, threshold, isReversed)
    }

    func map(width: Int, height: Int, for moment: TransitionPainter.Moment, with blender: Blender) -> ThresholdMap {
        let threshold = threshold(Float(width), Float(height))
        return ThresholdMap(width: width, height: height, softness: softness, with: blender) { row, values in
            let y = Float(row) + 0.5
            for x in 0..<width {
                let value = threshold(Float(x) + 0.5, y)
                let t = isReversed ? 1 - value : value
                values[x] = UInt16((t > 0 ? (t < 1 ? t : 1) : 0) * 65535 + 0.5)
            }
        }
    }
}

// MARK: - Functions

extension Pattern {
    @Sendable static func left(_ width: Float, _ height: Float) -> Threshold { { x, _ in 1 - x / width } }
    @Sendable static func right(_ width: Float, _ height: Float) -> Threshold { { x, _ in x / width } }
    @Sendable static func up(_ width: Float, _ height: Float) -> Threshold { { _, y in 1 - y / height } }
    @Sendable static func down(_ width: Float, _ height: Float) -> Threshold { { _, y in y / height } }

    /// The threshold is the distance from the centre, relative to the distance of the corners.
    @Sendable static func circle(_ width: Float, _ height: Float) -> Threshold {
        let radius = (width * width + height * height).squareRoot() / 2
        return { x, y in
            let (across, down) = (x - width / 2, y - height / 2)
            return (across * across + down * down).squareRoot() / radius
        }
    }

    /// The threshold is the larger of two values: the horizontal distance from the centre, divided by half the width,
    /// and the vertical distance, divided by half the height. It is 1 at the edges of the frame.
    @Sendable static func rectangle(_ width: Float, _ height: Float) -> Threshold {
        { x, y in max(abs(2 * x / width - 1), abs(2 * y / height - 1)) }
    }

    /// The threshold is the clockwise angle from 12 o'clock, in turns.
    @Sendable static func clock(_ width: Float, _ height: Float) -> Threshold {
        { x, y in clockAngle(x - width / 2, y - height / 2) }
    }

    @Sendable static func diagonal(_ width: Float, _ height: Float) -> Threshold {
        { x, y in (x / width + y / height) / 2 }
    }

    /// The thresholds form twelve vertical bars, in which the change moves alternately downwards and upwards. Each bar
    /// starts slightly later than the bar on its left.
    @Sendable static func bars(_ width: Float, _ height: Float) -> Threshold {
        let count: Float = 12
        return { x, y in
            let bar = (count * x / width).rounded(.down)
            let isOdd = bar - 2 * (bar / 2).rounded(.down) > 0.5
            return 0.7 * (isOdd ? 1 - y / height : y / height) + 0.3 * bar / (count - 1)
        }
    }

    /// The thresholds form growing circles in a square grid that is rotated by 45°. The centre of the frame is the
    /// centre of a circle.
    @Sendable static func holes(_ width: Float, _ height: Float) -> Threshold {
        let cell = max(8, height / 7)
        return { x, y in
            let (across, down) = (x - width / 2, y - height / 2)
            let (a, b) = ((across + down) * 0.70711 / cell, (across - down) * 0.70711 / cell)
            let (u, v) = (a - a.rounded(), b - b.rounded())
            return (u * u + v * v).squareRoot() * 1.41421
        }
    }

    /// Returns the clockwise angle from 12 o'clock in turns, 0 ..< 1. A polynomial of degree 9 approximates the arc
    /// tangent (Abramowitz and Stegun 4.4.47), with a maximum error of 1e-5.
    private static func clockAngle(_ x: Float, _ y: Float) -> Float {
        let (across, down) = (abs(x), abs(y))
        let (less, more) = (min(across, down), max(across, down, 1e-6))
        let t = less / more
        let s = t * t
        let arc = t * (0.999866 + s * (-0.3302995 + s * (0.180141 + s * (-0.085133 + s * 0.0208351))))
        // The angle from the vertical, after the point has been mirrored into the first quadrant.
        let quarter = (across > down ? Float.pi / 2 - arc : arc) / (2 * .pi)
        switch (x >= 0, y <= 0) {
        case (true, true): return quarter
        case (true, false): return 0.5 - quarter
        case (false, false): return 0.5 + quarter
        case (false, true): return 1 - quarter
        }
    }
}
