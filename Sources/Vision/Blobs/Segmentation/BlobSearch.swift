// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Settings for a search for blobs in a reduced image.
struct BlobSearch {
    var model: BlobSettings.Model
    /// Minimum difference between foreground and background, in standard deviations of the background. With the model
    /// `knn`, the unit is levels (0…255).
    var threshold: Double
    /// `kernel`: side of the square kernel that erodes the background mask, in pixels; 0 for no erosion. `iterations`:
    /// number of times that the kernel erodes the mask.
    var kernel: Int
    var iterations: Int
    /// Number of earlier images that the models `mog2` and `knn` use.
    var history: Int
    /// `scale`: before the search, the width and height of the full frame were multiplied by this factor. `minSide`,
    /// `maxSide`: limits for the sides of a blob's bounding box, in pixels of the full frame. If `maxSide` is 0, the
    /// size is unlimited.
    var scale: Double
    var minSide: Int
    var maxSide: Int
    var maxBlobs: Int
    var isUneven: Bool
    var removesShadows: Bool
    var recorder: DecisionRecorder?

    /// Returns true if both sides of a box are between `minSide` and `maxSide`.
    func fitsBothSides(_ box: Rectangle) -> Bool {
        let (width, height) = (Double(box.width) / scale, Double(box.height) / scale)
        let largest = maxSide <= 0 ? .infinity : Double(maxSide)
        return allows(Check(.minSize, min(width, height), atLeast: Double(minSide)), box, else: .tooSmall)
            && allows(Check(.maxSize, max(width, height), atMost: largest), box, else: .tooLarge)
    }

    /// Returns true if the sides of a box are within the limits, with a tolerance. The minimum for the shorter side is
    /// lower than the minimum for the longer side.
    /// - Parameters:
    ///   - scale: the factor by which the full frame was scaled to the image in which the box was found.
    ///   - precision: the tolerance, in pixels of the scaled image.
    func fits(_ box: Rectangle, scale: Double, precision: Double, isMaximumIgnored: Bool = false) -> Bool {
        let (longer, shorter) = (Double(max(box.width, box.height)), Double(min(box.width, box.height)))
        let (least, slimmest) = (Double(minSide), SegmentationTuning.slimmest * Double(minSide))
        let largest = isMaximumIgnored || maxSide <= 0 ? .infinity : Double(maxSide)
        return allows(Check(.minSize, (longer + precision) / scale, atLeast: least), box, else: .tooSmall)
            && allows(Check(.slimmest, (shorter + precision) / scale, atLeast: slimmest), box, else: .tooSmall)
            && allows(Check(.maxSize, (longer - precision) / scale, atMost: largest), box, else: .tooLarge)
    }

    private func allows(_ check: Check, _ box: Rectangle, else outcome: Decision.Outcome) -> Bool {
        recorder.allows(check, box, area: box.width * box.height, else: outcome)
    }

    /// Returns the first `maxBlobs` candidates.
    /// - Parameter sorted: the candidates, the largest first.
    func largest(_ sorted: [Candidate]) -> [Candidate] {
        let most = max(0, maxBlobs)
        if let recorder, sorted.count > most {
            let check = Check(.maxBlobs, Double(sorted.count), atMost: Double(most))
            for candidate in sorted[most...] { recorder.add(.tooMany, candidate.box, area: candidate.area, check) }
        }
        return Array(sorted.prefix(most))
    }
}

struct Erosion {
    private let side: Int
    private let count: Int

    /// Creates the erosion for masks with the bounds `bounds`. Limits the side of the kernel and the number of passes:
    /// values above the limits would have no effect, because the values at the limits already erode a whole mask.
    init(_ search: BlobSearch, _ bounds: Rectangle) {
        let longer = max(bounds.width, bounds.height)
        side = min(search.kernel, 2 * longer + 1)
        count = side > 1 ? min(search.iterations, 2 * longer / (side - 1) + 1) : 0
    }

    /// The erosion of the background enlarges the foreground by this number of pixels in width and in height.
    var growth: Int { count * (side - 1) }

    /// Erodes or dilates a mask with the kernel of this object, `count` times.
    func apply(_ operation: SVCVOperation, to mask: Matrix<UInt8>) throws(VisionError) -> Matrix<UInt8> {
        count > 0 ? try mask.morphed(operation, side: side, passes: count) : mask
    }
}
