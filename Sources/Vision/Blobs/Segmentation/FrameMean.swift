// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

// The algorithm of the app BeanCounter: objects are the pixels that differ from the mean colour of the frame.
// BeanCounter reports a box inside of another box, but this code ignores such a box.

extension Matrix<UInt8> {
    /// Returns the eroded mask of the background. A pixel is background if each of its channels is near the mean of
    /// this channel in the image.
    func nearMean(_ search: BlobSearch) throws(VisionError) -> Matrix {
        let ranges = statistics.map { channel in
            let (low, high) = (
                (channel.mean - search.threshold * channel.deviation).rounded(.toNearestOrEven),
                (channel.mean + search.threshold * channel.deviation).rounded(.toNearestOrEven)
            )
            return (0..<256).map { Double($0) >= low && Double($0) <= high ? UInt8(255) : 0 }
        }
        var result = Matrix(width: width, height: height, filledWith: 255)
        for (channel, range) in ranges.enumerated() {
            range.withUnsafeBufferPointer { range in
                for y in 0..<height {
                    let (from, to) = (row(y) + channel, result.mutableRow(y))
                    for x in 0..<width { to[x] &= range[Int(from[x &* channels])] }
                }
            }
        }
        return try Erosion(search, bounds).apply(sv_cv_erode, to: result)
    }

    /// An image of equal size, filled with the mean of each channel.
    var filledWithMean: Matrix {
        var result = Matrix(width: width, height: height, channels: channels)
        for (channel, (mean, _)) in statistics.enumerated() {
            let level = UInt8(max(0, min(255, mean.rounded())))
            for y in 0..<height {
                let row = result.mutableRow(y) + channel
                for x in 0..<width { row[x &* channels] = level }
            }
        }
        return result
    }
}

/// Finds the edges of a background mask, and returns the contours of these edges as candidates. The edge of an object
/// has an inner and an outer contour. So a contour is ignored if its box is inside of the box of another contour.
func edgeCandidates(_ background: Matrix<UInt8>, _ search: BlobSearch) throws(VisionError) -> [Candidate] {
    let edges = try background.edges(low: SegmentationTuning.edgeLow, high: SegmentationTuning.edgeHigh)
    let all = try edges.contours(sv_cv_tree, isSimplified: true)
        .map { Candidate(box: $0.box, contour: $0) }
        .filter { search.fitsBothSides($0.box) }
        .sorted { Double($0.box.width * $0.box.height) }
    var outer: [Candidate] = []
    for var candidate in all where outer.count < search.maxBlobs {
        guard !outer.contains(where: { $0.box.intersection(candidate.box) == candidate.box }) else {
            search.recorder?.add(.insideAnother, candidate.box, area: candidate.contour.area)
            continue
        }
        candidate.area = candidate.contour.area
        outer.append(candidate)
    }
    return outer
}
