// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Settings for the search in one reduced image.
struct BlobSearch {
    var model: BlobSettings.Model
    /// Minimum difference between foreground and background, in standard deviations; with `knn`, in levels.
    var threshold: Double
    /// Side in pixels of the square kernel that erodes the background, and number of passes. With 0 the background is
    /// not eroded.
    var kernel: Int
    var iterations: Int
    /// Number of images that learned models remember.
    var history: Int
    /// Factor by which the image was reduced. `minSide` and `maxSide` are in pixels before the reduction. If `maxSide`
    /// is 0, the size is unlimited.
    var scale: Double
    var minSide: Int
    var maxSide: Int
    var maxBlobs: Int
    var isUneven: Bool
    var removesShadows: Bool
    /// Records the decisions about the image; nil if no record is required.
    var recorder: DecisionRecorder?

    /// Returns true if both sides of a box are within the limits.
    func fitsBothSides(_ box: Rectangle) -> Bool {
        let (width, height) = (Double(box.width) / scale, Double(box.height) / scale)
        let largest = maxSide <= 0 ? .infinity : Double(maxSide)
        return allows(Check(.minSize, min(width, height), atLeast: Double(minSide)), box, else: .tooSmall)
            && allows(Check(.maxSize, max(width, height), atMost: largest), box, else: .tooLarge)
    }

    /// Returns true if the sides of a box are within the limits, with a tolerance.
    /// - Parameters:
    ///   - scale: the factor by which the image of the box was reduced.
    ///   - precision: the tolerance in pixels of this image.
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

    /// Returns the largest candidates, up to the maximum number.
    func largest(_ sorted: [Candidate]) -> [Candidate] {
        let most = max(0, maxBlobs)
        if let recorder, sorted.count > most {
            let check = Check(.maxBlobs, Double(sorted.count), atMost: Double(most))
            for candidate in sorted[most...] { recorder.add(.tooMany, candidate.box, area: candidate.area, check) }
        }
        return Array(sorted.prefix(most))
    }
}

/// The erosion of a background mask.
struct Erosion {
    private let side: Int
    private let count: Int

    /// Creates the erosion of a search. For small masks, the kernel and the passes are limited to what erodes the whole
    /// mask.
    init(_ search: BlobSearch, _ bounds: Rectangle) {
        let longer = max(bounds.width, bounds.height)
        side = min(search.kernel, 2 * longer + 1)
        count = side > 1 ? min(search.iterations, 2 * longer / (side - 1) + 1) : 0
    }

    /// Number of pixels by which the foreground grows in width and height.
    var growth: Int { count * (side - 1) }

    /// Applies erosion, or dilation with the same kernel and passes, to a mask.
    func apply(_ operation: SVCVOperation, to mask: Matrix<UInt8>) throws(VisionError) -> Matrix<UInt8> {
        count > 0 ? try mask.morphed(operation, side: side, passes: count) : mask
    }
}
