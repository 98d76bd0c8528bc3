// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging
internal import KernelTypes

/// The merged part of a face, and the map of the partner onto the face.
enum MergeArea {
    /// Faces of one species: the intersection of two ellipses, mapped by the affine transformation of eyes and nose. Only
    /// the skin of a human with a silhouette is merged.
    case ovals(FaceOval.Pair, HeadSilhouette?)
    /// Faces of two species: the whole face.
    case whole(SpeciesWarp)

    init(_ picture: FacePicture, for other: Species?, feather: Double, hasEars: Bool) {
        if let warp = SpeciesWarp(picture, onto: other, feather: feather, hasEars: hasEars) {
            self = .whole(warp)
        } else {
            let narrow = picture.narrowed
            self = .ovals(
                FaceOval.Pair(picture.face.species, other, feather: feather),
                picture.face.species == .human ? narrow.silhouette : nil)
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

    /// Returns true if the blended colours must be matched to the face once more. If the partner covers the whole face,
    /// its matched colours remain.
    func needsCorrection(in mode: BlendMode) -> Bool { !isWhole || mode != .normal }

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

    /// Returns points inside of a face or its partner, in pixels, for colour statistics.
    func samples(on face: FacePoints) -> [ColorSample] {
        switch self {
        case .ovals(let pair, _): pair.samples(on: face)
        case .whole(let warp): warp.samples(on: face)
        }
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

extension FacePoints {
    /// Returns the blur of the edges of eyes, nose and mouth in an image, in pixels; nil if there are no edges.
    /// - Parameter origin: the position of the image's first pixel in the coordinates of the face.
    func blur(in image: Image, origin: Point = Point(0, 0)) throws(VisionError) -> Double? {
        let axes = moved(from: origin).headAxes
        let corners = [(-1.5, -0.35), (1.5, -0.35), (-1.5, 1.15), (1.5, 1.15)].map { axes.point($0.0, $0.1) }
        guard let left = corners.map(\.x).min(), let right = corners.map(\.x).max(),
            let top = corners.map(\.y).min(), let bottom = corners.map(\.y).max()
        else { return nil }
        let part = image.bounds.intersection(
            Rectangle(Box(x: left, y: top, width: right - left, height: bottom - top)))
        guard !part.isEmpty, image.format.bytesPerPixel == 4 else { return nil }
        var sigma = -1.0
        try check { sv_cv_edge_blur(image.cropped(to: part).openCV, &sigma, $0) }
        return sigma.isFinite && sigma >= 0 ? sigma : nil
    }
}
