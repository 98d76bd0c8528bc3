// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The part of a face for colour statistics.
struct SampleArea {
    /// True for positions in `FacePoints.headAxes`, false for positions in `FacePoints.axes`.
    private let isWhole: Bool
    /// Centre and half the size of the part.
    private let middle: Double
    private let half: Point
    /// Positions relative to `middle`, as multiples of `half`, with their weights.
    let places: [(place: Point, weight: Double)]

    static let cat = SampleArea(.cat)
    static let cheeks = SampleArea(.cheeks)
    static let catWithoutRim = SampleArea(.catWithoutRim)

    /// The inner part of an outline.
    private init(_ outline: HeadShape.Outline) {
        (isWhole, middle, half) = (true, outline.middle, Point(outline.halfWidth, outline.halfHeight))
        places = Self.places(half, step: Point(0.18, 0.09)) { place in
            let t = min(1, max(0, 2 * (1 - place.length)))
            return t * t * (3 - 2 * t)
        }
    }

    /// The intersection of ellipses; see `FaceOval.weight`.
    init(_ ovals: [FaceOval], feather: Double) {
        let (middle, half) = (0.95, Point(2, 2.25))
        (isWhole, self.middle, self.half) = (false, middle, half)
        places = Self.places(half, step: Point(0.16, 0.16)) { place in
            ovals.map {
                $0.weight(across: place.x * half.x, down: middle + place.y * half.y, feather: feather)
            }.min() ?? 0
        }
    }

    private static func places(
        _ half: Point, step: Point, _ weight: (Point) -> Double
    ) -> [(place: Point, weight: Double)] {
        stride(from: -half.y, through: half.y, by: step.y).flatMap { y in
            stride(from: -half.x, through: half.x, by: step.x).compactMap { x in
                let place = Point(x / half.x, y / half.y)
                let weight = weight(place)
                return weight > 0.02 ? (place, weight) : nil
            }
        }
    }

    /// Returns the axes with the origin at the centre of the part, and with the half size as unit.
    func axes(on face: FacePoints) -> FaceAxes {
        let axes = isWhole ? face.headAxes : face.axes
        return FaceAxes(origin: axes.point(0, middle), across: axes.across * half.x, down: axes.down * half.y)
    }
}
