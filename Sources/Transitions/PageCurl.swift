// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

struct PageCurl: WarpEffect { typealias Bend = PageCurlWarp }

/// The old image is a page that rolls up around a cylinder with the radius r = W / 10, where W is the width of the
/// frame. The cylinder moves in from the bottom right. The axis of the cylinder is perpendicular to the direction
/// (0.94, 0.34). In this direction, s is the distance of a point from the top left corner, and c is the distance of the
/// axis.
///
/// - If s is less than c, the page is flat. The part of the page that has rolled by more than half a turn lies above
///   the flat page. Where it covers the flat page, its white back is visible.
/// - If s is between c and c + r, the point shows the back of the page if the page has rolled far enough to cover the
///   point. Otherwise the point shows the front of the page on the rising side of the cylinder, at the position c + r
///   asin((s − c) / r).
/// - If s is greater than c + r, the point shows the new image. Up to the distance r from the cylinder, the new image
///   is in shadow.
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

    /// Returns true if the page contains the point that is `more` pixels away from (x, y) in the direction (0.94,
    /// 0.34).
    private func isOnPage(_ x: Float, _ y: Float, _ more: Float) -> Bool {
        let (x, y) = (x + more * Self.across, y + more * Self.down)
        return x >= 0 && y >= 0 && x < width && y < height
    }

    func isVisible(_ side: TransitionSide, _ x: Double, _ y: Double) -> Bool {
        let s = Float(x) * Self.across + Float(y) * Self.down
        // The cylinder lifts the page. So a point of the old image can still be visible on the cylinder after the axis
        // has passed the point's flat position.
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
        (row.x[i], row.y[i]) = (fixedPosition(x + more * Self.across), fixedPosition(y + more * Self.down))
    }
}
