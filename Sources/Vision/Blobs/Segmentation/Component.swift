// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A connected part of a foreground mask.
struct Component {
    let box: Rectangle
    /// `mask`: all pixels of the component, with the bounds `box`. `object`: the component's pixels without the shadow.
    let mask: Matrix<UInt8>
    var object: Matrix<UInt8>
    /// True if the component contains a shadow.
    var isShaded = false
    /// True if the component may contain a shadow that is visible only in higher resolution.
    var isDoubtful = false

    init(_ mask: Matrix<UInt8>, _ box: Rectangle) { (self.mask, object, self.box) = (mask, mask, box) }

    var shadow: Matrix<UInt8> { mask.subtracting(object) }

    /// Returns true if enough pixels of the component clearly differ from the background.
    func isClear(in view: View) -> Bool {
        let limit = Float(SegmentationTuning.clearDistance * view.threshold)
        let clear = mask & (view.differing.distance.cropped(to: box) >= limit)
        let (area, least) = (mask.count, SegmentationTuning.clearFraction)
        return view.recorder.allows(
            Check(.clearFraction, Double(clear.count) / Double(max(1, area)), atLeast: least), box, area: area,
            else: .faint)
    }

    /// Returns false if the component is so faint that the component may be a pattern of an uneven background.
    func isNoPattern(in view: View) -> Bool {
        let usual = view.differing.distance.cropped(to: box).quantile(7, of: 10, under: mask)
        return view.recorder.allows(
            Check(.patternDistance, Double(usual) / view.threshold, atLeast: SegmentationTuning.patternDistance), box,
            area: mask.count, else: .groundPattern)
    }

    /// Returns the mask of the component's object. Removes the shadow and the faint surroundings, and fills gaps and
    /// holes.
    /// - Parameters:
    ///   - view: the view that contains the component; nil with the models `mog2` and `knn`.
    ///   - blur: the approximate width of blurred edges, in pixels.
    ///   - closing: the maximum length of gaps that are closed, in pixels. The result has a margin of this width.
    func thing(
        _ view: View?, _ light: ShadowLight?, blur: Int, closing: Int, _ search: BlobSearch
    ) throws(VisionError) -> Matrix<UInt8> {
        guard let view, search.removesShadows || search.isUneven else { return try mask.solid(closing) }
        let core = try withoutSurroundings(view, light, blur: blur + 2, isUneven: search.isUneven)
        let thing = try core.solid(closing)
        guard !search.isUneven, try thing.isBroken else { return thing }
        // Thin parts of an object can be as faint as the surroundings. Without these thin parts, the object may break
        // into several parts. So if the object has one piece with the faint pixels, but several pieces without them,
        // return the object with the faint pixels.
        let whole = try object.solid(closing)
        return try whole.isBroken ? thing : whole
    }

    /// Returns the object without its faint surroundings: soft shadows and blurred edges. A pixel is faint if its
    /// difference from the background is at most half of the usual difference of the object's pixels. On an even
    /// background, wide faint areas are kept if they are not darker than the background.
    private func withoutSurroundings(
        _ view: View, _ light: ShadowLight?, blur: Int, isUneven: Bool
    ) throws(VisionError) -> Matrix<UInt8> {
        let distance = view.differing.distance.cropped(to: box)
        // On an even background, the usual difference is the median. On an uneven background, more than half of the
        // pixels may be surroundings, so use a higher quantile.
        let usual = distance.quantile(isUneven ? 7 : 1, of: isUneven ? 10 : 2, under: object)
        let limit = SegmentationTuning.faint * usual
        guard !isUneven else { return object & (distance > limit) }
        var faint = object & (distance <= limit)
        let shadow = shadow
        if shadow.count > 0 {
            // In a component with a hard shadow, a pixel counts as faint only if its difference from the background is
            // also below a second limit. This limit is different along the edge of the shadow and elsewhere.
            let edge = try shadow.dilated(side: 2 * blur - 3)
            let level = -SegmentationTuning.shadowFaint * Double(light?.level.level ?? 0)
            faint = faint & ((distance <= Float(level)) | (edge & (distance <= SegmentationTuning.shadowRest)))
        }
        let pale = try faint.subtracting(view.differing.shade.cropped(to: box)).morphed(sv_cv_open, side: blur)
        return object.subtracting(faint) | pale
    }
}

extension Matrix<UInt8> {
    /// Returns the mask with its gaps closed and its holes filled. The result is larger than the mask by a margin on
    /// each side.
    /// - Parameter closing: the maximum length of gaps, and the width of the margin, in pixels.
    fileprivate func solid(_ closing: Int) throws(VisionError) -> Matrix {
        var padded = Matrix(width: width + 2 * closing, height: height + 2 * closing)
        padded.paste(self, x: closing, y: closing)
        return try .filled(try padded.morphed(sv_cv_close, side: closing).contours(), padded.bounds)
    }

    /// True if the mask consists of several large parts: the area of the second-largest part exceeds `brokenPart` times
    /// the area of the largest part.
    fileprivate var isBroken: Bool {
        get throws(VisionError) {
            let areas = try contours(isSimplified: true).map(\.area).sorted(by: >)
            return areas.count > 1 && areas[1] > SegmentationTuning.brokenPart * areas[0]
        }
    }

    /// Returns an odd side for a kernel: 2 × (shorter side / `divisor`) + 1, at least 3, in pixels.
    func kernelSide(_ divisor: Int) -> Int { 2 * max(1, min(width, height) / divisor) + 1 }
}
