// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Imaging

/// The merged part of a face: an ellipse in the coordinates of `FacePoints.axes`, from the brows to the chin and from
/// cheek to cheek. Hair, hats and ears are left out, because differences between two faces in these parts look like
/// stains.
struct FaceOval {
    /// Half of the ellipse's width, as a multiple of half the distance between the eyes.
    let halfWidth: Double
    /// Vertical coordinates of the ellipse's top and bottom. They are measured downwards from the line between the
    /// eyes, as multiples of the distance from this line to the nose.
    let top: Double
    let bottom: Double

    private static let human = FaceOval(halfWidth: 2.05, top: -1.3, bottom: 3.2)
    /// The chin of a cat is close to its nose.
    private static let cat = FaceOval(halfWidth: 2, top: -1.2, bottom: 1.6)
    /// Eyes and brows.
    private static let eyes = FaceOval(halfWidth: 2.05, top: -1.1, bottom: 0.85)

    /// Returns the ellipses of a species. For a hybrid (nil), returns the ellipses of both species.
    private static func ovals(of species: Species?) -> [FaceOval] {
        switch species {
        case .human: [human]
        case .cat: [cat]
        case nil: [human, cat]
        }
    }

    /// Returns the weight at a point, 0…1; see `SoftEllipse`.
    /// - Parameters:
    ///   - across: the horizontal coordinate of `FacePoints.axes`.
    ///   - down: the vertical coordinate of `FacePoints.axes`.
    ///   - feather: the width of the soft edge; see `MergeSettings.feather`.
    func weight(across: Double, down: Double, feather: Double) -> Double {
        let (x, y) = (across / halfWidth, (down - (top + bottom) / 2) / ((bottom - top) / 2))
        let distance = (x * x + y * y).squareRoot()
        let t = min(1, max(0, (1 - distance) / max(0.02, feather)))
        return t * t * (3 - 2 * t)
    }

    func ellipse(on face: FacePoints, feather: Double) -> SoftEllipse {
        let axes = face.axes
        return SoftEllipse(
            center: axes.origin + axes.down * ((top + bottom) / 2), first: axes.across * halfWidth,
            second: axes.down * ((bottom - top) / 2), softness: feather)
    }

    /// The intersection of the ellipses of two faces.
    struct Pair {
        let ovals: [FaceOval]
        let feather: Double
        /// The part of the intersection for colour statistics.
        let samples: SampleArea

        /// - Parameter showsOnlyEyes: true to merge only eyes and brows.
        init(_ first: Species?, _ second: Species?, feather: Double, showsOnlyEyes: Bool = false) {
            let ovals = FaceOval.ovals(of: first) + (first == second ? [] : FaceOval.ovals(of: second))
            self.ovals = ovals + (showsOnlyEyes ? [FaceOval.eyes] : [])
            self.feather = feather
            samples = SampleArea(ovals, feather: feather)
        }

        /// Returns the bounds of the pixels with a weight above 0, in pixels of the face's image.
        func bounds(on face: FacePoints) -> Rectangle {
            let all = ovals.map { $0.ellipse(on: face, feather: feather).bounds }
            return all.dropFirst().reduce(all.first ?? Rectangle(width: 0, height: 0)) { $0.intersection($1) }
        }

        /// Limits each pixel of `weights` to the weights of the ellipses.
        func limit(_ weights: Image, on face: FacePoints) {
            for oval in ovals { oval.ellipse(on: face, feather: feather).limit(weights) }
        }
    }

    /// Returns the area that an image of a face must contain, so that the face can be merged with any face of the same
    /// species.
    static func reach(of face: FacePoints) -> Rectangle {
        let margin = Int(min(1e6, edge(of: face))) + 2
        return ovals(of: face.species).map { $0.ellipse(on: face, feather: 0).bounds.grown(by: margin) }
            .reduce(Rectangle(width: 0, height: 0)) { $0.union($1) }
    }

    /// Returns the minimum distance from the image's edges, in pixels, at which a pixel has full weight.
    static func edge(of face: FacePoints) -> Double { 0.25 * face.axes.across.length }
}
