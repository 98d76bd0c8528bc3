// SPDX-License-Identifier: LGPL-2.1-or-later
import Filters
import Foundation

// The formulas of the filters in Double, as the documentation of the filters defines them. Tests compare the kernels
// with them. Nonlinear formulas clip their input; linear formulas do not.

/// The parameters of a filter, by name.
struct Parameters {
    let use: FilterChain.Use

    private func value(_ name: String) -> FilterValue? {
        use.filter.parameters.firstIndex { $0.name == name }.map { use.values[$0] }
    }

    subscript(_ name: String) -> Double {
        guard case .number(let number)? = value(name) else { preconditionFailure("no number \(name)") }
        return number
    }

    func color(_ name: String) -> SIMD3<Double> {
        guard case .color(let hex)? = value(name) else { preconditionFailure("no colour \(name)") }
        return SIMD3(Double(hex >> 16), Double((hex >> 8) & 255), Double(hex & 255)) / 255
    }

    func word(_ name: String) -> String {
        guard case .word(let word)? = value(name) else { preconditionFailure("no word \(name)") }
        return word
    }
}

typealias Formula = @Sendable (_ picture: RealPicture, _ p: Parameters) -> RealPicture

extension RealPicture {
    /// Returns the image after a chain of filters, computed with the formulas.
    func filtered(_ chain: FilterChain) -> RealPicture {
        chain.uses.reduce(self) { picture, use in
            guard let formula = formulas[use.filter.name] else {
                preconditionFailure("no formula of \(use.filter.name)")
            }
            return formula(picture, Parameters(use: use))
        }
    }
}

let formulas: [String: Formula] =
    colorFormulas.merging(spatialFormulas) { first, _ in first }.merging(placeFormulas) { first, _ in first }

private func linear(_ change: @escaping @Sendable (SIMD3<Double>, Parameters) -> SIMD3<Double>) -> Formula {
    { picture, p in picture.map { change($0, p) } }
}

private func curve(_ change: @escaping @Sendable (Double, Parameters) -> Double) -> Formula {
    { picture, p in picture.clipped.map { $0.mapped { change($0, p) } } }
}

func mix(_ a: SIMD3<Double>, _ b: SIMD3<Double>, _ share: Double) -> SIMD3<Double> { a * (1 - share) + b * share }

private func gray(_ value: Double) -> SIMD3<Double> { SIMD3(repeating: value) }

private func saturated(_ c: SIMD3<Double>, _ saturation: Double) -> SIMD3<Double> {
    gray(c.luma) + (c - gray(c.luma)) * saturation
}

private let colorFormulas: [String: Formula] = [
    "exposure": linear { c, p in c * pow(2, p["ev"]) },
    "gamma": curve { v, p in pow(v, 1 / p["gamma"]) },
    "brightness-contrast": linear { c, p in (c - gray(0.5)) * p["contrast"] + gray(0.5 + p["brightness"]) },
    "saturation": linear { c, p in saturated(c, p["saturation"]) },
    "vibrance": { picture, p in
        picture.clipped.map { c in saturated(c, 1 + p["amount"] * (1 - (c.max() - c.min()))) }
    },
    "hue": linear { c, p in
        // A rotation about the grey axis that keeps luma. Y, R − Y and B − Y are coordinates of all colours. The W3C's
        // matrix rotates the weights of green, red and blue equally.
        let angle = p["angle"] * .pi / 180
        let (y, u, v) = (c.luma, c.x - c.luma, c.z - c.luma)
        let (r, b) = (0.299, 0.114)
        // The sine terms of red and blue: −r R − g G + (1 − b) B and −(1 − r) R + g G + b B. r, g and b are the weights
        // of luma.
        let green = c.y - c.luma
        let g = 0.587
        let sineRed = -r * u - g * green + (1 - b) * v
        let sineBlue = -(1 - r) * u + g * green + b * v
        let red = y + cos(angle) * u + sin(angle) * sineRed
        let blue = y + cos(angle) * v + sin(angle) * sineBlue
        return SIMD3(red, (y - r * red - b * blue) / g, blue)
    },
    "temperature-tint": linear { c, p in c * lampGains(p["temperature"], p["tint"]) },
    "white-point": linear { c, p in c / p.color("color").mapped { max($0, 1.0 / 255) } },
    "tone-curve": curve { v, p in
        monotone(["black", "shadows", "middle", "lights", "white"].enumerated().map { (Double($0) / 4, p[$1]) }, v)
    },
    "levels": curve { v, p in
        let inside = min(1, max(0, (v - p["black"]) / max(p["white"] - p["black"], 1e-3)))
        return p["out-black"] + (p["out-white"] - p["out-black"]) * pow(inside, 1 / p["gamma"])
    },
    "color-matrix": linear { c, p in
        let rows = ["red", "green", "blue"].map { to in
            c.x * p["\(to)-red"] + c.y * p["\(to)-green"] + c.z * p["\(to)-blue"] + p["\(to)-offset"]
        }
        return SIMD3(rows[0], rows[1], rows[2])
    },
    "sepia-tone": linear { c, p in
        let sepia = SIMD3(
            0.393 * c.x + 0.769 * c.y + 0.189 * c.z, 0.349 * c.x + 0.686 * c.y + 0.168 * c.z,
            0.272 * c.x + 0.534 * c.y + 0.131 * c.z)
        return mix(c, sepia, p["intensity"])
    },
    "monochrome": linear { c, p in mix(c, p.color("color") * c.luma, p["intensity"]) },
    "invert": linear { c, p in mix(c, gray(1) - c, p["intensity"]) },
    "posterize": curve { v, p in
        min(1, (v * p["levels"] + 1e-6).rounded(.down) / (p["levels"] - 1))
    },
    "solarize": curve { v, p in v > p["threshold"] ? 1 - v : v },
    "threshold": { picture, p in picture.map { gray($0.luma >= p["threshold"] ? 1 : 0) } },
    "false-color": linear { c, p in mix(p.color("dark"), p.color("light"), c.luma) },
    "photo-noir": { picture, _ in
        picture.map { gray(min(1, max(0, $0.luma))) }.map { c in
            c.mapped { monotone([(0, 0), (0.25, 0.14), (0.75, 0.86), (1, 1)], $0) }
        }
    },
    "photo-fade": linear { c, _ in
        let s = saturated(c, 0.6)
        return SIMD3(0.14 + 0.82 * s.x, 0.13 + 0.80 * s.y, 0.12 + 0.76 * s.z)
    },
    "photo-chrome": { picture, _ in
        picture.map { saturated($0, 1.35) }.clipped.map { c in
            c.mapped { monotone([(0, 0), (0.25, 0.19), (0.75, 0.83), (1, 1)], $0) }
        }
    },
    "photo-instant": { picture, _ in
        picture.map { saturated($0, 0.85) }.clipped.map { c in
            SIMD3(
                monotone([(0, 0.05), (0.25, 0.22), (0.75, 0.84), (1, 1)], c.x),
                monotone([(0, 0.05), (0.25, 0.25), (0.75, 0.80), (1, 0.97)], c.y),
                monotone([(0, 0.14), (0.25, 0.31), (0.75, 0.68), (1, 0.84)], c.z))
        }
    },
]

/// Returns the gains between the white points of two light sources (Kim et al. 2002, and the sRGB matrix).
private func lampGains(_ temperature: Double, _ tint: Double) -> SIMD3<Double> {
    func white(_ temperature: Double) -> SIMD3<Double> {
        let t = max(1667, temperature)
        let x =
            t < 4000
            ? -0.2661239e9 / (t * t * t) - 0.2343589e6 / (t * t) + 0.8776956e3 / t + 0.179910
            : -3.0258469e9 / (t * t * t) + 2.1070379e6 / (t * t) + 0.2226347e3 / t + 0.240390
        let y: Double
        if t < 2222 {
            y = ((-1.1063814 * x - 1.34811020) * x + 2.18555832) * x - 0.20219683
        } else if t < 4000 {
            y = ((-0.9549476 * x - 1.37418593) * x + 2.09137015) * x - 0.16748867
        } else {
            y = ((3.0817580 * x - 5.87338670) * x + 3.75112997) * x - 0.37001483
        }
        let (bigX, bigZ) = (x / y, (1 - x - y) / y)
        return SIMD3(
            3.2404542 * bigX - 1.5371385 - 0.4985314 * bigZ, -0.9692660 * bigX + 1.8760108 + 0.0415560 * bigZ,
            0.0556434 * bigX - 0.2040259 + 1.0572252 * bigZ)
    }
    var gains = (white(temperature) / white(6500)).mapped { pow(max(0, $0), 1 / 2.2) }
    gains.y *= 1 - tint / 4
    return gains / gains.luma
}

/// Evaluates the monotone cubic curve of Fritsch and Carlson, as in their paper. A tangent is the mean of the
/// neighbouring slopes; at a turning point, it is 0. The two tangents of a segment, divided by the slope, form a
/// vector. If its length is greater than 3, the tangents are shortened.
func monotone(_ points: [(x: Double, y: Double)], _ value: Double) -> Double {
    let last = points.count - 1
    let slopes = (0..<last).map { (points[$0 + 1].y - points[$0].y) / (points[$0 + 1].x - points[$0].x) }
    var m = [slopes[0]]
    for i in 1..<last { m.append(slopes[i - 1] * slopes[i] <= 0 ? 0 : (slopes[i - 1] + slopes[i]) / 2) }
    m.append(slopes[last - 1])
    for i in 0..<last {
        if slopes[i] == 0 {
            (m[i], m[i + 1]) = (0, 0)
        } else {
            let (a, b) = (m[i] / slopes[i], m[i + 1] / slopes[i])
            let length = sqrt(a * a + b * b)
            if length > 3 { (m[i], m[i + 1]) = (3 * a * slopes[i] / length, 3 * b * slopes[i] / length) }
        }
    }
    let i = min(last - 1, (0..<last).last { points[$0].x <= value } ?? 0)
    let width = points[i + 1].x - points[i].x
    let t = (value - points[i].x) / width
    let (a, b) = ((1 + 2 * t) * (1 - t) * (1 - t), t * (1 - t) * (1 - t))
    let (c, d) = (t * t * (3 - 2 * t), t * t * (t - 1))
    return a * points[i].y + b * width * m[i] + c * points[i + 1].y + d * width * m[i + 1]
}
