// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging
internal import KernelTypes

/// The properties of a face that define which part of a partner covers the face.
struct MergeTarget: Equatable {
    let species: Species?
    /// True if the mouths of both faces are measured; see `FacePoints.hasMouth`.
    let hasMouths: Bool
    /// True if the partner is a drawing and the face is not.
    var isPhotoForDrawing = false
}

/// The merged part of a face, and the map of the partner onto the face.
enum MergeArea {
    /// Two cats, or two humans without measured mouths: the intersection of two ellipses, mapped by the affine
    /// transformation of eyes and nose. Only the skin of a human with a silhouette is merged.
    case ovals(FaceOval.Pair, HeadSilhouette?)
    /// All other faces: the whole face.
    case whole(FaceWarp)

    init(_ picture: FacePicture, for target: MergeTarget, feather: Double, hasEars: Bool) {
        if let warp = FaceWarp(picture, onto: target, feather: feather, hasEars: hasEars) {
            self = .whole(warp)
        } else {
            let narrow = picture.narrowed
            // Without measured mouths, the mouth of a drawing would be beside the mouth of the face.
            let isHuman = picture.face.species == .human
            let showsOnlyEyes = isHuman && target.species == .human && target.isPhotoForDrawing
            self = .ovals(
                FaceOval.Pair(picture.face.species, target.species, feather: feather, showsOnlyEyes: showsOnlyEyes),
                isHuman ? narrow.silhouette : nil)
        }
    }

    var isWhole: Bool {
        guard case .whole = self else { return false }
        return true
    }

    /// Returns the largest distance between corresponding points of two faces, of the points that define the map.
    func distance(_ first: FacePoints, _ second: FacePoints) -> Double {
        guard isWhole else { return first.distance(to: second) }
        return FaceLandmarks.points.map { (first.landmarks[keyPath: $0] - second.landmarks[keyPath: $0]).length }.max()
            ?? 0
    }

    /// Returns true if the blended colours must be matched to the face once more. If the partner covers the face, its
    /// matched colours remain.
    func needsCorrection(in mode: BlendMode) -> Bool { mode != .normal }

    /// Returns the size of a face relative to its partner, which may have any size.
    func scale(from partner: FacePoints, to face: FacePoints) -> Double {
        switch self {
        case .ovals: (face.axesArea / partner.axesArea).squareRoot()
        case .whole(let warp): warp.scale(from: partner, to: face)
        }
    }

    /// Returns the bounds of the pixels that the partner may cover, in pixels of the face's image.
    func bounds(on face: FacePoints) -> Rectangle {
        switch self {
        case .ovals(let pair, _): pair.bounds(on: face)
        case .whole(let warp): warp.bounds(on: face)
        }
    }

    /// Returns the bounds of the partner's pixels in its scaled image.
    func sourceBounds(of partner: FacePoints, scale: Double) -> Rectangle {
        switch self {
        case .ovals(let pair, _): pair.bounds(on: partner)
        case .whole(let warp): warp.sourceBounds(scale: scale)
        }
    }

    /// Returns the axes of a face in which the positions of its samples have magnitudes of at most 1.
    func lightAxes(on face: FacePoints) -> FaceAxes { sampleArea(face.species).axes(on: face) }

    /// Returns the part of a face or its partner for colour statistics.
    func sampleArea(_ species: Species?) -> SampleArea {
        switch self {
        case .ovals(let pair, _): pair.samples
        case .whole(let warp): warp.samples(of: species)
        }
    }

    /// The strength of the colour match. The fur of a cat keeps most of its colour and contrast on a human, and a human
    /// on a cat keeps most of its skin colour.
    var matching: ColorMatching {
        guard case .whole(let warp) = self else { return ColorMatching() }
        return warp.matching
    }

    /// Limits the weights of the partner's pixels to the merged part.
    /// - Parameters:
    ///   - partner: the partner, in pixels of `weights`.
    ///   - part: the position of `weights` in the scaled image of the partner.
    func limit(_ weights: Image, on partner: FacePoints, _ part: Rectangle, scale: Double) throws(VisionError) {
        switch self {
        case .ovals(let pair, let silhouette):
            pair.limit(weights, on: partner)
            try silhouette?.limit(weights, part, scale: scale, of: partner)
        case .whole(let warp): try warp.limit(weights, part, scale: scale)
        }
    }

    /// Maps the partner onto a face.
    /// - Parameters:
    ///   - image: the pixels of the partner at the size of `level`.
    ///   - area: the position of `output` in the image of the face.
    /// - Returns: false if the points of the face do not define a map.
    func place(
        _ image: Image, _ level: PreparedFace.Level, onto face: FacePoints, _ area: Rectangle, into output: Image
    ) throws(VisionError) -> Bool {
        switch self {
        case .ovals:
            try align(image, level.face.points, to: face.moved(from: area.corner).points, into: output)
            return true
        case .whole(let warp):
            return try warp.warp(image, level.part, scale: level.scale, onto: face, area, into: output)
        }
    }
}

/// The noise of an image.
struct ImageNoise {
    /// Standard deviation of the noise, in grey levels.
    let sigma: Double
    /// The same measure as a mean, which includes edges.
    let edges: Double

    /// True for clear edges between smooth surfaces, or for clear lines, such as drawn fur. In photos, the texture of skin
    /// or fur is everywhere.
    var isDrawing: Bool { edges > 0.3 && (sigma < 0.6 ? edges > 1.7 * sigma : sigma < 2 && edges > 2.2 * sigma) }
}

extension FacePoints {
    /// Returns the blur of the edges of eyes, nose and mouth in an image, in pixels; nil if there are no edges.
    /// - Parameter origin: the position of the image's first pixel in the coordinates of the face.
    func blur(in image: Image, origin: Point = Point(0, 0)) throws(VisionError) -> Double? {
        guard let part = inner(of: image, origin) else { return nil }
        var sigma = -1.0
        try check { sv_cv_edge_blur(part.openCV, &sigma, $0) }
        return sigma.isFinite && sigma >= 0 ? sigma : nil
    }

    /// Returns the noise of eyes, nose and mouth in an image; nil if the face is too small.
    func noise(in image: Image, origin: Point = Point(0, 0)) throws(VisionError) -> ImageNoise? {
        guard let part = inner(of: image, origin) else { return nil }
        var (sigma, edges) = (-1.0, 0.0)
        try check { sv_cv_grain(part.openCV, &sigma, &edges, $0) }
        return sigma.isFinite && sigma >= 0 ? ImageNoise(sigma: sigma, edges: edges) : nil
    }

    /// Returns `ImageNoise.isDrawing` of eyes, nose and mouth in an image; nil if the face is too small.
    func isDrawing(in image: Image, origin: Point = Point(0, 0)) throws(VisionError) -> Bool? {
        try noise(in: image, origin: origin)?.isDrawing
    }

    /// Returns the part of an image with eyes, nose and mouth.
    private func inner(of image: Image, _ origin: Point) -> Image? {
        let axes = moved(from: origin).headAxes
        let corners = [(-1.5, -0.35), (1.5, -0.35), (-1.5, 1.15), (1.5, 1.15)].map { axes.point($0.0, $0.1) }
        guard let left = corners.map(\.x).min(), let right = corners.map(\.x).max(),
            let top = corners.map(\.y).min(), let bottom = corners.map(\.y).max()
        else { return nil }
        let part = image.bounds.intersection(
            Rectangle(Box(x: left, y: top, width: right - left, height: bottom - top)))
        guard !part.isEmpty, image.format.bytesPerPixel == 4 else { return nil }
        return image.cropped(to: part)
    }
}
