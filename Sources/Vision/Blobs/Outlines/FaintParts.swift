// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

/// The faint parts of an object, such as the teeth of a comb or the bristles of a brush. In its faint parts, the object
/// covers only about half of the background. In small images, faint parts are grey, so the outline includes them in
/// some images and excludes them in others. Therefore, the classifier also compares features that do not depend on the
/// size of the image. These are the outlines with and without the faint parts, and the fraction of the faint parts'
/// area that the object covers.
struct FaintParts: Sendable {
    /// `whole`: the outline with the faint parts. `solid`: the outline without the faint parts.
    let (whole, solid): (Outline, Outline)
    /// `parts`: mask of the faint parts. `coverage`: for each pixel, the fraction of the pixel that the object covers,
    /// 0…1.
    private let parts: Matrix<UInt8>
    private let coverage: Matrix<Float>
    /// Maps pixels of `parts` to pixels of the image.
    private let map: AffineMap

    /// Finds the faint parts of an object; nil if there are none.
    /// - Parameter view: the view from which the object was cut out.
    init?(of silhouette: Silhouette, in view: ObjectView) throws(VisionError) {
        guard !view.contrast.isEmpty else { return nil }
        let strength = view.contrast.quantile(9, of: 10, under: view.object, step: 4)
        guard strength > 0 else { return nil }
        var coverage = view.contrast
        for y in 0..<coverage.height {
            let row = coverage.mutableRow(y)
            for x in 0..<coverage.width { row[x] = min(row[x] / strength, 1) }
        }
        let grey = try coverage.blurred(sigma: OutlineTuning.faintBlur).mask(within: OutlineTuning.faintCoverage)
        let parts = try grey.morphed(sv_cv_open, disc: OutlineTuning.leastFaintWidth).parts(touching: view.object)
        guard Double(parts.count) >= OutlineTuning.leastFaint * Double(view.object.count) else { return nil }
        let clear = try view.object.subtracting(parts).morphed(sv_cv_open, disc: OutlineTuning.toothRest)
        let closed = try (view.object | parts).morphed(sv_cv_close, disc: OutlineTuning.toothGap)
        // Measure the object's colour only in pixels away from the edges, because edge pixels also show the background.
        let full = clear & (coverage > OutlineTuning.fullCoverage)
        var silhouette = silhouette
        silhouette.tone = view.tone(full.count > 0 ? full : clear)
        guard let whole = try Self.outline(of: closed, in: view, silhouette),
            let solid = try Self.outline(of: clear, in: view, silhouette)
        else { return nil }
        (self.whole, self.solid, self.parts, self.coverage, map) = (whole, solid, parts, coverage, view.map)
    }

    /// Returns the outline of the largest connected part of a mask, without holes; nil if this part is too small.
    private static func outline(
        of mask: Matrix<UInt8>, in view: ObjectView, _ silhouette: Silhouette
    ) throws(VisionError) -> Outline? {
        let contours = try mask.contours()
        guard let largest = contours.max(by: { $0.area < $1.area }), largest.area >= OutlineTuning.leastArea else {
            return nil
        }
        var silhouette = silhouette
        (silhouette.corners, silhouette.holes) = (view.placed(largest), [])
        return try Outline(silhouette)
    }

    /// Returns the absolute difference between the coverages of this object and of `other`, 0…1. A coverage is the
    /// fraction of the faint parts of `other` that the object covers. If this image shows too little of these faint
    /// parts, returns 1.
    /// - Parameter between: maps pixels of this object's image to pixels of the other object's image.
    func difference(to other: FaintParts, _ between: Similarity) throws(VisionError) -> Double {
        let map = other.map.inverse * AffineMap(between) * self.map
        let parts = try other.parts.warped(
            map, isInverse: true, width: coverage.width, height: coverage.height, sv_cv_nearest)
        guard Double(parts.count) * abs(map.determinant) >= OutlineTuning.leastSeen * Double(other.parts.count) else {
            return 1
        }
        return abs(coverage.mean(under: parts) - other.coverage.mean(under: other.parts))
    }
}

extension Matrix<UInt8> {
    /// Returns the connected parts of this mask that touch or nearly touch `other`. The maximum gap is about half of
    /// `toothGap`.
    fileprivate func parts(touching other: Matrix) throws(VisionError) -> Matrix {
        let near = try other.morphed(sv_cv_dilate, side: OutlineTuning.toothGap, isElliptic: true)
        let parts = try parts(connectivity: 8)
        var touching = Set<Int32>()
        for y in 0..<height {
            let (labels, near) = (parts.labels.row(y), near.row(y))
            for x in 0..<width where near[x] != 0 && labels[x] != 0 { touching.insert(labels[x]) }
        }
        return parts.mask { touching.contains($0.label) }
    }
}

extension Matrix<Float> {
    /// Returns the mask of the samples that are strictly between the limits of `range`.
    fileprivate func mask(within range: ClosedRange<Float>) -> Matrix<UInt8> {
        (self > range.lowerBound) & (self < range.upperBound)
    }

    /// Returns the mean of the masked samples; 0 if there are none.
    fileprivate func mean(under mask: Matrix<UInt8>) -> Double {
        var (sum, count) = (0.0, 0)
        for y in 0..<height {
            let (row, use) = (row(y), mask.row(y))
            for x in 0..<width where use[x] != 0 { (sum, count) = (sum + Double(row[x]), count + 1) }
        }
        return sum / Double(max(1, count))
    }
}
