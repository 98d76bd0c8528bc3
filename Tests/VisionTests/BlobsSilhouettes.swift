// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging

/// Polygons of household objects, letters and digits. The first polygon of each object is the outline. Further polygons
/// are holes. Coordinates are −1…1 in both directions.
enum Silhouettes {
    /// The shapes for which the constants of the algorithm were chosen.
    static let tuned: [(name: String, parts: [[Point]])] = [
        ("key", [key, circle(-0.68, 0, 0.13)]), ("bar", [rectangle(-0.96, -0.24, 0.96, 0.24)]), ("spoon", [spoon]),
        ("wrench", [wrench]), ("T", [letterT]), ("L", [letterL]), ("star", [star]),
        ("gear", [gear, circle(0, 0, 0.3)]),
        ("square", [rectangle(-0.7, -0.7, 0.7, 0.7)]), ("disc", [circle(0, 0, 0.98)]),
    ]

    /// Shapes that are similar to other shapes. The screwdriver and the oar are similar to the spoon, and the hexagon
    /// to the disc.
    static let alike: [(name: String, parts: [[Point]])] = [
        ("screwdriver", [screwdriver]), ("oar", [oar]), ("hexagon", [circle(0, 0, 0.98, corners: 6)]),
    ]

    /// Shapes with a thin part, which has a small fraction of the area.
    static let thin: [(name: String, parts: [[Point]])] = [
        (
            "umbrella",
            [
                arc(0, 0, 0.98, from: 180, to: 360)
                    + points([(0.05, 0), (0.05, 0.95), (-0.05, 0.95), (-0.05, 0)])
            ]
        ),
        ("racket", [arc(-0.45, 0, 0.48, from: 8.4, to: 351.6) + rectangle(0.2, -0.07, 0.98, 0.07)]),
    ]

    static func circle(_ x: Double, _ y: Double, _ radius: Double, corners: Int = 72) -> [Point] {
        arc(x, y, radius, from: 0, to: 360 - 360 / Double(corners), corners: corners)
    }

    /// Returns corners on an arc. Angles are in degrees, clockwise from the right.
    static func arc(
        _ x: Double, _ y: Double, _ radius: Double, from start: Double, to end: Double, corners: Int = 40
    ) -> [Point] {
        (0..<corners).map { corner in
            let angle = (start + (end - start) * Double(corner) / Double(corners - 1)) * .pi / 180
            return Point(x + radius * cos(angle), y + radius * sin(angle))
        }
    }

    static func rectangle(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) -> [Point] {
        [Point(left, top), Point(right, top), Point(right, bottom), Point(left, bottom)]
    }

    private static func points(_ corners: [(Double, Double)]) -> [Point] { corners.map { Point($0.0, $0.1) } }

    private static let key =
        arc(-0.62, 0, 0.34, from: 15, to: 345)
        + points([
            (0.96, -0.09), (0.96, 0.09), (0.88, 0.09), (0.88, 0.3), (0.76, 0.3), (0.76, 0.09), (0.64, 0.09),
            (0.64, 0.24),
            (0.5, 0.24), (0.5, 0.09),
        ])

    private static let spoon =
        (0..<48).map { corner in
            let angle = (20 + 320 * Double(corner) / 47) * Double.pi / 180
            return Point(-0.64 + 0.33 * cos(angle), 0.23 * sin(angle))
        } + points([(0.5, -0.06), (0.92, -0.09)]) + arc(0.9, 0, 0.09, from: -80, to: 80, corners: 12)
        + points([(0.5, 0.06)])

    private static let screwdriver =
        arc(-0.83, 0, 0.14, from: 90, to: 270, corners: 16)
        + points([
            (-0.32, -0.14), (-0.24, -0.12), (-0.19, -0.05), (0.74, -0.05), (0.86, -0.08), (0.97, -0.03), (0.97, 0.03),
            (0.86, 0.08), (0.74, 0.05), (-0.19, 0.05), (-0.24, 0.12), (-0.32, 0.14),
        ])

    private static let oar =
        points([(0.94, -0.05), (0.94, 0.05)])
        + (0..<48).map { corner in
            let angle = (18 + 324 * Double(corner) / 47) * Double.pi / 180
            return Point(-0.6 + 0.38 * cos(angle), 0.16 * sin(angle))
        }

    private static let wrench =
        arc(-0.68, 0, 0.28, from: 25, to: 155) + points([(-0.72, 0.09), (-0.72, -0.09)])
        + arc(-0.68, 0, 0.28, from: 205, to: 335) + arc(0.72, 0, 0.24, from: 205, to: 320)
        + points([(0.74, -0.08), (0.74, 0.08)]) + arc(0.72, 0, 0.24, from: 40, to: 155)

    private static let letterT = points([
        (-0.8, -0.8), (0.8, -0.8), (0.8, -0.45), (0.2, -0.45), (0.2, 0.9), (-0.2, 0.9), (-0.2, -0.45), (-0.8, -0.45),
    ])

    private static let letterL = points([
        (-0.6, -0.8), (-0.2, -0.8), (-0.2, 0.45), (0.6, 0.45), (0.6, 0.8), (-0.6, 0.8),
    ])

    private static let star = (0..<10).map { corner in
        let angle = Double(corner) * .pi / 5 - .pi / 2
        let radius = corner % 2 == 0 ? 0.98 : 0.42
        return Point(radius * cos(angle), radius * sin(angle))
    }

    private static let gear = (0..<12).flatMap { tooth in
        [(-0.3, 0.78), (-0.2, 0.98), (0.2, 0.98), (0.3, 0.78)].map { (place, radius) -> Point in
            let angle = (Double(tooth) + place) * .pi / 6
            return Point(radius * cos(angle), radius * sin(angle))
        }
    }
}
