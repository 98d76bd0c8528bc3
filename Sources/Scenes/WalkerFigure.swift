// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
internal import Imaging

/// The drawing of a person or a cat of the scene `walkers`. The figure consists of thick lines with round ends, so its
/// bounding box is known exactly.
struct WalkerFigure {
    private struct Limb {
        var start: Point
        var end: Point
        var width: Double
        var color: Color
    }

    let feet: Point
    private let height: Double
    private var limbs: [Limb] = []

    /// - Parameters:
    ///   - feet: the point on the floor under the figure, in pixels.
    ///   - height: the height of the figure, in pixels.
    ///   - swing: the position of the legs, -1…1; 0 for a figure that stands.
    ///   - facing: 1 if the figure looks to the right; -1 if it looks to the left.
    init(_ look: WalkerLook, isCat: Bool, feet: Point, height: Double, swing: Double, facing: Double) {
        (self.feet, self.height) = (feet, height)
        if isCat {
            drawCat(look, swing: swing, facing: facing)
        } else {
            drawPerson(look, swing: swing, facing: facing)
        }
    }

    /// Adds a limb from (x, y) to (endX, endY).
    /// - Parameters: positions and the width in body heights. Positions are relative to the feet, and `y` points
    ///   upwards.
    private mutating func add(
        _ x: Double, _ y: Double, _ endX: Double, _ endY: Double, width: Double, _ color: Color
    ) {
        func place(_ x: Double, _ y: Double) -> Point { Point(feet.x + height * x, feet.y - height * y) }
        limbs.append(Limb(start: place(x, y), end: place(endX, endY), width: height * width, color: color))
    }

    private mutating func drawPerson(_ look: WalkerLook, swing: Double, facing: Double) {
        // The left and the right leg swing in opposite directions, and so do the arms. So the bounding box is
        // horizontally symmetrical about the feet.
        let (step, lift) = (0.13 * swing, 0.03 * swing.magnitude)
        add(0, 0.5, -step, 0.04 + lift, width: 0.08, 0.85 * look.trousers)
        add(0, 0.77, 0.9 * step, 0.46, width: 0.055, 0.85 * look.shirt)
        add(0, 0.5, step, 0.04, width: 0.08, look.trousers)
        add(0, 0.73, 0, 0.52, width: 0.19, look.shirt)
        add(0, 0.77, -0.9 * step, 0.46, width: 0.055, 1.12 * look.shirt)
        add(0, 0.92, 0, 0.915, width: 0.16, look.hair)
        add(0.02 * facing, 0.9, 0.02 * facing, 0.895, width: 0.12, look.skin)
    }

    private mutating func drawCat(_ look: WalkerLook, swing: Double, facing: Double) {
        let (step, dark) = (0.22 * swing, 0.8 * look.fur)
        func place(_ x: Double) -> Double { facing * x }
        for (leg, sign) in [(-0.36, 1.0), (0.36, -1.0)] {
            add(place(leg), 0.4, place(leg) - sign * step, 0.07, width: 0.12, dark)
            add(place(leg), 0.4, place(leg) + sign * step, 0.06, width: 0.12, look.fur)
        }
        add(place(-0.36), 0.5, place(0.36), 0.5, width: 0.36, look.fur)
        add(place(-0.42), 0.55, place(-0.86), 0.9, width: 0.1, look.fur)
        add(place(0.6), 0.74, place(0.62), 0.74, width: 0.36, look.fur)
        for ear in [0.52, 0.72] { add(place(ear), 0.86, place(ear + 0.01), 0.96, width: 0.07, dark) }
        add(place(0.74), 0.7, place(0.86), 0.68, width: 0.1, 1.15 * look.fur)
    }

    /// The bounding box in whole pixels.
    var bounds: Rectangle {
        var (left, right, top, bottom) = (feet.x, feet.x, feet.y, feet.y)
        for limb in limbs {
            let reach = limb.width / 2
            left = min(left, limb.start.x - reach, limb.end.x - reach)
            right = max(right, limb.start.x + reach, limb.end.x + reach)
            top = min(top, limb.start.y - reach, limb.end.y - reach)
            bottom = max(bottom, limb.start.y + reach, limb.end.y + reach)
        }
        let (x, y) = (floored(left + 0.5), floored(top + 0.5))
        return Rectangle(x: x, y: y, width: floored(right + 0.5) - x, height: floored(bottom + 0.5) - y)
    }

    func draw(on frame: FrameImage) {
        for limb in limbs { frame.line(from: limb.start, to: limb.end, width: limb.width, color: limb.color) }
    }
}
