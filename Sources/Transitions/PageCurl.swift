// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// The old image turns over like a page.
struct PageCurl: WarpEffect { typealias Bend = PageCurlWarp }

/// The old image is rolled up around a cylinder of radius r = W / 10 that comes from the bottom right, its axis at a right
/// angle to the direction (0.94, 0.34). At a distance of s along that direction from the top left corner, the axis at c:
/// below c the image lies flat; from c to c + r it goes up the cylinder, c + r asin((s − c) / r), or its back, of paper,
/// comes over it, as it does below c once more than half a turn is rolled up. On what lies under it falls a shadow, up to
/// r away.
struct PageCurlWarp: Warp {
    private static let (across, down): (Float, Float) = (0.9397, 0.342)
    private let width, height, radius, axis: Float
    private static let steps = 256
    private let angles: [Float]

    init(at p: Double, width: Int, height: Int) {
        (self.width, self.height) = (Float(width), Float(height))
        radius = max(1, Float(width) / 10)
        let far = Self.across * Float(width) + Self.down * Float(height)
        axis = far - Float(p) * (far + 2.2 * radius)
        angles = (0...Self.steps).map { step in
            let sine = Double(step) / Double(Self.steps)
            return Float(arcTangent(sine, max(0, 1 - sine * sine).squareRoot()))
        }
    }

    /// Whether a page has a point at the same place across, and `more` further along.
    private func isOnPage(_ x: Float, _ y: Float, _ more: Float) -> Bool {
        let (x, y) = (x + more * Self.across, y + more * Self.down)
        return x >= 0 && y >= 0 && x < width && y < height
    }

    func isSeen(_ side: TransitionSide, _ x: Double, _ y: Double) -> Bool {
        let s = Float(x) * Self.across + Float(y) * Self.down
        // Up the cylinder, a point is seen before its own place.
        return side == .old ? s < axis + 1.6 * radius : s > axis
    }

    func fill(_ row: WarpRow, y: Float, columns: Int, count: Int) {
        angles.withUnsafeBufferPointer { angles in
            for i in 0..<count {
                let x = center(i, columns)
                let s = x * Self.across + y * Self.down
                let beyond = s - axis
                if beyond > radius {
                    let distance = (beyond - radius) / radius
                    guard distance < 1 else {
                        row.kinds[i] = WarpRow.Kind.new
                        continue
                    }
                    set(row, i, x, y, more: 0, isNew: true, shade: 0.4 * (1 - distance) * (1 - distance))
                } else if beyond > 0 {
                    let angle = angles[min(Self.steps, Int(beyond / radius * Float(Self.steps)))]
                    let (over, under) = (radius * (.pi - angle) - beyond, radius * angle - beyond)
                    if isOnPage(x, y, over) {
                        set(row, i, x, y, more: 0, isNew: false, light: 1, shade: 0.12 + 0.3 * beyond / radius)
                    } else if isOnPage(x, y, under) {
                        set(row, i, x, y, more: under, isNew: false, shade: 0.45 * beyond / radius)
                    } else {
                        set(row, i, x, y, more: 0, isNew: true, shade: 0.4)
                    }
                } else if isOnPage(x, y, .pi * radius - 2 * beyond) {
                    set(row, i, x, y, more: 0, isNew: false, light: 1, shade: 0.12)
                } else {
                    row.kinds[i] = WarpRow.Kind.old
                }
            }
        }
    }

    private func set(
        _ row: WarpRow, _ i: Int, _ x: Float, _ y: Float, more: Float, isNew: Bool, light: Float = 0, shade: Float
    ) {
        row.kinds[i] = WarpRow.Kind.mixed
        row.weights[i] = isNew ? 255 : 0
        row.light[i] = UInt8(light * 255)
        row.shade[i] = UInt8(min(255, max(0, shade * 255)))
        (row.x[i], row.y[i]) = (place(x + more * Self.across), place(y + more * Self.down))
    }
}
