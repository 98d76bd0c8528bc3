// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Chooses places for insets where they cover no face. An inset stays at its place as long as this place is free, and
/// becomes larger again when there is room.
struct InsetPlacer {
    /// A place of an inset: the fractions of the free width and height to the left of the inset and above it, and the
    /// size relative to the requested size.
    private struct Place: Hashable {
        var x, y, scale: Double
    }

    /// The last place of each inset.
    private var last: [Int: Place] = [:]
    private static let scales = [1.0, 0.8, 0.65, 0.5]
    /// If no place is free, an inset moves only to a place where it covers less than this fraction of its covered area.
    private static let improvement = 0.8

    /// Margin around a face that stays free, as a fraction of its size: hair and chin are outside of the box.
    private static let margin = 0.15

    /// Returns the areas to keep free for faces.
    static func areas(of faces: [Rectangle]) -> [Rectangle] {
        faces.map { face in
            face.extended(by: Int(margin * Double(max(0, min(face.width, face.height)))))
        }
    }

    /// Returns the rectangle of an inset, which is always inside of the frame.
    /// - Parameters:
    ///   - inset: the key of the inset.
    ///   - size: the requested width and height. A smaller inset has the same shape.
    ///   - positions: the possible positions, the preferred position first, as fractions of the free width and height.
    ///   - areas: the areas that the inset must not cover. If it must cover something, it covers as little as possible.
    mutating func place(
        _ inset: Int, size: (width: Int, height: Int), at positions: [(x: Double, y: Double)],
        avoiding areas: [Rectangle], in frame: (width: Int, height: Int)
    ) -> Rectangle {
        let margin = min(frame.width, frame.height) / 40
        func rectangle(_ place: Place) -> Rectangle {
            let width = min(frame.width, max(1, Int(place.scale * Double(size.width))))
            let height = min(frame.height, max(1, Int(place.scale * Double(size.height))))
            let (across, down) = (min(margin, (frame.width - width) / 2), min(margin, (frame.height - height) / 2))
            return Rectangle(
                x: across + Int((place.x * Double(frame.width - width - 2 * across)).rounded()),
                y: down + Int((place.y * Double(frame.height - height - 2 * down)).rounded()), width: width,
                height: height)
        }
        func covered(_ place: Place, distance: Int = 0) -> Int {
            let rectangle = rectangle(place).extended(by: distance)
            return areas.reduce(0) { sum, area in
                let common = area.intersection(rectangle)
                return sum + (common.isEmpty ? 0 : common.width * common.height)
            }
        }
        // Of all free places, the largest and then the preferred place wins.
        let places = Self.scales.flatMap { scale in positions.map { Place(x: $0.x, y: $0.y, scale: scale) } }
        func best() -> Place {
            places.first { covered($0) == 0 } ?? places.min { covered($0) < covered($1) } ?? Place(x: 0, y: 0, scale: 1)
        }
        func next(after last: Place) -> Place {
            let area = covered(last)
            guard area > 0 else {
                // The larger place must also have some distance from faces, so that the size does not alternate.
                return places.first { $0.scale > last.scale && covered($0, distance: margin) == 0 } ?? last
            }
            let best = best()
            return Double(covered(best)) < Self.improvement * Double(area) ? best : last
        }
        let place = last[inset].flatMap { places.contains($0) ? next(after: $0) : nil } ?? best()
        last[inset] = place
        return rectangle(place)
    }
}

extension Rectangle {
    fileprivate func extended(by margin: Int) -> Rectangle {
        Rectangle(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
    }
}
