// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Where the samples of a row come from. Places are in 256ths of a pixel, the first pixel's centre at 0.
final class WarpRow {
    enum Kind {
        static let old: UInt8 = 0
        static let new: UInt8 = 1
        static let mixed: UInt8 = 2
    }

    /// For each sample: whether it is one of the old picture, as it is, one of the new, or computed.
    let kinds: UnsafeMutablePointer<UInt8>
    /// The new picture's weight, and how much of that is white or black then.
    let weights, light, shade: UnsafeMutablePointer<UInt8>
    /// The place in both pictures.
    let x, y: UnsafeMutablePointer<Int32>
    private let memory: UnsafeMutableRawPointer

    init(count: Int) {
        let count = (count + 63) & ~63
        memory = .allocate(byteCount: 12 * count, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 12 * count)
        let numbers = memory.assumingMemoryBound(to: Int32.self)
        (x, y) = (numbers, numbers + count)
        let bytes = (memory + 8 * count).assumingMemoryBound(to: UInt8.self)
        (kinds, weights, light, shade) = (bytes, bytes + count, bytes + 2 * count, bytes + 3 * count)
    }

    deinit { memory.deallocate() }
}

/// A way to bend pictures.
protocol Warp {
    /// Fills a row: all of `kinds`, and the rest where they are `mixed`.
    /// - Parameters:
    ///   - y: centre of the row in pixels, that of the first one at 0.5.
    ///   - columns: pixels that a sample stands for.
    func fill(_ row: WarpRow, y: Float, columns: Int, count: Int)
}

extension Warp {
    /// Returns the centre of a sample in pixels.
    func center(_ index: Int, _ columns: Int) -> Float { (Float(index) + 0.5) * Float(columns) }

    /// Returns a centre in 256ths of a pixel, as rows have it.
    func place(_ center: Float) -> Int32 { Int32((center - 0.5) * 256) }
}

/// A ring of waves goes out from the middle: within d = 0.12 R of its radius ρ = p (R + 2d) − d, R half the diagonal, both
/// pictures are seen at r + 0.25 d sin(π q) (1 + cos(π q)) / 2, q = (r − ρ) / d, mixed with the weight (1 − q) / 2, and
/// brightened by 0.25 max(0, sin(π q)) (1 + cos(π q)) / 2.
struct Ripple: Warp {
    private let middleX, middleY, reach, ring: Float
    /// Shift and light for q = −1…1.
    private let shifts: [Float]
    private let lights: [UInt8]
    private static let steps = 512

    init(at p: Double, width: Int, height: Int) {
        (middleX, middleY) = (Float(width) / 2, Float(height) / 2)
        let radius = (middleX * middleX + middleY * middleY).squareRoot()
        let reach = 0.12 * radius
        self.reach = reach
        ring = Float(p) * (radius + 2 * reach) - reach
        let waves = (0...Self.steps).map { step in
            let (sine, cosine) = sineAndCosine(degrees: 360 * Double(step) / Double(Self.steps) - 180)
            return (sine, (1 + cosine) / 2)
        }
        shifts = waves.map { 0.25 * reach * Float($0.0 * $0.1) }
        lights = waves.map { byte(255 * 0.25 * max(0, $0.0) * $0.1) }
    }

    func isSeen(_ side: TransitionSide, _ x: Double, _ y: Double) -> Bool {
        let (dx, dy) = (Float(x) - middleX, Float(y) - middleY)
        let r = (dx * dx + dy * dy).squareRoot()
        return side == .old ? r > ring - reach : r < ring + reach
    }

    func fill(_ row: WarpRow, y: Float, columns: Int, count: Int) {
        let down = y - middleY
        let scale = Float(Self.steps) / (2 * reach)
        shifts.withUnsafeBufferPointer { shifts in
            lights.withUnsafeBufferPointer { lights in
                for i in 0..<count {
                    let x = center(i, columns)
                    let across = x - middleX
                    let r = (across * across + down * down).squareRoot()
                    let q = r - ring
                    guard q > -reach, q < reach else {
                        row.kinds[i] = q < 0 ? WarpRow.Kind.new : WarpRow.Kind.old
                        continue
                    }
                    let step = min(Self.steps, max(0, Int((q + reach) * scale)))
                    let shift = shifts[step] / max(r, 1)
                    row.kinds[i] = WarpRow.Kind.mixed
                    row.weights[i] = UInt8(min(255, max(0, 127.5 * (1 - q / reach) + 0.5)))
                    (row.light[i], row.shade[i]) = (lights[step], 0)
                    (row.x[i], row.y[i]) = (place(x + across * shift), place(y + down * shift))
                }
            }
        }
    }
}

/// The old picture is rolled up around a cylinder of radius r = W / 10 that comes from the bottom right, its axis at a right
/// angle to the direction (0.94, 0.34). At a distance of s along that direction from the top left corner, the axis at c:
/// below c the picture lies flat; from c to c + r it goes up the cylinder, c + r asin((s − c) / r), or its back, of paper,
/// comes over it, as it does below c once more than half a turn is rolled up. On what lies under it falls a shadow, up to
/// r away.
struct PageCurl: Warp {
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
