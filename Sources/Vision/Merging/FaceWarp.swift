// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Drawing
import Imaging

/// The warp of a partner's whole face onto other faces: eyes to eyes, nose to nose, mouth to mouth, and outline to
/// outline. A thin-plate spline maps the points between them. Two humans need measured mouths.
///
/// The lower half of a cat's face is short, and its cheeks are wide. So a cat on a human has wider cheeks than the
/// human. A human on a cat has smaller distances between eyes, nose and mouth, and leaves a rim of the cat's fur.
struct FaceWarp {
    /// Points of the partner, in pixels of its image, in the order of `targets`.
    private let sources: [Point]
    private let partner: FacePoints
    private let silhouette: HeadSilhouette?
    private let hasEars: Bool
    /// Width of the soft edge, as a fraction of the distance between the partner's eyes (standard deviation).
    private let softness: Double
    private let partnerSamples: SampleArea
    private let faceSamples: SampleArea
    /// The outline of the partner on another human; nil between species.
    private let inner: HeadShape.Outline?
    /// True to show mainly eyes, brows and mouth of the partner: on a photo, the smooth skin of a drawing looks like a
    /// stain.
    private let showsFeatures: Bool
    private let kept: HeadSilhouette.KeptPart
    /// The height of the partner's brows above the eyes, as a multiple of half the distance between the eyes.
    private let browHeight: Double

    /// Points above a cat's head, which keep the shape of its ears.
    private static let crown = [Point(-2.2, -1.9), Point(0, -2.2), Point(2.2, -1.9)]
    private static let catOnHuman = (
        eyes: 1.4, nose: 0.78, mouth: 1.12, halfWidth: 3.57, top: -0.92, bottom: 1.93, taper: 0.25, ears: 1.45
    )
    private static let humanOnCat = (eyes: 0.92, nose: 0.47, mouth: 0.84)
    /// Vertical positions of a cat's nose and mouth, and the usual chin, in `FacePoints.headAxes`.
    private static let cat = (nose: 0.54, mouth: 0.76)

    /// Returns nil if the species of a face is not known, or if both faces are cats or have no measured mouths.
    init?(_ picture: FacePicture, onto target: MergeTarget, feather: Double, hasEars: Bool) {
        guard let own = picture.face.species, let species = target.species,
            own != species || (own == .human && target.hasMouths)
        else { return nil }
        partner = picture.face
        silhouette = picture.silhouette
        showsFeatures = own == .human && target.isPhotoForDrawing
        // A part of a beard would look like a stain, so the whole beard is merged or nothing of it.
        let hasBeard = picture.hasBeard
        kept =
            hasBeard || (species == .human && picture.hidesChin)
            ? .face : .features(hasBareForehead: picture.hasBareForehead)
        self.hasEars = hasEars && own == .cat && silhouette != nil
        let axes = partner.headAxes
        browHeight = Self.brow * axes.down.length / max(1e-6, axes.across.length)
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
            softness = 0.09 * feather
            inner = nil
            (partnerSamples, faceSamples) = (.cat, .cheeks)
        } else {
            inner = species == .human ? (hasBeard ? .humanWithBeard : .humanInner) : nil
            softness = (inner == nil ? 0.2 : hasBeard ? 0.15 : 0.27) * feather
            let outline = inner ?? HeadShape.Outline.humanWithoutHair.fitted(to: partner)
            let eyes = inner == nil ? [partner.leftEye, partner.rightEye] : []
            let brows = eyes.flatMap { eye in
                Self.browEnds.map { eye + axes.across * $0 - axes.down * Self.brow }
            }
            sources =
                [partner.leftEye, partner.rightEye, partner.nose] + partner.mouthPoints
                + outline.points(turn: partner.headTurn).map(place) + brows
            partnerSamples = .cheeks
            faceSamples = species == .cat ? .catWithoutRim : .cheeks
        }
    }

    private var isCat: Bool { partner.species == .cat }

    /// See `MergeArea.matching`.
    var matching: ColorMatching {
        inner != nil
            ? ColorMatching(contrast: 0.8...1.4)
            : isCat
                ? ColorMatching(light: 0.75, color: 0.35, contrast: 0.85...1.25)
                : ColorMatching(color: 0.35, direction: 0, contrast: 0.65...1.2)
    }

    /// Returns the points of a face onto which the points of the partner are warped, in pixels.
    private func targets(on face: FacePoints) -> [Point] {
        let axes = face.headAxes
        if let inner {
            return [face.leftEye, face.rightEye, face.nose] + face.mouthPoints
                + inner.points(turn: face.headTurn).map { axes.point($0.x, $0.y) }
        }
        guard isCat else {
            let map = Self.humanOnCat
            let mouth = 0.8 * map.eyes
            let inner = [
                Point(-map.eyes, -0.02), Point(map.eyes, -0.02), Point(0, map.nose), Point(0, map.mouth),
                Point(-mouth, map.mouth), Point(mouth, map.mouth),
            ]
            let brows = [-map.eyes, map.eyes].flatMap { eye in
                Self.browEnds.map { Point(eye + map.eyes * $0, -0.02 - map.eyes * browHeight / 2) }
            }
            return (inner + HeadShape.Outline.catWithoutRim.points() + brows).map { axes.point($0.x, $0.y) }
        }
        let (map, turn) = (Self.catOnHuman, face.headTurn)
        let mouth = 0.7 * turn
        let inner = [
            Point(-map.eyes, 0), Point(map.eyes, 0), Point(turn, map.nose), Point(mouth, map.mouth),
            Point(mouth - map.eyes, map.mouth), Point(mouth + map.eyes, map.mouth),
        ]
        let wide = HeadShape.Outline(
            halfWidth: map.halfWidth, top: map.top, bottom: map.bottom, taper: map.taper)
        let outline = wide.points(turn: turn)
        let top = axes.point(-0.54 * turn, map.top)
        let up = axes.down * (-2 * axes.across.length / max(1e-6, axes.down.length) * map.ears)
        let crown = Self.crown.map { point in
            top + axes.across * (map.ears * point.x) + up * (HeadShape.Outline.cat.top - point.y)
        }
        return (inner + outline).map { axes.point($0.x, $0.y) } + crown
    }

    /// Positions of a brow's ends beside the eye, as multiples of half the distance between the eyes, and the height of
    /// the brows above the eyes in `FacePoints.headAxes`. Between the eyes of a cat, the brows of a human stay level.
    private static let browEnds = [-0.55, 0.55]
    private static let brow = 0.32

    /// Opacity of the skin of a drawing, in levels.
    private static let skinLevel = 50.0
    /// Parts of a drawing in `FacePoints.headAxes`. Eyes, brows and mouth are opaque. The nose is transparent, because it
    /// would be a second nose beside the nose of the face.
    private static let features: [(center: Point, half: Point, opacity: Color)] = [
        (Point(-1, -0.1), Point(1, 0.42), .white), (Point(1, -0.1), Point(1, 0.42), .white),
        (Point(0, 1.03), Point(1.4, 0.42), .white), (Point(0, 0.52), Point(0.6, 0.26), .black),
    ]

    private static let outline = 6..<6 + HeadShape.outlineCount

    /// Returns the size of a face relative to the partner, which may have any size.
    func scale(from partner: FacePoints, to face: FacePoints) -> Double {
        let eyes = inner != nil ? 1 : isCat ? Self.catOnHuman.eyes : Self.humanOnCat.eyes
        return face.axes.across.length / partner.axes.across.length * eyes
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
        let used = hasEars || !isCat ? points[...] : points.prefix(Self.outline.upperBound)
        guard let left = used.map(\.x).min(), let right = used.map(\.x).max(), let top = used.map(\.y).min(),
            let bottom = used.map(\.y).max(), [left, right, top, bottom].allSatisfy({ $0.magnitude < 4e6 })
        else { return Rectangle(width: 0, height: 0) }
        return Rectangle(left: left - margin, right: right + margin, top: top - margin, bottom: bottom + margin)
    }

    /// Returns the part of a face for colour statistics.
    func samples(of species: Species?) -> SampleArea { species == partner.species ? partnerSamples : faceSamples }

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
            let ears = try silhouette.levels(in: part, scale: scale, softness: 0.03 * unit, isInside: true)
            multiply(weights: shape.image, by: ears.image)
            withExtendedLifetime(ears) {}
        }
        frame.polygon(
            sources[Self.outline].map { $0 * scale - part.corner }, softness: softness * unit, color: .white)
        multiply(weights: weights, by: shape.image)
        if showsFeatures {
            fill(shape.image, color: .gray(Self.skinLevel))
            let axes = partner.headAxes
            let turn = partner.headTurn
            for (center, half, opacity) in Self.features {
                let corners = HeadShape.directions.map {
                    axes.point(center.x + half.x * $0.x + 0.5 * turn * center.y, center.y + half.y * $0.y)
                }
                frame.polygon(corners.map { $0 * scale - part.corner }, softness: 0.08 * unit, color: opacity)
            }
            multiply(weights: weights, by: shape.image)
        }
        withExtendedLifetime(shape) {}
        if !isCat, let silhouette {
            let placed = partner.moved(from: part.corner / scale, scale: scale)
            try silhouette.limit(weights, part, scale: scale, of: placed, keeping: kept)
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
        let used = hasEars || !isCat ? sources.count : Self.outline.upperBound
        let spline = ThinPlateSpline(
            from: targets(on: face).prefix(used).map { $0 - area.corner },
            to: sources.prefix(used).map { $0 * scale - part.corner })
        guard let spline else { return false }
        let step = Int(min(32, max(4, face.axes.across.length / 3)))
        try spline.warp(image, into: output, step: step)
        return true
    }
}

extension FacePoints {
    /// The middle of a human's mouth, and its corners. The line of the corners is parallel to the eyes, because the
    /// measured corners of open mouths are often not at the same height.
    fileprivate var mouthPoints: [Point] {
        let axes = headAxes
        let mouth = axes.origin + axes.down
        let width = max(0.5 * axes.across.length, (landmarks.mouthRight - landmarks.mouthLeft).length / 2)
        let half = axes.across * (width / axes.across.length)
        return [mouth, mouth - half, mouth + half]
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
            let longest = direction.y < -0.5 || direction.y > 0.3 ? 1.0 : 1.2
            let steps = stride(from: 0.8, through: longest, by: 0.02)
            let edge = steps.first { !silhouette.contains(place($0)) } ?? longest
            // Below the chin is the cat's chest.
            return place((direction.y > 0.8 ? 0.9 : 0.97) * edge)
        }
    }
}
