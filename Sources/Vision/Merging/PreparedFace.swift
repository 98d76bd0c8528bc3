// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A partner's face at several sizes, prepared for merging with similar faces. Each size is computed at its first use.
final class PreparedFace {
    private let picture: FacePicture
    let area: MergeArea
    private let raw: ImagePyramid
    /// The partner for the classic merge, and its pyramid.
    private let narrow: FacePicture
    private lazy var narrowRaw = ImagePyramid(narrow.image)
    private let meter: ColorSampler
    private var levels: [Int: Level] = [:]

    /// The partner's face at one size.
    final class Level {
        /// Pixels of the merged part, BGRA. Alpha is the weight of the pixel in a hybrid.
        let pixels: OwnedImage
        /// Scale of the partner's image, and the position of `pixels` in the scaled image.
        let scale: Double
        let part: Rectangle
        /// The face, in coordinates of `pixels`.
        let face: FacePoints
        /// `pixels` in CIE L*a*b*, in OpenCV's 8-bit encoding.
        let lab: OwnedImage
        /// Colour statistics of the face in L*a*b*; nil if too few pixels are visible.
        let light: ColorStatistics?
        private var measuredBlur: Double??
        private var measuredNoise: Double??

        fileprivate init(
            pixels: OwnedImage, scale: Double, part: Rectangle, face: FacePoints, lab: OwnedImage,
            light: ColorStatistics?
        ) {
            (self.pixels, self.scale, self.part, self.face) = (pixels, scale, part, face)
            (self.lab, self.light) = (lab, light)
        }

        /// Returns the blur of the face's edges, in pixels (`sv_cv_edge_blur`); nil if the face has no edges. The first
        /// call measures the blur.
        func blur() throws(VisionError) -> Double? {
            if let measuredBlur { return measuredBlur }
            let blur = try face.blur(in: pixels.image)
            measuredBlur = .some(blur)
            return blur
        }

        /// Returns the noise of the face, in grey levels (`sv_cv_grain`); nil if the face is too small. The first call
        /// measures the noise.
        func noise() throws(VisionError) -> Double? {
            if let measuredNoise { return measuredNoise }
            let noise = try face.noise(in: pixels.image)?.sigma
            measuredNoise = .some(noise)
            return noise
        }
    }

    init(
        _ picture: FacePicture, for target: MergeTarget, feather: Double, hasEars: Bool, _ meter: ColorSampler
    ) {
        self.meter = meter
        area = MergeArea(picture, for: target, feather: feather, hasEars: hasEars)
        narrow = picture.narrowed
        self.picture = area.isWhole ? picture : narrow
        raw = ImagePyramid(self.picture.image)
    }

    var species: Species? { picture.face.species }

    /// Returns the partner at the size that is nearest to the size of `face`; nil if no part of the partner is visible.
    func level(for face: FacePoints) throws(VisionError) -> Level? {
        let scale = area.scale(from: picture.face, to: face)
        guard scale.isFinite, scale > 0 else { return nil }
        let index = raw.nearest(to: scale)
        if let level = levels[index] { return level }
        guard let level = try makeLevel(index) else { return nil }
        levels[index] = level
        return level
    }

    /// Returns the partner's box for the classic merge, at the smallest size of the pyramid that is at least as large
    /// as `face`.
    func cut(for face: FacePoints) -> FacePicture? {
        let scale = (face.axesArea / picture.face.axesArea).squareRoot()
        guard scale.isFinite, scale > 0 else { return nil }
        let index = narrowRaw.atLeast(scale)
        let scaled = narrow.face.moved(from: Point(0, 0), scale: ImagePyramid.scale(index))
        return FacePicture(narrowRaw[index], of: self, face: scaled, isGray: narrow.isGray).boxed
    }

    private func makeLevel(_ index: Int) throws(VisionError) -> Level? {
        let full = raw[index]
        let scale = ImagePyramid.scale(index)
        let face = picture.face.moved(from: Point(0, 0), scale: scale)
        let part = full.bounds.intersection(area.sourceBounds(of: face, scale: scale))
        guard !part.isEmpty else { return nil }
        let pixels = OwnedImage(.bgra, width: part.width, height: part.height)
        pixels.image.copy(from: full.cropped(to: part))
        let moved = face.moved(from: part.corner)

        let weights = OwnedImage(.gray8, width: part.width, height: part.height)
        fillToEdges(weights.image, part, of: full, FaceOval.edge(of: face))
        try area.limit(weights.image, on: moved, part, scale: scale)
        if picture.hasAlpha {
            let alpha = OwnedImage(.gray8, width: part.width, height: part.height)
            extractAlpha(from: pixels.image, into: alpha.image)
            multiply(weights: weights.image, by: alpha.image)
            withExtendedLifetime(alpha) {}
        }
        setAlpha(of: pixels.image, to: weights.image)
        withExtendedLifetime(weights) {}
        let lab = OwnedImage(.rgb, width: part.width, height: part.height)
        try check { sv_cv_lab(pixels.image.openCV, lab.image.openCV, $0) }
        var light: ColorStatistics?
        if meter.collect(from: pixels.image, origin: Point(0, 0), at: area.sampleArea(moved.species), on: moved) {
            light = try meter.labLight()
        }
        return Level(pixels: pixels, scale: scale, part: part, face: moved, lab: lab, light: light)
    }

    /// Fills `weights` with 255, falling linearly to 0 at the edges of the whole image, where the face may be cut off.
    /// - Parameters:
    ///   - part: the area of the weights in the whole image.
    ///   - edge: the distance from an edge, in pixels, at which the weight is 255.
    private func fillToEdges(_ weights: Image, _ part: Rectangle, of full: Image, _ edge: Double) {
        func weight(_ position: Int, _ length: Int) -> UInt8 {
            let distance = min(Double(position) + 0.5, Double(length - position) - 0.5)
            return UInt8(min(255, max(0, 255 * distance / max(1, edge))))
        }
        let columns = (0..<part.width).map { weight(part.x + $0, full.width) }
        for y in 0..<part.height {
            let (row, rowWeight) = (weights.row(y), weight(part.y + y, full.height))
            for x in 0..<part.width { row[x] = min(columns[x], rowWeight) }
        }
    }
}
