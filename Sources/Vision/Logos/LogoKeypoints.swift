// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Glibc
import Imaging

/// ORB keypoints of a template, in front of a dark and of a bright background. Positions and sizes are in coordinates of
/// the template.
struct LogoKeypoints: Sendable {
    private struct Keypoint: Sendable {
        let position: Point
        let size: Double
        let degrees: Double
    }

    private let backgrounds: [(points: [Keypoint], descriptors: Descriptors)]

    /// Number of keypoints in front of the background with more keypoints.
    var count: Int { backgrounds.map(\.points.count).max() ?? 0 }

    init(_ image: TemplateImage, content: Rectangle) throws(VisionError) {
        let margin = LogoTuning.keypointSide / 4
        let raster = LogoRaster(image, content: content, side: LogoTuning.keypointSide, margin: margin)
        var backgrounds: [(points: [Keypoint], descriptors: Descriptors)] = []
        for background in [Float(0), 255] {
            let luma = raster.luma(background: background)
            var gray = Matrix<UInt8>(width: raster.width, height: raster.height)
            for y in 0..<raster.height {
                let row = gray.mutableRow(y)
                for x in 0..<raster.width { row[x] = UInt8(max(0, min(255, luma[y * raster.width + x]))) }
            }
            let (points, descriptors) = try Descriptors.found(in: gray, .orb, limits: LogoTuning.templateKeypoints)
            let side = Double(LogoTuning.keypointSide)
            let keypoints = points.map {
                Keypoint(
                    position: raster.coordinates(Double($0.x) + 0.5, Double($0.y) + 0.5, margin: margin),
                    size: Double($0.size) / side, degrees: Double($0.angle))
            }
            backgrounds.append((keypoints, descriptors))
        }
        self.backgrounds = backgrounds
    }

    /// A keypoint of the template and a similar keypoint of the frame.
    private struct Pair {
        /// Distance between the descriptors of the pair, relative to the third smallest distance.
        let ratio: Double
        /// Index of the frame's keypoint.
        let index: Int
        /// The pose in which the keypoints coincide.
        let pose: Homography

        /// Returns the ratio, reduced for each other keypoint of the frame that supports the pose (D. Lowe, "Distinctive
        /// image features from scale-invariant keypoints", 2004, section 7.3: clusters of similar poses).
        func cost(among pairs: [Pair]) -> Double {
            var supporters: [Int] = []
            for other in pairs where other.index != index && !supporters.contains(other.index) {
                guard pose.isNear(other.pose, within: LogoTuning.supportReach) else { continue }
                supporters.append(other.index)
                if supporters.count == LogoTuning.maxSupport { break }
            }
            return ratio - LogoTuning.supportWeight * Double(supporters.count)
        }
    }

    /// Returns poses in which one keypoint of the template matches a keypoint of the frame. Distinct pairs and pairs with
    /// the support of others are first.
    func poses(in frame: FrameKeypoints) -> [Homography] {
        var pairs: [Pair] = []
        for (points, descriptors) in backgrounds {
            // The two nearest keypoints propose poses, because a frame can contain two instances of the logo. Their
            // distances are compared with the third distance, as in Lowe's ratio test.
            for (point, nearest) in zip(points, descriptors.neighbors(in: frame.descriptors, count: 3)) {
                guard let last = nearest.last else { continue }
                for (index, distance) in nearest.prefix(2) where frame.points.indices.contains(index) {
                    guard let pose = Self.pose(from: point, to: frame.points[index], frame) else { continue }
                    let ratio = Double(distance) / Double(max(1, last.distance))
                    pairs.append(Pair(ratio: ratio, index: index, pose: pose))
                }
            }
        }
        pairs.sort { $0.ratio < $1.ratio }
        pairs = Array(pairs.prefix(LogoTuning.maxPairs))
        let ranked = pairs.map { (cost: $0.cost(among: pairs), pose: $0.pose) }.sorted { $0.cost < $1.cost }
        var poses: [Homography] = []
        for (_, pose) in ranked where !poses.contains(where: { $0.isNear(pose, within: LogoTuning.samePose) }) {
            poses.append(pose)
            if poses.count == LogoTuning.maxKeypointPoses { break }
        }
        return poses
    }

    private static func pose(from point: Keypoint, to match: SVCVKeypoint, _ frame: FrameKeypoints) -> Homography? {
        let growth = Double(match.size) / frame.scale / max(1e-6, point.size)
        guard growth >= LogoTuning.minLength, growth <= LogoTuning.maxLength * frame.longerSide else { return nil }
        let angle = (Double(match.angle) - point.degrees) * .pi / 180
        let turn = Point(growth * cos(angle), growth * sin(angle))
        let shift = frame.position(match) - turn.times(point.position)
        return Homography(AffineMap(pixels: Similarity(turn: turn, shift: shift)))
    }
}

/// The ORB keypoints of a frame.
struct FrameKeypoints {
    let points: [SVCVKeypoint]
    let descriptors: Descriptors
    /// Number of pixels of the searched image for each pixel of the frame.
    let scale: Double
    private let origin: Point
    let longerSide: Double

    init(_ view: LogoView) throws(VisionError) {
        let level = try view.level(0), gray = OwnedImage(.gray8)
        let shorter = Double(max(1, min(level.gray.width, level.gray.height)))
        try gray.reduce(level.gray, by: min(1, LogoTuning.keypointViewSide / shorter))
        (points, descriptors) = try Descriptors.found(
            in: Matrix(gray.image), .orb, limits: LogoTuning.frameKeypoints)
        origin = view.bounds.corner
        longerSide = max(view.bounds.width, view.bounds.height)
        scale = max(1e-6, Double(max(gray.image.width, gray.image.height)) / max(1, longerSide))
        withExtendedLifetime(gray) {}
    }

    /// The position of a keypoint in pixels of the frame; the first pixel covers 0…1.
    func position(_ point: SVCVKeypoint) -> Point {
        Point(origin.x + (Double(point.x) + 0.5) / scale, origin.y + (Double(point.y) + 0.5) / scale)
    }
}

extension Homography {
    /// Returns true if two poses of a template nearly coincide.
    /// - Parameter reach: the maximum difference, as a fraction of the logo's size.
    func isNear(_ other: Homography, within reach: Double) -> Bool {
        let limit = reach * size
        let (a, b) = (affine, other.affine)
        return abs(a.xx - b.xx) < limit && abs(a.xy - b.xy) < limit && abs(a.yx - b.yx) < limit
            && abs(a.yy - b.yy) < limit && abs(a.x0 - b.x0) < limit && abs(a.y0 - b.y0) < limit
    }
}
