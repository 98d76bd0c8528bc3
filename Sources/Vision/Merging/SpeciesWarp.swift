// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Drawing
import Imaging

/// The warp of a partner's whole face onto faces of the other species: eyes to eyes, nose to nose, mouth to mouth, and
/// outline to outline. A thin-plate spline maps the points between them.
///
/// The lower half of a cat's face is short, and its cheeks are wide. A cat on a human therefore has wider cheeks than
/// the human, and its nose and its mouth lie higher. A human on a cat has smaller distances between eyes, nose and
/// mouth, and leaves a rim of the cat's fur.
struct SpeciesWarp {
    /// Points of the partner, in pixels of its image, in the order of `targets`.
    private let sources: [Point]
    private let partner: FacePoints
    private let silhouette: HeadSilhouette?
    private let hasEars: Bool
    /// Width of the soft edge, as a fraction of the distance between the partner's eyes (standard deviation).
    private let softness: Double
    private let partnerSamples: [ColorSample]
    private let faceSamples: [ColorSample]

    /// Points above a cat's head, which keep the shape of its ears.
    private static let crown = [Point(-2.2, -1.9), Point(0, -2.2), Point(2.2, -1.9)]
    private static let catOnHuman = (eyes: 1.2, nose: 0.66, mouth: 0.95, width: 1.2, ears: 1.25)
    private static let humanOnCat = (eyes: 0.92, nose: 0.47, mouth: 0.84)
    /// Vertical positions of a cat's nose and mouth, and the usual chin, in `FacePoints.headAxes`.
    private static let cat = (nose: 0.54, mouth: 0.76)

    /// Returns nil if the faces have the same species, or if the species of a face is not known.
    init?(_ picture: FacePicture, onto species: Species?, feather: Double, hasEars: Bool) {
        guard let own = picture.face.species, let species, own != species else { return nil }
        partner = picture.face
        silhouette = picture.silhouette
        self.hasEars = hasEars && own == .cat && silhouette != nil
        let axes = partner.headAxes
        func place(_ point: Point) -> Point { axes.point(point.x, point.y) }
        if own == .cat {
            let isMeasured = partner.isMouthFound
            let middle = (partner.mouthLeft + partner.mouthRight) / 2
            let (nose, mouth) =
                isMeasured ? (partner.nose, middle) : (place(Point(0, Self.cat.nose)), place(Point(0, Self.cat.mouth)))
            let outline = picture.catOutline
            sources =
                [partner.leftEye, partner.rightEye, nose, mouth, mouth - axes.across, mouth + axes.across] + outline
                + Self.crown.map(place)
            softness = 0.13 * feather
            (partnerSamples, faceSamples) = (HeadShape.Outline.cat.samples, HeadShape.Outline.human.samples)
        } else {
            let mouth = axes.origin + axes.down
            let width = max(0.5 * axes.across.length, (partner.mouthRight - partner.mouthLeft).length / 2)
            let half = axes.across * (width / axes.across.length)
            let isSound = (partner.mouthRight - partner.mouthLeft).length > 0.4 * axes.across.length
            sources =
                [
                    partner.leftEye, partner.rightEye, partner.nose, mouth,
                    isSound ? partner.mouthLeft : mouth - half, isSound ? partner.mouthRight : mouth + half,
                ] + HeadShape.Outline.humanWithoutHair.fitted(to: partner).points(turn: partner.headTurn).map(place)
            softness = 0.2 * feather
            (partnerSamples, faceSamples) = (
                HeadShape.Outline.humanWithoutHair.samples, HeadShape.Outline.catWithoutRim.samples
            )
        }
    }

    private var isCat: Bool { partner.species == .cat }

    /// Returns the points of a face onto which the points of the partner are warped, in pixels.
    private func targets(on face: FacePoints) -> [Point] {
        let axes = face.headAxes
        guard isCat else {
            let map = Self.humanOnCat
            let mouth = 0.8 * map.eyes
            let inner = [
                Point(-map.eyes, -0.02), Point(map.eyes, -0.02), Point(0, map.nose), Point(0, map.mouth),
                Point(-mouth, map.mouth), Point(mouth, map.mouth),
            ]
            return (inner + HeadShape.Outline.catWithoutRim.points()).map { axes.point($0.x, $0.y) }
        }
        let (map, turn) = (Self.catOnHuman, face.headTurn)
        let mouth = 0.7 * turn
        let inner = [
            Point(-map.eyes, 0), Point(map.eyes, 0), Point(turn, map.nose), Point(mouth, map.mouth),
            Point(mouth - map.eyes, map.mouth), Point(mouth + map.eyes, map.mouth),
        ]
        let own = HeadShape.Outline.human
        let wide = HeadShape.Outline(
            halfWidth: map.width * own.halfWidth, top: own.top, bottom: own.bottom, taper: own.taper)
        let outline = wide.points(turn: turn)
        let top = axes.point(-0.54 * turn, own.top)
        let up = axes.down * (-2 * axes.across.length / max(1e-6, axes.down.length) * map.ears)
        let crown = Self.crown.map { point in
            top + axes.across * (map.ears * point.x) + up * (HeadShape.Outline.cat.top - point.y)
        }
        return (inner + outline).map { axes.point($0.x, $0.y) } + crown
    }

    private static let outline = 6..<6 + HeadShape.outlineCount

    /// Returns the size of a face relative to the partner, which may have any size.
    func scale(from partner: FacePoints, to face: FacePoints) -> Double {
        face.axes.across.length / partner.axes.across.length * (isCat ? Self.catOnHuman.eyes : Self.humanOnCat.eyes)
    }

    /// Returns the bounds of the pixels that the partner may cover, in pixels of the face's image.
    func bounds(on face: FacePoints) -> Rectangle {
        bounds(of: targets(on: face), margin: 6 * softness * face.axes.across.length)
    }

    /// Returns the bounds of the partner's pixels.
    /// - Parameter scale: the scale of the partner's image.
    func sourceBounds(scale: Double) -> Rectangle {
        bounds(of: sources.map { $0 * scale }, margin: 6 * softness * partner.axes.across.length * scale)
    }

    private func bounds(of points: [Point], margin: Double) -> Rectangle {
        let used = hasEars ? points[...] : points.prefix(Self.outline.upperBound)
        guard let left = used.map(\.x).min(), let right = used.map(\.x).max(), let top = used.map(\.y).min(),
            let bottom = used.map(\.y).max(), [left, right, top, bottom].allSatisfy({ $0.magnitude < 4e6 })
        else { return Rectangle(width: 0, height: 0) }
        return Rectangle(left: left - margin, right: right + margin, top: top - margin, bottom: bottom + margin)
    }

    /// Returns points inside of a face, in pixels, for colour statistics.
    func samples(on face: FacePoints) -> [ColorSample] {
        (face.species == partner.species ? partnerSamples : faceSamples).moved(to: face.headAxes)
    }

    /// Limits the weights of the partner's pixels to its face, and to its ears if `ears` is set.
    /// - Parameters:
    ///   - part: the position of `weights` in the scaled image of the partner.
    ///   - scale: the scale of the image.
    func limit(_ weights: Image, _ part: Rectangle, scale: Double) throws(VisionError) {
        let shape = OwnedImage(.gray8, width: weights.width, height: weights.height)
        guard !shape.image.isEmpty else { return }
        fill(shape.image, color: .black)
        let unit = 2 * partner.axes.across.length * scale
        let frame = FrameImage(shape.image)
        if hasEars, let silhouette {
            let axes = partner.headAxes
            let region = [Point(-3.8, -0.25), Point(-3.8, -3.2), Point(3.8, -3.2), Point(3.8, -0.25)]
            frame.polygon(
                region.map { axes.point($0.x, $0.y) * scale - part.corner }, softness: 0.06 * unit, color: .white)
            let ears = try silhouette.levels(in: part, scale: scale, softness: 0.03 * unit)
            multiply(weights: shape.image, by: ears.image)
            withExtendedLifetime(ears) {}
        }
        frame.polygon(
            sources[Self.outline].map { $0 * scale - part.corner }, softness: softness * unit, color: .white)
        multiply(weights: weights, by: shape.image)
        withExtendedLifetime(shape) {}
        if !isCat {
            let placed = partner.moved(from: part.corner / scale, scale: scale)
            try silhouette?.limit(weights, part, scale: scale, of: placed, keepsBeard: true)
        }
    }

    /// Warps an image of the partner onto a face.
    /// - Parameters:
    ///   - part: the position of `image` in the scaled image of the partner.
    ///   - area: the position of `output` in the image of the face.
    /// - Returns: false if the points of the face do not define a warp.
    func warp(
        _ image: Image, _ part: Rectangle, scale: Double, onto face: FacePoints, _ area: Rectangle, into output: Image
    ) throws(VisionError) -> Bool {
        let longest = 32000
        guard max(image.width, image.height, output.width, output.height) < longest else { return false }
        let used = hasEars ? sources.count : Self.outline.upperBound
        let spline = ThinPlateSpline(
            from: targets(on: face).prefix(used).map { $0 - area.corner },
            to: sources.prefix(used).map { $0 * scale - part.corner })
        guard let spline else { return false }
        let step = Int(min(32, max(4, face.axes.across.length / 3)))
        try spline.warp(image, into: output, step: step)
        return true
    }
}

extension FacePicture {
    /// The outline of a cat's face, in pixels, clockwise from the top: the outline of the silhouette near the usual
    /// outline, or the usual outline if the picture has no silhouette.
    fileprivate var catOutline: [Point] {
        let (axes, usual) = (face.headAxes, HeadShape.Outline.cat.fitted(to: face))
        return HeadShape.directions.map { direction in
            func place(_ factor: Double) -> Point {
                axes.point(
                    factor * usual.halfWidth * direction.x, usual.middle + factor * usual.halfHeight * direction.y)
            }
            guard let silhouette else { return place(0.95) }
            let longest = direction.y < -0.5 || direction.y > 0.6 ? 1.0 : 1.2
            let steps = stride(from: 0.8, through: longest, by: 0.02)
            let edge = steps.first { !silhouette.contains(place($0)) } ?? longest
            return place(0.97 * edge)
        }
    }
}
