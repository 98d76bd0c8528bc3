// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging

// The formulas of filters that use several pixels or the position of a pixel.

func gaussian(_ sigma: Double) -> [Double] {
    sigma > 0.05 ? (0...Int(6 * sigma + 2)).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) } : [1, 0]
}

func box(_ radius: Double) -> [Double] {
    let reach = Int(radius)
    return (0...reach).map { _ in 1 } + [radius - Double(reach)]
}

/// Returns a formula that combines each pixel with the blurred pixel.
private func withBlur(
    _ radius: String, _ change: @escaping @Sendable (SIMD3<Double>, SIMD3<Double>, Parameters) -> SIMD3<Double>
) -> Formula {
    { picture, p in
        let clipped = picture.clipped
        let blurred = clipped.separably(gaussian(p[radius]))
        return clipped.changed { color, x, y in change(color, blurred[x, y], p) }
    }
}

/// Returns the horizontal and the vertical Sobel derivative of a function of the pixels.
private func slope(_ picture: RealPicture, _ x: Int, _ y: Int, _ value: (SIMD3<Double>) -> Double) -> (Double, Double) {
    func at(_ dx: Int, _ dy: Int) -> Double { value(picture[x + dx, y + dy]) }
    return (
        at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1),
        at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1)
    )
}

private func median(_ picture: RealPicture, _ reach: Int) -> RealPicture {
    picture.changed { _, x, y in
        let all = (-reach...reach).flatMap { dy in (-reach...reach).map { dx in picture[x + dx, y + dy] } }
        func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        return SIMD3(middle(all.map(\.x)), middle(all.map(\.y)), middle(all.map(\.z)))
    }
}

let spatialFormulas: [String: Formula] = [
    "gaussian-blur": { picture, p in picture.clipped.separably(gaussian(p["radius"])) },
    "box-blur": { picture, p in p["radius"] > 0 ? picture.clipped.separably(box(p["radius"])) : picture },
    "motion-blur": { picture, p in
        let clipped = picture.clipped
        let angle = p["angle"] * .pi / 180
        let isFlat = abs(cos(angle)) >= abs(sin(angle))
        let slope = isFlat ? tan(angle) : 1 / tan(angle)
        let weights = box(p["radius"] / sqrt(1 + slope * slope))
        func shift(_ t: Int) -> Int { Int((Double(t) * slope + 0.5).rounded(.down)) }
        return clipped.changed { _, x, y in
            var (sum, total) = (SIMD3<Double>(repeating: 0), 0.0)
            let (t, length) = isFlat ? (x, picture.width) : (y, picture.height)
            for k in -(weights.count - 1)...(weights.count - 1) {
                // Beyond the ends of a line, the filter repeats the last pixel.
                let step = min(length - 1, max(0, t + k))
                let across = shift(step) - shift(t)
                sum += weights[abs(k)] * (isFlat ? clipped[step, y + across] : clipped[x + across, step])
                total += weights[abs(k)]
            }
            return sum / total
        }
    },
    "zoom-blur": { picture, p in
        var result = picture.clipped
        let center = Point(p["center-x"] * Double(picture.width), p["center-y"] * Double(picture.height))
        for step in 0..<5 {
            let scale = pow(1 - p["amount"], Double(1 << step) / 31)
            let other = result.warped {
                Point(center.x + ($0.x - center.x) * scale, center.y + ($0.y - center.y) * scale)
            }
            result = result.changed { color, x, y in (color + other[x, y]) / 2 }
        }
        return result
    },
    "median": { picture, p in median(picture.clipped, Int(p["radius"])) },
    "sharpen-luminance": withBlur("radius") { c, b, p in
        c + SIMD3(repeating: p["sharpness"] * (c.luma - b.luma))
    },
    "unsharp-mask": withBlur("radius") { c, b, p in
        let detail = (c - b).mapped { abs($0) > p["threshold"] ? $0 : 0 }
        return c + detail * p["intensity"]
    },
    "gloom": withBlur("radius") { c, b, p in
        c + (SIMD3(min(c.x, b.x), min(c.y, b.y), min(c.z, b.z)) - c) * p["intensity"]
    },
    "pencil-sketch": withBlur("radius") { c, b, p in
        let ratio = min(1, c.luma / max(b.luma, 1.0 / 255))
        return SIMD3(repeating: max(0, 1 - p["strength"] * (1 - ratio)))
    },
    "bloom": { picture, p in
        let clipped = picture.clipped
        let lights = clipped.map { c in c.mapped { ($0 - p["threshold"]) / (1 - p["threshold"]) } }.clipped
        let glow = lights.separably(gaussian(p["radius"]))
        let one = SIMD3<Double>(repeating: 1)
        return clipped.changed { c, x, y in one - (one - c) * (one - glow[x, y] * p["intensity"]) }
    },
    "edges": { picture, p in
        let clipped = picture.clipped
        return clipped.changed { _, x, y in
            func steepness(_ value: (SIMD3<Double>) -> Double) -> Double {
                let (dx, dy) = slope(clipped, x, y, value)
                return p["intensity"] * sqrt(dx * dx + dy * dy) / 4
            }
            return SIMD3(steepness { $0.x }, steepness { $0.y }, steepness { $0.z })
        }
    },
    "emboss": { picture, p in
        let clipped = picture.clipped
        let angle = p["angle"] * .pi / 180
        return clipped.changed { _, x, y in
            let (dx, dy) = slope(clipped, x, y, \.luma)
            return SIMD3(repeating: 0.5 - p["height"] / 8 * (dx * cos(angle) + dy * sin(angle)))
        }
    },
    "comic": { picture, p in
        let calm = median(picture.clipped, 1)
        return calm.changed { c, x, y in
            let (dx, dy) = slope(calm, x, y, \.luma)
            let ink = min(1, max(0, 2 - sqrt(dx * dx + dy * dy) / 4 / p["threshold"]))
            let step = min(p["levels"] - 1, (c.luma * p["levels"] + 1e-6).rounded(.down))
            return c * ((step + 0.5) / p["levels"] / max(c.luma, 1.0 / 255) * ink)
        }
    },
    "oil-paint": { picture, p in
        let clipped = picture.clipped
        let reach = Int(p["radius"])
        return clipped.changed { _, x, y in
            let corners = [(-reach, -reach), (reach, -reach), (-reach, reach), (reach, reach)]
            // The first pixel and the centre of a square may be outside of the image.
            let squares = corners.map { dx, dy in
                let middle = (x: min(picture.width - 1, max(0, x + dx)), y: min(picture.height - 1, max(0, y + dy)))
                return (-reach...reach).flatMap { j in
                    (-reach...reach).map { i in clipped[middle.x + i, middle.y + j] }
                }
            }
            let half = boxMeans(squares, reach)
            return half.min { $0.variance < $1.variance }?.color ?? SIMD3(repeating: 0)
        }
    },
    "pixellate": { picture, p in
        let clipped = picture.clipped
        let size = Int(p["size"])
        return clipped.changed { _, x, y in
            let (left, top) = (x / size * size, y / size * size)
            let columns = left..<min(picture.width, left + size)
            let colors = (top..<min(picture.height, top + size)).flatMap { y in columns.map { clipped[$0, y] } }
            return colors.reduce(SIMD3(repeating: 0), +) / Double(colors.count)
        }
    },
]

private func boxMeans(
    _ squares: [[SIMD3<Double>]], _ reach: Int
) -> [(color: SIMD3<Double>, variance: Double)] {
    squares.map { colors in
        let mean = colors.reduce(SIMD3(repeating: 0), +) / Double(colors.count)
        let square = colors.map { $0.luma * $0.luma }.reduce(0, +) / Double(colors.count)
        return (mean, square - mean.luma * mean.luma)
    }
}
