// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Glibc
import Imaging

/// Keypoints of an image that was scaled so that its longer side has `KeypointTuning.side` pixels.
struct Keypoints: Sendable {
    let points: [SVCVKeypoint]
    let descriptors: Descriptors
    /// Pixels of the keypoints per pixel of the image.
    let scale: Double

    var count: Int { points.count }

    /// Finds the keypoints of a grey image.
    init(gray image: Image, _ features: ClassifierSettings.Features) throws(VisionError) {
        scale = KeypointTuning.side / Double(max(1, image.width, image.height))
        let scaled = try image.resized(
            width: max(1, reducedLength(image.width, scale)), height: max(1, reducedLength(image.height, scale)),
            isReduced: scale < 1)
        (points, descriptors) = try Descriptors.found(in: scaled, features)
    }

    init(_ picture: BlobPicture, _ features: ClassifierSettings.Features) throws(VisionError) {
        let gray = OwnedImage(.gray8)
        try picture.withImage { image throws(VisionError) in try gray.fill(grayOf: image) }
        defer { withExtendedLifetime(gray) {} }
        try self.init(gray: gray.image, features)
    }

    // MARK: - Matching

    /// A keypoint and its match, in pixels of the scaled images.
    private struct Pair {
        let from, to: Point
        /// Rotation and scale by the keypoints' directions and sizes.
        let turn: Point
    }

    /// Finds the similarity that maps most of the keypoints to their matches: those whose best match is clearly better than the
    /// second (Lowe's ratio test), and that agree on the place.
    /// - Returns: the map between the images' pixels, whose first one has its centre at 0, and the number of matches; nil for
    ///   fewer than three.
    func similarity(to other: Keypoints) -> (map: Similarity, count: Int)? {
        let pairs = pairs(to: other)
        func agreeing(_ map: Similarity) -> [Pair] {
            pairs.filter { (map($0.from) - $0.to).length < KeypointTuning.tolerance }
        }
        func fitted(_ pairs: [Pair]) -> Similarity { Similarity(from: pairs.map(\.from), to: pairs.map(\.to)) }
        var best: [Pair] = []
        for pair in pairs {
            let some = agreeing(Similarity(turn: pair.turn, shift: pair.to - pair.turn.times(pair.from)))
            if some.count > best.count { best = some }
        }
        guard best.count >= KeypointTuning.minMatches else { return nil }
        let close = agreeing(fitted(best))
        let similarity = fitted(close.count >= KeypointTuning.minMatches ? close : best)
        return (
            Similarity(turn: similarity.turn * (scale / other.scale), shift: similarity.shift / other.scale), best.count
        )
    }

    private func pairs(to other: Keypoints) -> [Pair] {
        guard other.count >= 2 else { return [] }
        return zip(points, descriptors.nearest(in: other.descriptors)).compactMap { point, nearest in
            guard let index = nearest.index, nearest.distance < KeypointTuning.maxDistanceRatio * nearest.next else {
                return nil
            }
            let match = other.points[index]
            let (angle, growth) = (Double(match.angle - point.angle) * .pi / 180, Double(match.size / point.size))
            return Pair(
                from: Point(Double(point.x), Double(point.y)), to: Point(Double(match.x), Double(match.y)),
                turn: Point(growth * cos(angle), growth * sin(angle)))
        }
    }
}

/// Descriptors of keypoints, of the same length each.
struct Descriptors: Sendable {
    /// Bits of ORB and AKAZE, in words of 64; nothing for SIFT.
    private var words: [UInt64] = []
    /// Numbers of SIFT.
    private var values: [Float] = []
    private(set) var count = 0
    /// Number of bytes of bits, or of numbers.
    private var length = 0

    /// The largest possible distance of two descriptors.
    var mostDistance: Double { words.isEmpty ? KeypointTuning.maxValueDistance : Double(8 * length) }

    init() {}

    /// Creates descriptors of bits, of `length` bytes each.
    init(bits: UnsafePointer<UInt8>, count: Int, length: Int) {
        (self.count, self.length) = (count, length)
        let each = (length + 7) / 8
        words = [UInt64](repeating: 0, count: each * count)
        words.withUnsafeMutableBytes { words in
            for i in 0..<count {
                UnsafeMutableRawBufferPointer(rebasing: words[8 * each * i..<8 * each * i + length])
                    .copyMemory(from: UnsafeRawBufferPointer(start: bits + i * length, count: length))
            }
        }
    }

    private init(values: UnsafePointer<Float>, count: Int, length: Int) {
        (self.count, self.length) = (count, length)
        self.values = Array(UnsafeBufferPointer(start: values, count: count * length))
    }

    /// Finds the keypoints of a grey image; none if it is too small for OpenCV's pyramids.
    static func found(
        in gray: Matrix<UInt8>, _ features: ClassifierSettings.Features
    ) throws(VisionError) -> ([SVCVKeypoint], Descriptors) {
        guard features != .none, min(gray.width, gray.height) >= KeypointTuning.minSide else {
            return ([], Descriptors())
        }
        let object = try OpenCVObject {
            sv_cv_keypoints_create(
                gray.openCV, features.openCV, KeypointTuning.siftCount, KeypointTuning.siftContrast, $0)
        }
        var descriptors = SVCVDescriptors()
        let points: UnsafeBufferPointer<SVCVKeypoint> = try lent {
            sv_cv_keypoints_read(object.handle, &descriptors, $0, $1, $2)
        }
        defer { withExtendedLifetime((object, gray)) {} }
        let length = Int(descriptors.length)
        if let bits = descriptors.bits {
            return (Array(points), Descriptors(bits: bits, count: points.count, length: length))
        }
        guard let values = descriptors.numbers else { return ([], Descriptors()) }
        return (Array(points), Descriptors(values: values, count: points.count, length: length))
    }

    /// The descriptor that is nearest to another one, its distance, and that of the next one.
    struct Nearest {
        var index: Int?
        var distance = Float.infinity
        var next = Float.infinity
    }

    /// Finds the nearest of other descriptors for each: by the number of bits that differ, or by the length of the difference.
    func nearest(in other: Descriptors) -> [Nearest] {
        guard length == other.length, words.isEmpty == other.words.isEmpty else { return [] }
        return words.isEmpty ? nearestValues(other) : nearestBits(other)
    }

    private func nearestBits(_ other: Descriptors) -> [Nearest] {
        let each = (length + 7) / 8
        return words.withUnsafeBufferPointer { queries in
            other.words.withUnsafeBufferPointer { all in
                (0..<count).map { i in
                    var (best, next, index): (Int, Int, Int?) = (.max, .max, nil)
                    for j in 0..<other.count {
                        var bits = 0
                        for k in 0..<each { bits &+= (queries[each &* i &+ k] ^ all[each &* j &+ k]).nonzeroBitCount }
                        if bits < best { (best, next, index) = (bits, best, j) } else { next = min(next, bits) }
                    }
                    return Nearest(index: index, distance: Float(best), next: Float(next))
                }
            }
        }
    }

    private func nearestValues(_ other: Descriptors) -> [Nearest] {
        let length = length
        return values.withUnsafeBufferPointer { queries in
            other.values.withUnsafeBufferPointer { all in
                (0..<count).map { i in
                    var nearest = Nearest()
                    for j in 0..<other.count {
                        var sums = SIMD8<Float>()
                        for k in stride(from: 0, to: length & ~7, by: 8) {
                            for lane in 0..<8 {
                                let difference = queries[length &* i &+ k &+ lane] - all[length &* j &+ k &+ lane]
                                sums[lane] += difference * difference
                            }
                        }
                        let distance = sums.sum().squareRoot()
                        if distance < nearest.distance {
                            nearest = Nearest(index: j, distance: distance, next: nearest.distance)
                        } else {
                            nearest.next = min(nearest.next, distance)
                        }
                    }
                    return nearest
                }
            }
        }
    }
}

/// Numbers by which keypoints are found and matched.
enum KeypointTuning {
    /// Length of an image's longer side in which keypoints are found, in pixels.
    static let side = 200.0
    /// Side of the smallest images that OpenCV's pyramids take, in pixels.
    static let minSide = 8
    /// Maximum number of SIFT's keypoints, and its contrast threshold. Half of OpenCV's threshold finds those of faint patterns.
    static let (siftCount, siftContrast): (Int32, Double) = (250, 0.02)
    /// Largest distance of SIFT's descriptors, whose numbers have a length of 512.
    static let maxValueDistance = 512.0
    /// Maximum ratio of the distances of the best match and the second. Higher ratios let in more wrong matches.
    static let maxDistanceRatio: Float = 0.85
    /// Distance in pixels up to which keypoints agree on a place.
    static let tolerance = 6.0
    /// Minimum number of matches that agree: two always do.
    static let minMatches = 3
}
