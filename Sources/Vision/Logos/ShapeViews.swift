// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// The shape of a template in all rotations, seen from the front, and at close range from eight oblique directions.
struct ShapeViews: Sendable {
    private static let turns = 60
    /// Strength of the perspective in the oblique views: the distance from the camera to the edge of the shape differs
    /// by this fraction from the distance to the centre.
    private static let nearness = 0.13
    /// The best rotation in an oblique view may differ from the best rotation in the front view by up to this number of
    /// rotation steps.
    private static let reach = 2

    /// The patterns of each view at each rotation. The first view is the front view.
    private let views: [[ShapePattern]]

    /// - Parameter mask: the mask of a shape that fills most of the mask.
    init(_ mask: Image) {
        var views = [ShapePattern.turned(mask, count: Self.turns)]
        let plane = OwnedImage(.gray8, width: mask.width, height: mask.height)
        for side in 0..<8 {
            let angle = Double(side) * .pi / 4
            Self.fill(plane, with: mask, leaningTo: Point(Self.nearness * cos(angle), Self.nearness * sin(angle)))
            let view = withExtendedLifetime(plane) { ShapePattern.turned(plane.image, count: Self.turns) }
            if !view.isEmpty { views.append(view) }
        }
        self.views = views
    }

    /// Returns the likeness of a pattern in the view and rotation with the best match, 0…1, and the template's pattern in
    /// the front view at the best rotation.
    func best(_ pattern: ShapePattern) -> (likeness: Double, front: ShapePattern)? {
        guard let front = views.first, !front.isEmpty else { return nil }
        let likenesses = front.map { $0.likeness(pattern) }
        guard let turn = likenesses.indices.max(by: { likenesses[$0] < likenesses[$1] }) else { return nil }
        var best = likenesses[turn]
        // Several rotations may match almost equally well, so each local maximum near the best likeness is tried in the
        // oblique views.
        for turn in front.indices where likenesses[turn] > best - 0.1 && likenesses[turn] == localMost(likenesses, turn)
        {
            for view in views.dropFirst() {
                for step in -Self.reach...Self.reach {
                    best = max(best, view[(turn + step + Self.turns) % Self.turns].likeness(pattern))
                }
            }
        }
        return (min(1, max(0, best)), front[turn])
    }

    private func localMost(_ values: [Double], _ turn: Int) -> Double {
        (-Self.reach...Self.reach).map { values[(turn + $0 + values.count) % values.count] }.max() ?? 0
    }

    /// Fills `plane` with a perspective view of `mask`, from a camera that is tilted in the direction of `lean`.
    private static func fill(_ plane: OwnedImage, with mask: Image, leaningTo lean: Point) {
        let (halfX, halfY) = (Double(mask.width) / 2, Double(mask.height) / 2)
        for y in 0..<plane.image.height {
            let row = plane.image.row(y)
            for x in 0..<plane.image.width {
                // The coordinates are relative to the centre, in units of half the width and half the height.
                let (u, v) = ((Double(x) + 0.5 - halfX) / halfX, (Double(y) + 0.5 - halfY) / halfY)
                let depth = 1 - (u * lean.x + v * lean.y)
                let (fromX, fromY) = (halfX * (1 + u / depth), halfY * (1 + v / depth))
                let isInside = fromX >= 0 && fromY >= 0 && fromX < 2 * halfX && fromY < 2 * halfY
                row[x] = isInside ? mask.row(Int(fromY))[Int(fromX)] : 0
            }
        }
    }
}
