// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging

// The formulas of filters that move pixels or use the position of a pixel.

private func size(_ picture: RealPicture) -> (width: Double, height: Double) {
    (Double(picture.width), Double(picture.height))
}

private func center(_ picture: RealPicture, _ p: Parameters) -> Point {
    let (width, height) = size(picture)
    return Point(p["center-x"] * width, p["center-y"] * height)
}

/// Returns the distance of a pixel's centre from a point.
private func distance(_ x: Int, _ y: Int, _ center: Point) -> Double {
    hypot(Double(x) + 0.5 - center.x, Double(y) + 0.5 - center.y)
}

private func halfDiagonal(_ picture: RealPicture) -> Double { hypot(Double(picture.width), Double(picture.height)) / 2 }

/// Returns a warp about a centre. Distances are in halves of the image's shorter side.
private func radial(_ change: @escaping @Sendable (_ r: Double, Parameters) -> (scale: Double, turn: Double)) -> Formula
{
    { picture, p in
        let middle = center(picture, p)
        let reach = p["radius"] * Double(min(picture.width, picture.height)) / 2
        return picture.clipped.warped(p) { place in
            let (dx, dy) = (place.x - middle.x, place.y - middle.y)
            let r = hypot(dx, dy) / reach
            guard r < 1 else { return place }
            let (scale, turn) = change(r, p)
            let angle = atan2(dy, dx) + turn
            return Point(middle.x + hypot(dx, dy) * scale * cos(angle), middle.y + hypot(dx, dy) * scale * sin(angle))
        }
    }
}

extension RealPicture {
    /// Returns an image in which each pixel comes from the position that `source` returns. The parameter `edges`
    /// determines the colours of positions outside of this image.
    fileprivate func warped(_ p: Parameters, _ source: (Point) -> Point) -> RealPicture {
        let (width, height) = size(self)
        return warped { place in
            let place = source(place)
            switch p.word("edges") {
            case "mirror": return Point(mirrored(place.x, width), mirrored(place.y, height))
            case "wrap":
                return Point(place.x - width * floor(place.x / width), place.y - height * floor(place.y / height))
            case "transparent":
                return (0...width).contains(place.x) && (0...height).contains(place.y) ? place : nil
            default: return place
            }
        }
    }
}

private func mirrored(_ value: Double, _ size: Double) -> Double {
    let rest = value - (value / (2 * size)).rounded(.down) * 2 * size
    return rest <= size ? rest : 2 * size - rest
}

/// Returns the coordinates of a pixel relative to the centre of the image, along axes that are rotated by an angle.
private func turned(_ x: Int, _ y: Int, _ picture: RealPicture, _ degrees: Double) -> (u: Double, v: Double) {
    let (dx, dy) = (Double(x) + 0.5 - Double(picture.width) / 2, Double(y) + 0.5 - Double(picture.height) / 2)
    let angle = degrees * .pi / 180
    return (dx * cos(angle) + dy * sin(angle), dy * cos(angle) - dx * sin(angle))
}

private func overlaid(_ mask: @escaping @Sendable (_ x: Int, _ y: Int, RealPicture, Parameters) -> Double) -> Formula {
    { picture, p in
        picture.changed { c, x, y in
            mix(c, p.color("color"), p["opacity"] * min(1, max(0, mask(x, y, picture, p))))
        }
    }
}

private func inked(_ screen: @escaping @Sendable (_ x: Int, _ y: Int, RealPicture, Parameters) -> Double) -> Formula {
    { picture, p in
        picture.clipped.changed { c, x, y in
            SIMD3(repeating: (c.luma - screen(x, y, picture, p)) * p["sharpness"] + 0.5)
        }
    }
}

let placeFormulas: [String: Formula] = [
    "vignette": { picture, p in
        let middle = center(picture, p)
        return picture.changed { c, x, y in
            let inner = p["radius"] * (1 - p["softness"])
            let d = distance(x, y, middle) / halfDiagonal(picture)
            let t = min(1, max(0, (d - inner) / max(1e-6, p["radius"] - inner)))
            return c * (1 - p["intensity"] * t * t * (3 - 2 * t))
        }
    },
    "radial-gradient": { picture, p in
        let middle = center(picture, p)
        return picture.changed { c, x, y in
            let t = min(1, distance(x, y, middle) / halfDiagonal(picture) / p["radius"])
            return mix(c, mix(p.color("inner"), p.color("outer"), t), p["opacity"])
        }
    },
    "checkerboard": overlaid { x, y, picture, p in
        let (u, v) = turned(x, y, picture, p["angle"])
        let k = 2 * p["size"] / .pi
        return 0.5 + k * cos(.pi * u / p["size"]) * cos(.pi * v / p["size"])
    },
    "stripes": overlaid { x, y, picture, p in
        0.5 + p["size"] / .pi * cos(.pi * turned(x, y, picture, p["angle"]).u / p["size"])
    },
    "dot-screen": inked { x, y, picture, p in
        let (u, v) = turned(x, y, picture, p["angle"] + 45)
        let d = p["size"] * 2.0.squareRoot()
        return 0.5 + 0.5 * cos(2 * .pi * u / d) * cos(2 * .pi * v / d)
    },
    "line-screen": inked { x, y, picture, p in
        0.5 + 0.5 * cos(2 * .pi * turned(x, y, picture, p["angle"]).v / p["size"])
    },
    "night-vision": { picture, p in
        picture.map { SIMD3(repeating: pow(min(1, max(0, $0.luma * p["gain"])), 1 / 1.8)) }.changed { c, x, y in
            let green = mix(SIMD3(0, 0.03, 0), SIMD3(0.55, 1, 0.45), c.x)
            let wave = 0.5 + 0.5 * cos(2 * .pi * (Double(y) + 0.5 - Double(picture.height) / 2) / 3)
            let middle = Point(Double(picture.width) / 2, Double(picture.height) / 2)
            let t = min(1, max(0, (distance(x, y, middle) / halfDiagonal(picture) - 0.5) / 0.5))
            return green * (1 - 0.3 * wave) * (1 - 0.85 * t * t * (3 - 2 * t))
        }
    },
    "pinch": radial { r, p in (pow(max(r, 1e-6), -p["amount"] * (1 - r)), 0) },
    "bump": radial { r, p in (1 - p["amount"] * pow(1 - r * r, 2), 0) },
    "twirl": radial { r, p in (1, -p["angle"] * .pi / 180 * pow(1 - r, 2)) },
    "lens": { picture, p in
        let middle = center(picture, p)
        return picture.clipped.warped(p) { place in
            let (dx, dy) = (place.x - middle.x, place.y - middle.y)
            let r = hypot(dx, dy) / halfDiagonal(picture)
            let scale = (1 + p["k1"] * r * r + p["k2"] * pow(r, 4)) / p["zoom"]
            return Point(middle.x + dx * scale, middle.y + dy * scale)
        }
    },
    "ripple": { picture, p in
        let middle = center(picture, p)
        return picture.clipped.warped(p) { place in
            let (dx, dy) = (place.x - middle.x, place.y - middle.y)
            let d = hypot(dx, dy)
            guard d > 0 else { return place }
            let moved = d + p["amplitude"] * sin(2 * .pi * d / p["length"] + p["phase"] * .pi / 180)
            return Point(middle.x + dx * moved / d, middle.y + dy * moved / d)
        }
    },
    "mirror": { picture, p in
        picture.clipped.changed { _, x, y in
            let axis = p.word("axis")
            return picture.clipped[
                axis == "vertical" ? x : picture.width - 1 - x, axis == "horizontal" ? y : picture.height - 1 - y]
        }
    },
    "rotate": { picture, p in
        let (width, height) = size(picture)
        let angle = -p["angle"] * .pi / 180
        return picture.clipped.warped(p) { place in
            let (dx, dy) = (place.x - width / 2, place.y - height / 2)
            let turned = Point(dx * cos(angle) - dy * sin(angle), dx * sin(angle) + dy * cos(angle))
            return Point(width / 2 + turned.x / p["scale"], height / 2 + turned.y / p["scale"])
        }
    },
    "crop-zoom": { picture, p in
        let (width, height) = size(picture)
        let part = (width: width / p["zoom"], height: height / p["zoom"])
        let left = min(width - part.width, max(0, p["center-x"] * width - part.width / 2))
        let top = min(height - part.height, max(0, p["center-y"] * height - part.height / 2))
        return picture.clipped.warped { Point(left + $0.x / p["zoom"], top + $0.y / p["zoom"]) }
    },
    "perspective": { picture, p in
        let (width, height) = size(picture)
        let corners = ["top-left", "top-right", "bottom-right", "bottom-left"]
            .map { Point(p["\($0)-x"] * width, p["\($0)-y"] * height) }
        let frame = [Point(0, 0), Point(width, 0), Point(width, height), Point(0, height)]
        let back = homography(corners, frame)
        return picture.clipped.warped(p) { place in
            let depth = back[6] * place.x + back[7] * place.y + 1
            return Point(
                (back[0] * place.x + back[1] * place.y + back[2]) / depth,
                (back[3] * place.x + back[4] * place.y + back[5]) / depth)
        }
    },
    "kaleidoscope": { picture, p in
        let middle = center(picture, p)
        return picture.clipped.warped(p) { place in
            let (dx, dy) = (place.x - middle.x, place.y - middle.y)
            let start = p["angle"] * .pi / 180
            let angle = start + mirrored(atan2(dy, dx) - start, .pi / p["count"])
            return Point(middle.x + hypot(dx, dy) * cos(angle), middle.y + hypot(dx, dy) * sin(angle))
        }
    },
    "mirror-tile": { picture, p in
        let (width, height) = size(picture)
        return picture.clipped.warped {
            Point(mirrored($0.x * p["count"], width), mirrored($0.y * p["count"], height))
        }
    },
]

/// Returns the eight coefficients of the projective transform that maps four points to four other points. They are the
/// solution of eight linear equations.
private func homography(_ from: [Point], _ to: [Point]) -> [Double] {
    var rows: [[Double]] = []
    for (p, q) in zip(from, to) {
        rows.append([p.x, p.y, 1, 0, 0, 0, -q.x * p.x, -q.x * p.y, q.x])
        rows.append([0, 0, 0, p.x, p.y, 1, -q.y * p.x, -q.y * p.y, q.y])
    }
    for column in 0..<8 {
        let pivot = (column..<8).max { abs(rows[$0][column]) < abs(rows[$1][column]) } ?? column
        rows.swapAt(column, pivot)
        rows[column] = rows[column].map { $0 / rows[column][column] }
        for row in 0..<8 where row != column {
            let factor = rows[row][column]
            rows[row] = zip(rows[row], rows[column]).map { $0 - factor * $1 }
        }
    }
    return rows.map { $0[8] }
}
