// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// The outline and the holes of an object, normalized so that position, size and rotation have no effect on
/// comparisons. An outline and its mirror image count as different.
struct Outline: Sendable {
    let silhouette: Silhouette
    /// Longer side of the outline's bounding box, in pixels of the image.
    let length: Double
    /// Area inside the outline, including holes, in square pixels of the image.
    let area: Double
    /// Thickness: 2 A / P, where A is the area and P is the perimeter of the normalized outline. A disc has the
    /// thickness 1. Thin objects have a smaller thickness.
    let thickness: Double
    /// `count` points at equal distances along the outline, clockwise. The coordinates of each point are relative to
    /// `middle` and divided by `size`.
    let places: [Point]
    /// `middle`: mean of the points. `size`: root mean square distance between the points and `middle`. Both are in
    /// pixels of the image.
    let (middle, size): (Point, Double)
    /// Discrete Fourier transform of the outline's points, with low frequencies only, normalized to a vector of length
    /// 1.
    let spectrum: [SIMD2<Float>]
    /// Map of the holes in a square around `middle` with the side 4 × `size`. Each sample is the fraction of the
    /// sample's area that holes cover, 0…1. Nil if there are no holes.
    let holeMap: Matrix<Float>?

    /// `count`: number of points, a power of two. `transform`: the Fourier transform of `count` points.
    static let count = 128
    static let transform = FourierTransform(bits: 7)
    /// `holeSide`: number of samples along each side of `holeMap`. `holeScale`: number of samples along a line of the
    /// length `Outline.size`.
    static let holeSide = 48
    static let holeScale = Double(holeSide) / 4

    /// Creates an outline; nil if the silhouette has no extent.
    init?(_ silhouette: Silhouette) throws(VisionError) {
        self.silhouette = silhouette
        let corners = silhouette.corners, perimeter = corners.perimeter, box = corners.bounds
        guard perimeter > 0, perimeter < 1e9 else { return nil }
        length = Double(max(box.width, box.height))
        area = corners.enclosedArea
        let fine = OutlineTuning.finePlaces * Self.count
        let sigma = OutlineTuning.smoothing * length * Double(fine) / perimeter
        var places = corners.resampled(fine).smoothed(sigma: sigma).resampled(Self.count)
        let middle = places.reduce(Point(0, 0), +) / Double(Self.count)
        let size = (places.reduce(0) { $0 + ($1 - middle).squaredLength } / Double(Self.count)).squareRoot()
        guard size > 0 else { return nil }
        // All outlines are clockwise, so that outlines can be compared point by point.
        if places.signedArea < 0 { places.reverse() }
        places = places.map { ($0 - middle) / size }
        (self.places, self.middle, self.size) = (places, middle, size)
        thickness = 2 * places.enclosedArea / places.perimeter
        spectrum = Self.spectrum(places)
        holeMap = try Self.holeMap(silhouette, middle, size)
    }

    private static func spectrum(_ places: [Point]) -> [SIMD2<Float>] {
        var spectrum = transform(places.map { SIMD2(Float($0.x), Float($0.y)) })
        spectrum[0] = .zero
        for frequency in OutlineTuning.highestFrequency + 1..<count - OutlineTuning.highestFrequency {
            spectrum[frequency] = .zero
        }
        let power = spectrum.reduce(0.0) { $0 + Double(($1 * $1).sum()) }
        guard power > 0 else { return spectrum }
        let scale = Float(1 / power.squareRoot())
        return spectrum.map { $0 * scale }
    }

    private static func holeMap(
        _ silhouette: Silhouette, _ middle: Point, _ size: Double
    ) throws(VisionError) -> Matrix<Float>? {
        guard !silhouette.holes.isEmpty else { return nil }
        // First draw the map with four times the width and height, and then reduce it. So samples at the edges of holes
        // get values between 0 and 1.
        let fine = 4 * holeSide, step = size / (4 * holeScale)
        let map = AffineMap(xx: step, x0: middle.x - 2 * size, yy: step, y0: middle.y - 2 * size)
        let whole = try Silhouette(corners: silhouette.corners).mask(map, width: fine, height: fine)
        let holes = whole.subtracting(try silhouette.mask(map, width: fine, height: fine))
        return try holes.resized(width: holeSide, height: holeSide, sv_cv_area).coverage
            .blurred(sigma: OutlineTuning.holeBlur)
    }
}
