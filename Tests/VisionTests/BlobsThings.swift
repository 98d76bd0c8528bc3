// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import Testing
import Vision

/// An image of an object, and the outline of the object in the image.
struct Thing: Sendable {
    let name: String
    /// The label in the training set; 0 for an object that is not in the training set.
    let label: Int
    let picture: ColorPicture
    /// The outline in pixels of the image.
    let outline: [Point]

    static func ellipse(_ x: Double, _ y: Double, _ a: Double, _ b: Double, corners: Int = 64) -> [Point] {
        (0..<corners).map { corner in
            let angle = 2 * Double.pi * Double(corner) / Double(corners)
            return Point(x + a * cos(angle), y + b * sin(angle))
        }
    }
}

// MARK: - Things in the training set

extension Thing {
    /// BeanCounter's training images. The outlines were marked by hand: centres and half axes of coins, corners of
    /// beans.
    static let known: [Thing] = {
        guard let list = RealData.beancounter else { return [] }
        return list.blobs.compactMap { entry in
            let name = String(entry.imageFilename.dropLast("_000.png".count))
            guard let picture = RealData.png("beancounter/\(entry.imageFilename)"), let outline = outlines[name] else {
                return nil
            }
            return Thing(name: name, label: entry.label, picture: picture, outline: outline)
        }
    }()

    private static let outlines: [String: [Point]] = [
        "CanadianDime_Heads": ellipse(216.1, 217.6, 209.3, 206),
        "CanadianDime_Tails": ellipse(165.7, 166.9, 162.4, 157.8),
        "CanadianNickel_Heads": ellipse(187.9, 185.8, 184.6, 181.5),
        "CanadianNickel_Tails": ellipse(181.8, 187.5, 181.6, 178.5),
        "CanadianQuarter_Heads": ellipse(233.4, 235.5, 231.1, 228),
        "CanadianQuarter_Tails": ellipse(269.6, 271, 267.3, 263),
        "Loonie_Heads": ellipse(255, 275, 251.3, 248),
        "Loonie_Tails": ellipse(290.9, 321.7, 281.6, 278),
        "Toonie_Heads": ellipse(352.5, 348.8, 350.3, 345),
        "Toonie_Tails": ellipse(364.1, 377.9, 363.5, 358.5),
        "PintoBean": points([
            (3, 102), (6, 80), (13, 61), (26, 41), (43, 24), (65, 13), (91, 6), (130, 4), (165, 6), (191, 11),
            (225, 21), (260, 39), (286, 61), (304, 82), (310, 102), (307, 121), (299, 143), (286, 165), (269, 184),
            (243, 202), (217, 209), (191, 212), (160, 212), (130, 208), (88, 203), (82, 194), (50, 181), (26, 163),
            (11, 141), (4, 121),
        ]),
        "RomanoBean": points([
            (235, 15), (262, 22), (280, 38), (290, 65), (291, 100), (286, 140), (273, 180), (252, 222), (225, 262),
            (190, 298), (150, 332), (118, 355), (90, 364), (62, 363), (38, 353), (18, 330), (10, 305), (4, 270),
            (8, 225), (22, 183), (45, 140), (75, 98), (105, 68), (140, 42), (175, 26), (205, 17),
        ]),
    ]

    private static func points(_ corners: [(Double, Double)]) -> [Point] { corners.map { Point($0.0, $0.1) } }
}

// MARK: - Other things

extension Thing {
    private static let side = 240

    /// Objects that are not in the training set. Many of them have the colours of the training set's coins.
    static let unknown: [Thing] = drawn + oldCoins + cutouts

    /// Blue, green and red of the coins and beans in the training set, by label.
    private static let metals: [Int: SIMD3<Double>] = [
        2: [51, 74, 88], 3: [53, 67, 80], 4: [59, 74, 88], 5: [44, 94, 122], 6: [57, 83, 101],
    ]

    private static func metal(_ label: Int) -> SIMD3<Double> { metals[label] ?? [0, 0, 0] }

    /// Draws an object with this colour and outline.
    /// - Parameter light: returns the factor of the light (about 1) for x and y from −1 to 1.
    private static func drawn(
        _ name: String, _ color: SIMD3<Double>, _ outline: [Point] = round,
        light: (_ x: Double, _ y: Double) -> Double = { x, _ in 1 + 0.05 * sin(4 * x) }
    ) -> Thing {
        painted(name, outline) { x, y in color * light(x, y) }
    }

    private static func painted(
        _ name: String, _ outline: [Point] = round, color: (_ x: Double, _ y: Double) -> SIMD3<Double>
    ) -> Thing {
        let picture = ColorPicture(width: side, height: side)
        for y in 0..<side {
            for x in 0..<side {
                picture.set(x, y, color(2 * Double(x) / Double(side) - 1, 2 * Double(y) / Double(side) - 1))
            }
        }
        return Thing(name: name, label: 0, picture: picture, outline: outline)
    }

    private static let round = ellipse(120, 120, 118, 118)
    private static let long = ellipse(120, 120, 115, 66)

    /// Returns a bean with spots at random positions.
    static func spotted(seed: UInt64, _ color: SIMD3<Double> = [120, 150, 190], spots: SIMD3<Double> = [40, 30, 110])
        -> Thing
    {
        var random = SeededRandom(seed)
        let centers = (0..<14).map { _ in
            (random.between(-0.9, 0.9), random.between(-0.6, 0.6), random.between(0.06, 0.14))
        }
        return painted("bean", ellipse(120, 120, 115, 85)) { x, y in
            centers.contains { hypot(x - $0.0, y - $0.1) < $0.2 } ? spots : color
        }
    }

    static let drawn: [Thing] =
        [2, 4, 5].map { drawn("plain disc \($0)", metal($0)) } + [
            painted("two metals without a picture") { x, y in hypot(x, y) < 0.55 ? [60, 130, 160] : [125, 140, 150] },
            drawn("rings", metal(4)) { x, y in Int(hypot(x, y) * 16) % 2 == 0 ? 0.85 : 1.15 },
            drawn("star", metal(5)) { x, y in hypot(x, y) < 0.6 + 0.25 * cos(7 * atan2(y, x)) ? 0.85 : 1.15 },
            painted("button") { x, y in hypot(abs(x) - 0.25, abs(y) - 0.25) < 0.13 ? [20, 20, 60] : [40, 40, 180] },
            drawn("penny", [50, 80, 150]) { x, y in 1 + 0.12 * sin(12 * x) * cos(9 * y) },
            drawn(
                "plate", [120, 130, 130], [Point(24, 72), Point(216, 72), Point(216, 168), Point(24, 168)]),
            drawn("kidney bean", [35, 30, 140], long), drawn("white bean", [150, 190, 205], long),
            drawn("black bean", [40, 38, 36], long), drawn("pea", [60, 150, 80]),
            painted("nut", ellipse(120, 120, 115, 115, corners: 6)) { x, y in
                hypot(x, y) < 0.45 ? [40, 40, 40] : [120, 125, 130]
            },
        ]

    /// Old coins in the colours of the training set's coins.
    private static let oldCoins: [Thing] = {
        guard let coins = RealData.png("stills/coins.png") else { return [] }
        let places = [
            (334, 44, 29, 2), (102, 196, 21, 3), (270, 118, 25, 4), (244, 264, 23, 5), (348, 186, 31, 2),
            (300, 264, 25, 6), (46, 258, 28, 4), (176, 262, 24, 5), (216, 52, 23, 3), (272, 196, 24, 4),
        ]
        return places.map { x, y, radius, label in
            painted("old coin at \(x), \(y)") { u, v in
                let column = max(0, min(coins.width - 1, Int(Double(x) + u * Double(radius))))
                let row = max(0, min(coins.height - 1, Int(Double(y) + v * Double(radius))))
                return metal(label) * Double(coins.pixels[row * coins.stride + 4 * column]) / 125
            }
        }
    }()

    /// Discs that are cut out of images of other objects.
    private static let cutouts: [Thing] = ["chelsea", "Piggy"].compactMap { name in
        guard let picture = RealData.png("stills/\(name).png") else { return nil }
        let radius = 0.49 * Double(min(picture.width, picture.height))
        return Thing(
            name: name, label: 0, picture: picture,
            outline: ellipse(Double(picture.width) / 2, Double(picture.height) / 2, radius, radius))
    }
}
