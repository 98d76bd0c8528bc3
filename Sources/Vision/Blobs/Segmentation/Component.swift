// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

// From a mask of what differs from the ground to blobs.

/// A connected part of a mask.
struct Component {
    let box: Rectangle
    /// Its pixels in the box, and those that are no shadow.
    let mask: Matrix<UInt8>
    var object: Matrix<UInt8>
    /// Whether there are shadows in it.
    var isShaded = false
    /// Whether there may be some that only a closer view can show.
    var isDoubtful = false

    init(_ mask: Matrix<UInt8>, _ box: Rectangle) { (self.mask, object, self.box) = (mask, mask, box) }

    var shadow: Matrix<UInt8> { mask.subtracting(object) }

    /// Returns whether the component hardly differs from the ground anywhere.
    func isFaint(in view: View) -> Bool {
        let limit = Float(SegmentationTuning.clearDistance * view.threshold)
        let clear = mask & (view.differing.distance.cropped(to: box) >= limit)
        return Double(clear.count) < SegmentationTuning.clearFraction * Double(mask.count)
    }

    /// Returns whether the component is so faint that it may be a pattern of an uneven ground.
    func isPattern(in view: View) -> Bool {
        let usual = view.differing.distance.cropped(to: box).quantile(7, of: 10, under: mask)
        return Double(usual) < SegmentationTuning.patternDistance * view.threshold
    }

    /// Returns the thing that the component shows, without gaps, holes and surroundings.
    /// - Parameters:
    ///   - view: the view that the component is a part of; nil if there is no ground.
    ///   - blur: about the width in pixels of blurred edges of things.
    ///   - closing: the length in pixels of gaps that are closed, and the result's margin.
    func thing(
        _ view: View?, _ light: ShadowLight?, blur: Int, closing: Int, _ search: BlobSearch
    ) throws(VisionError) -> Matrix<UInt8> {
        guard let view, search.removesShadows || search.isUneven else { return try mask.solid(closing) }
        let core = try withoutSurroundings(view, light, blur: blur + 2, isUneven: search.isUneven)
        let thing = try core.solid(closing)
        guard !search.isUneven, try thing.isBroken else { return thing }
        // Thin parts are as faint as surroundings, and hold the others together.
        let whole = try object.solid(closing)
        return try whole.isBroken ? thing : whole
    }

    /// Returns the object without its faint surroundings, less than half of its usual distance from the ground: shadow, and the
    /// blur along its edge. Parts that are as faint, but not thin and not darker than the ground, stay, unless the ground is
    /// uneven.
    private func withoutSurroundings(
        _ view: View, _ light: ShadowLight?, blur: Int, isUneven: Bool
    ) throws(VisionError) -> Matrix<UInt8> {
        let distance = view.differing.distance.cropped(to: box)
        // An uneven ground is known less well: more than half may be of what surrounds the thing.
        let usual = distance.quantile(isUneven ? 7 : 1, of: isUneven ? 10 : 2, under: object)
        let limit = SegmentationTuning.faint * usual
        guard !isUneven else { return object & (distance > limit) }
        var faint = object & (distance <= limit)
        let shadow = shadow
        if shadow.count > 0 {
            // What is left of a hard shadow along its edge is fainter.
            let edge = try shadow.dilated(side: 2 * blur - 3)
            let level = -SegmentationTuning.shadowFaint * Double(light?.level.level ?? 0)
            faint = faint & ((distance <= Float(level)) | (edge & (distance <= SegmentationTuning.shadowRest)))
        }
        let pale = try faint.subtracting(view.differing.shade.cropped(to: box)).morphed(sv_cv_open, side: blur)
        return object.subtracting(faint) | pale
    }
}

extension Matrix<UInt8> {
    /// Returns the mask without gaps and holes, with a margin.
    /// - Parameter closing: the length in pixels of gaps, and the width of the margin.
    fileprivate func solid(_ closing: Int) throws(VisionError) -> Matrix {
        var padded = Matrix(width: width + 2 * closing, height: height + 2 * closing)
        padded.paste(self, x: closing, y: closing)
        return try .filled(try padded.morphed(sv_cv_close, side: closing).contours(), padded.bounds)
    }

    /// Whether the mask has several parts that count.
    fileprivate var isBroken: Bool {
        get throws(VisionError) {
            let areas = try contours(isSimplified: true).map(\.area).sorted(by: >)
            return areas.count > 1 && areas[1] > SegmentationTuning.brokenPart * areas[0]
        }
    }

    /// Returns about a part of the shorter side, as an odd number of pixels.
    func kernelSide(_ divisor: Int) -> Int { 2 * max(1, min(width, height) / divisor) + 1 }
}
