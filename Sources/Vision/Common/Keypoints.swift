// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Glibc
import Imaging

/// Keypoints of an image that was scaled so that its longer side has `KeypointTuning.side` pixels.
struct Keypoints: Sendable {
    let points: [SVCVKeypoint]
    let descriptors: Descriptors
    /// Scale of the image in which the keypoints were found, relative to the original image.
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

    /// The positions of a keypoint and its match, in pixels of the scaled images.
    private struct Pair {
        let from, to: Point
        /// Rotation and scale as a complex number, computed from the directions and sizes of both keypoints.
        let turn: Point
    }

    /// Returns the similarity transformation that maps the largest number of keypoints to their matches. Only keypoints
    /// whose best match is clearly better than the second best match are used (Lowe's ratio test).
    /// - Returns: `map`: maps pixels of this image to pixels of the other image; the first pixel has its centre at (0,
    ///   0). `count`: the number of matches that agree with the map. Nil if fewer than three matches agree.
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

/// Limits of the search for keypoints.
struct KeypointLimits: Sendable {
    /// Maximum number of ORB or SIFT keypoints.
    let count: Int32
    /// Contrast threshold of SIFT, or minimum contrast of ORB's corners in levels.
    let contrast: Double
    /// Width of the border without ORB keypoints, in pixels.
    let border: Int32
}

/// Descriptors of keypoints. All descriptors have the same length.
struct Descriptors: Sendable {
    /// The bits of ORB or AKAZE descriptors, in words of 64 bits; empty for SIFT.
    private var words: [UInt64] = []
    /// The numbers of SIFT descriptors; empty for ORB and AKAZE.
    private var values: [Float] = []
    private(set) var count = 0
    /// Length of a descriptor: the number of bytes for ORB and AKAZE, the number of floats for SIFT.
    private var length = 0

    /// The largest possible distance between two descriptors.
    var mostDistance: Double { words.isEmpty ? KeypointTuning.maxValueDistance : Double(8 * length) }

    init() {}

    /// Creates descriptors that consist of bits. Each descriptor has `length` bytes.
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

    /// Returns the keypoints of a grey image, and their descriptors. The result is empty if the image is too small
    /// (`KeypointTuning.minSide`).
    /// - Parameter limits: the limits of the search; nil for the limits in `KeypointTuning`.
    static func found(
        in gray: Matrix<UInt8>, _ features: ClassifierSettings.Features, limits: KeypointLimits? = nil
    ) throws(VisionError) -> ([SVCVKeypoint], Descriptors) {
        guard features != .none, min(gray.width, gray.height) >= KeypointTuning.minSide else {
            return ([], Descriptors())
        }
        let limits = limits ?? (features == .sift ? KeypointTuning.sift : KeypointTuning.orb)
        let object = try OpenCVObject {
            sv_cv_keypoints_create(
                gray.openCV, features.openCV, limits.count, limits.contrast, limits.border, $0)
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

    /// `index`: the index of the nearest descriptor; nil if there is none. `distance`: the distance to the nearest
    /// descriptor. `next`: the distance to the second nearest descriptor.
    struct Nearest {
        var index: Int?
        var distance = Float.infinity
        var next = Float.infinity
    }

    /// Returns, for each descriptor, the nearest descriptor of `other`. The distance is the number of different bits,
    /// or the Euclidean length of the difference of the numbers.
    func nearest(in other: Descriptors) -> [Nearest] {
        guard length == other.length, words.isEmpty == other.words.isEmpty else { return [] }
        return words.isEmpty ? nearestValues(other) : nearestBits(other)
    }

    /// Returns, for each descriptor, up to `count` nearest descriptors of `other`, in ascending order of the distance.
    /// Use this method only for descriptors that consist of bits.
    func neighbors(in other: Descriptors, count: Int) -> [[(index: Int, distance: Int)]] {
        guard length == other.length, !words.isEmpty, !other.words.isEmpty else { return [] }
        let each = (length + 7) / 8
        return words.withUnsafeBufferPointer { queries in
            other.words.withUnsafeBufferPointer { all in
                (0..<self.count).map { i in
                    var nearest: [(index: Int, distance: Int)] = []
                    for j in 0..<other.count {
                        var bits = 0
                        for k in 0..<each { bits &+= (queries[each &* i &+ k] ^ all[each &* j &+ k]).nonzeroBitCount }
                        if nearest.count == count {
                            guard let last = nearest.last, bits < last.distance else { continue }
                            nearest.removeLast()
                        }
                        nearest.insert((j, bits), at: nearest.firstIndex { $0.distance > bits } ?? nearest.endIndex)
                    }
                    return nearest
                }
            }
        }
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

/// Constants for the detection and matching of keypoints.
enum KeypointTuning {
    /// Each image is scaled so that its longer side has this length in pixels, before its keypoints are detected.
    static let side = 200.0
    /// Minimum length of the shorter side, in pixels. Smaller images have no keypoints, because they are too small for
    /// OpenCV's image pyramids.
    static let minSide = 8
    /// The default limits of OpenCV's ORB detector.
    static let orb = KeypointLimits(count: 500, contrast: 20, border: 31)
    /// The contrast threshold is half of OpenCV's default, so that SIFT also finds keypoints in faint patterns.
    static let sift = KeypointLimits(count: 250, contrast: 0.02, border: 0)
    /// Assumed maximum distance between two SIFT descriptors. OpenCV scales each SIFT descriptor to a vector of the
    /// length 512.
    static let maxValueDistance = 512.0
    /// A match is ignored if its distance is at least this multiple of the distance of the second best match. A higher
    /// limit accepts more wrong matches.
    static let maxDistanceRatio: Float = 0.85
    /// A match agrees with a map if the mapped position of the keypoint is nearer to its match than this distance, in
    /// pixels.
    static let tolerance = 6.0
    /// Minimum number of matches that must agree with a map. Any two matches agree with some map, so two matches are no
    /// evidence.
    static let minMatches = 3
}
