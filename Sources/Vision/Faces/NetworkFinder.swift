// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// Detects human faces in frames by a network, and verifies single faces. For a verification, the network detects the
/// face again in a patch: a small image of the face, rotated upright and scaled to a fixed size.
final class NetworkFinder {
    /// A detection by the network, in pixels of the full frame.
    struct FaceResult: Sendable {
        /// Confidence of the detection, 0…1, computed from the search and the verification together.
        var confidence: Double
        /// Confidence of the network in the search, 0…1. 0 if the search did not detect the face.
        var searched = 0.0
        /// Highest confidence of the network in the verifications, 0…1. 0 if no verification detected the face. Nil if
        /// the face was not verified.
        var verified: Double?
        var landmarks: FaceLandmarks
    }

    private typealias Verification = FaceVerifier.Verification

    /// Frames are scaled so that the smallest requested face has this size in the network's input, in pixels. The
    /// network detects all real faces of 48 pixels, and half of the faces of 24 pixels.
    private static let smallestFace = 24.0
    /// Minimum length of the shorter side of the network's input, in pixels. The detector enlarges smaller frames.
    private static let minSide = 192.0
    /// Maximum length of the longer side of the network's input, in pixels.
    private static let maxSide = 2048.0
    /// The detector verifies at most `maxWeakCandidates` weak detections per search. A weak detection must have at
    /// least the confidence `minConfidence`.
    private static let (minConfidence, maxWeakCandidates) = (0.1, 6)
    /// A detection below the requested minimum size must have at least this confidence.
    private static let smallConfidence = 0.3
    /// A face counts as upright if the line between its eyes is tilted by less than this value, in degrees. The limit
    /// is low because the network's landmarks rotate much less than the face. In a test with 50 faces, 1 of 10 upright
    /// faces exceeded the limit. If the faces were rotated by 25 degrees, 9 of 10 exceeded the limit.
    private static let maxSlope = 2.0
    /// For a verification, the face is copied into a square patch. This is the side of the patch, in pixels.
    private static let patchSide = 96
    /// Width in pixels that a face of the expected size has in the patch.
    static let patchFace = 48.0

    /// The network detects all faces that have at most this size in its input, in pixels. The network misses one in
    /// eight real faces of 420 pixels.
    private static let largestFace = 360.0
    /// If the noise of an image exceeds this value, in levels 0…255, the detector also searches the image at half size.
    /// If the noise is 24 levels, the network misses half of the real faces of more than about 80 pixels. If the noise
    /// is 16 levels, the network misses some of these faces. Up to 12 levels, it misses none. At half size, the network
    /// detects the missed faces.
    private static let muchNoise = 6.0

    /// Uses of the network. Each use has a separate copy of the network, because each use has a different input size.
    /// When a network's input size changes, the network allocates new memory, which takes time.
    private enum Use { case search, reducedSearch, single, batch }

    private let model: FaceModel
    private let settings: FaceSettings
    private var networks: [Use: FaceNetwork] = [:]
    private let colors = ColorPlane()
    private let window = ColorPlane()
    private let patch = OwnedImage(.bgr)
    private let patches = OwnedImage(.bgr)

    init(_ model: FaceModel, _ settings: FaceSettings) { (self.model, self.settings) = (model, settings) }

    private func network(for use: Use) throws(VisionError) -> FaceNetwork {
        if let network = networks[use] { return network }
        let network = try model.network()
        networks[use] = network
        return network
    }

    // MARK: - Searching

    /// Returns the part of the colour image that contains `area` and a margin around it, scaled for the network.
    private func source(of area: Box, of planes: FramePlanes) throws(VisionError) -> ColorSource {
        // A face at the edge of the changed area must be complete, with some background around it. So add a margin.
        let shorter = min(planes.bounds.width, planes.bounds.height)
        let margin = max(0.25 * max(area.width, area.height), settings.human.minSize * shorter)
        let around = Box(center: area.center, width: area.width + 2 * margin, height: area.height + 2 * margin)
        return try planes.colors.cropped(to: around).reduced(to: density(in: planes), into: colors)
    }

    /// Returns a copy of the scaled colour image of `area`, for a search in another thread.
    func still(of area: Box, of planes: FramePlanes) throws(VisionError) -> ColorSource.Still {
        ColorSource.Still(try source(of: area, of: planes))
    }

    /// Returns the number of pixels of the network's input per pixel of the full frame, along one side.
    private func density(in planes: FramePlanes) -> Double {
        let bounds = planes.bounds
        let (shorter, longer) = (min(bounds.width, bounds.height), max(bounds.width, bounds.height))
        guard shorter >= 1 else { return 1 }
        guard settings.scale == 0 else { return min(settings.scale, Self.maxSide / longer) }
        let wanted = Self.smallestFace / (max(0.01, settings.human.minSize) * shorter)
        // The network's input consists of blocks of 32 pixels. Increase the scale so that the longer side of the image
        // is a multiple of 32 pixels. Otherwise the network would process padding.
        let filled = (longer * wanted / 32).rounded(.up) * 32 / longer
        return min(filled, max(1, Self.minSide / shorter), Self.maxSide / longer)
    }

    /// Returns the human faces in `area`, except for the faces of `search.trackedBoxes`.
    /// - Parameter area: a box in pixels of the full frame.
    func finds(
        in area: Box, of planes: FramePlanes, for search: FaceSearch
    ) throws(VisionError) -> [FaceVerifier.Verification] {
        let source = try source(of: area, of: planes)
        let shorter = min(planes.bounds.width, planes.bounds.height)
        let smallest = settings.human.minSize * shorter
        let candidates = try candidates(in: source, density: density(in: planes)).filter { candidate in
            let share = candidate.placement.size / max(1, smallest)
            // A search also detects some faces below the requested size. Such a face needs a higher confidence.
            let isAccepted = share >= 0.8 || share >= 0.5 && (candidate.confidence ?? 0) >= Self.smallConfidence
            return isAccepted && search.trackedBoxes.allSatisfy { $0.overlapOfSmaller(candidate.placement.box) < 0.4 }
        }
        let strong = candidates.prefix { ($0.confidence ?? 0) >= settings.possibleConfidence }
        var faces: [Verification] = []
        for face in strong {
            guard !search.isKnown(face.placement.box), settings.examinesAll || !isClear(face) else {
                faces.append(face)
                continue
            }
            guard let closer = try examined(face, in: planes) else { continue }
            // If another detection overlaps the verified box (`closer`) more than `face` does, the verification has
            // detected a neighbouring face. Then use the unverified detection `face`.
            func overlap(_ other: Verification) -> Double {
                other.placement.box.intersectionOverUnion(closer.placement.box)
            }
            faces.append(strong.contains { overlap($0) > overlap(face) } ? face : closer)
        }
        for face in candidates.dropFirst(strong.count).prefix(Self.maxWeakCandidates) {
            if let face = try examined(face, in: planes) { faces.append(face) }
        }
        return faces
    }

    /// Returns the network's detections in an image, sorted by descending confidence. If the image has strong noise, or
    /// is large enough for very large faces, also searches the image at half size.
    private func candidates(
        in source: ColorSource, density: Double
    ) throws(VisionError) -> [FaceVerifier.Verification] {
        guard let image = source.frame.packed, !image.isEmpty else { return [] }
        let bounds = source.bounds
        var finds: [FaceNetwork.Find] = []
        for (use, share) in [(Use.search, 1.0), (.reducedSearch, 0.5)] {
            let (width, height) = (
                (bounds.width * density * share).rounded(), (bounds.height * density * share).rounded()
            )
            guard width >= 16, height >= 16, width <= 2 * Self.maxSide, height <= 2 * Self.maxSide else { continue }
            if use == .reducedSearch, min(width, height) < Self.largestFace / 2,
                try noise(in: image) < Self.muchNoise
            {
                continue
            }
            finds += try network(for: use).finds(
                in: image, width: Int(width), height: Int(height), minConfidence: Self.minConfidence,
                usesThreads: settings.threads != 1)
        }
        // Remove duplicates before the boxes become the squares of `FacePlacement`. If two narrow faces are close
        // together, their squares overlap more than their boxes.
        return finds.distinct.map { find in
            let (low, high) = (source.point(find.box.corner), source.point(find.box.point(1, 1)))
            let box = Box(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
            let result = FaceResult(
                confidence: find.confidence, searched: find.confidence, landmarks: find.landmarks.moved(source.point))
            return Verification(
                species: .human, neighbors: 0, placement: FacePlacement(box: box), networkResult: result)
        }
    }

    /// Returns true if the search detected an upright face with high confidence.
    private func isClear(_ face: FaceVerifier.Verification) -> Bool {
        guard let result = face.networkResult, result.confidence >= settings.sureConfidence else { return false }
        return slope(from: result.landmarks.leftEye, to: result.landmarks.rightEye).magnitude < Self.maxSlope
    }

    /// Verifies a candidate at several angles. Returns the candidate with the results of the verification. Returns nil
    /// if the verification contradicts the candidate.
    private func examined(
        _ face: FaceVerifier.Verification, in planes: FramePlanes
    ) throws(VisionError) -> FaceVerifier.Verification? {
        let before = face.confidence ?? 0
        guard var best = try turned(face.placement, in: planes) else {
            // The verification has not detected the candidate. If such a candidate nearly fills the frame, it is seldom
            // a face. So it needs a higher confidence.
            let shorter = min(planes.bounds.width, planes.bounds.height)
            let isLarge = face.placement.size > 0.75 * shorter
            guard before >= (isLarge ? settings.strongConfidence : settings.possibleConfidence) else { return nil }
            var unseen = face
            unseen.networkResult?.verified = 0
            return unseen
        }
        let closer = best.confidence ?? 0
        best.networkResult?.searched = before
        if before >= settings.possibleConfidence {
            best.networkResult?.confidence = max(closer, before)
            return best
        }
        // The verification uses several angles, and a texture may resemble a face by chance at one of these angles. So
        // if the confidence in the search is low, the confidence in the verification must be high.
        guard closer >= 0.75 - 0.45 * before else { return nil }
        best.networkResult?.confidence = 0.85 * closer + 0.15 * before
        return best
    }

    // MARK: - Looking

    /// Returns the human face near `placement`; nil if no face is detected.
    func verify(at placement: FacePlacement, in planes: FramePlanes) throws(VisionError) -> FaceVerifier.Verification? {
        try verify(at: [placement], by: .single, in: planes).first ?? nil
    }

    /// Returns the human face near each placement. The network processes all patches side by side in one input. This
    /// takes half the time of separate verifications.
    /// - Parameter isMirrored: true to mirror the patches. In a mirror image, the confidence is valid, but the position
    ///   is not.
    private func verify(
        at placements: [FacePlacement], by use: Use, isMirrored: Bool = false, in planes: FramePlanes
    ) throws(VisionError) -> [FaceVerifier.Verification?] {
        let (side, face) = (Double(Self.patchSide), Self.patchFace)
        var best = [Verification?](repeating: nil, count: placements.count)
        for (index, placement) in placements.enumerated() {
            guard try cut(placement, from: planes) else { return best }
            if isMirrored { patch.image.mirrorRows() }
            if index == 0 {
                patches.resize(
                    width: Self.patchSide * placements.count, height: Self.patchSide, format: patch.image.format)
            }
            let tile = Rectangle(x: index * Self.patchSide, y: 0, width: Self.patchSide, height: Self.patchSide)
            patches.image.cropped(to: tile).copy(from: patch.image)
        }
        let finds = try network(for: use).finds(
            in: patches.image, width: patches.image.width, height: patches.image.height,
            minConfidence: settings.keptConfidence)
        for find in finds {
            let index = floored(find.box.center.x / side)
            guard best.indices ~= index, find.confidence > best[index]?.confidence ?? 0 else { continue }
            let (placement, middle) = (placements[index], Point((Double(index) + 0.5) * side, side / 2))
            func inFrame(_ point: Point) -> Point {
                placement.point((point.x - middle.x) / face, (point.y - middle.y) / face)
            }
            var detected = FacePlacement(box: find.box)
            let shift = (detected.center - middle).length / face
            guard shift < 0.4, (0.5...2).contains(detected.size / face) else { continue }
            detected.center = inFrame(detected.center)
            detected.size *= placement.size / face
            detected.angle += placement.angle
            let result = FaceResult(
                confidence: find.confidence, verified: find.confidence, landmarks: find.landmarks.moved(inFrame))
            best[index] = Verification(species: .human, neighbors: 0, placement: detected, networkResult: result)
        }
        return best
    }

    /// Returns the mean confidence of the network in images of a face at three sizes, and in their mirror images.
    /// Images in which the network does not detect the face have the confidence 0. For a real face, the confidence is
    /// similar in all these images. For an object that resembles a face by chance, the confidence differs from image to
    /// image.
    func meanConfidence(at placement: FacePlacement, in planes: FramePlanes) throws(VisionError) -> Double {
        let placements = [0.85, 1, 1.18].map { scale in
            var scaled = placement
            scaled.size *= scale
            return scaled
        }
        var sum = 0.0
        for isMirrored in [false, true] {
            for face in try verify(at: placements, by: .batch, isMirrored: isMirrored, in: planes) {
                sum += face?.confidence ?? 0
            }
        }
        return sum / Double(2 * placements.count)
    }

    /// Returns the human face near `placement`, at any angle within about 80 degrees of the angle of `placement`. The
    /// network's landmarks rotate much less than the face. So this method verifies the face at three angles, and
    /// estimates the angle with the highest confidence. If a face is rotated by 40 degrees, the network's confidence is
    /// nearly as high as for an upright face. If a face is rotated by 80 degrees, the confidence is lower.
    /// - Parameter minimum: the minimum rotation in degrees. If the estimated rotation is smaller, the face counts as
    ///   not rotated, and is not verified again at the estimated angle.
    func turned(
        _ placement: FacePlacement, minimum: Double = 0, in planes: FramePlanes
    ) throws(VisionError) -> FaceVerifier.Verification? {
        let step = 40.0
        let placements = [-step, 0, step].map { angle in
            var turned = placement
            turned.angle += angle
            return turned
        }
        let verifications = try verify(at: placements, by: .batch, in: planes)
        let scores = verifications.map { $0?.score ?? 0 }
        guard let index = scores.indices.max(by: { scores[$0] < scores[$1] }), let best = verifications[index] else {
            return nil
        }
        // Fit a parabola to the scores at the three angles. Its vertex is the estimated angle of the face.
        let bend = scores[0] - 2 * scores[1] + scores[2]
        guard bend < 0 else { return best }
        let turn = step * min(1.2, max(-1.2, 0.5 * (scores[0] - scores[2]) / bend))
        var turned = best.placement
        turned.angle = placement.angle + turn
        // Measure the landmarks again at the estimated angle.
        var last = best
        if turn.magnitude < minimum, let straight = verifications[1] {
            last = straight
        } else if let again = try verify(at: turned, in: planes) {
            last = again
        }
        let surest = max(last.confidence ?? 0, best.confidence ?? 0)
        last.networkResult?.confidence = surest
        last.networkResult?.verified = surest
        return last
    }

    /// Fills `patch` with the face and its surroundings, rotated upright. Returns false if the face is outside the
    /// frame, or if the placement is invalid.
    private func cut(_ placement: FacePlacement, from planes: FramePlanes) throws(VisionError) -> Bool {
        let side = Double(Self.patchSide)
        let length = placement.size * side / Self.patchFace
        guard length.isFinite, length >= 1, length < 100_000, placement.center.x.magnitude < 1e6,
            placement.center.y.magnitude < 1e6
        else { return false }
        // The rotated square extends beyond the upright square around the face. The interpolation also needs some
        // pixels around the rotated square.
        let around = Box(center: placement.center, width: 1.5 * length, height: 1.5 * length)
        let part = planes.colors.cropped(to: around)
        guard !part.frame.isEmpty else { return false }
        // Linear interpolation uses only four source pixels per patch pixel. So if the patch has much fewer pixels than
        // the square in the source, first reduce the source by averaging.
        let factor = max(1, (length * min(part.scale.x, part.scale.y) / side).rounded(.down))
        let source = try part.reduced(to: max(part.scale.x, part.scale.y) / factor, into: window)
        guard let image = source.frame.packed, !image.isEmpty else { return false }
        patch.resize(width: 0, height: 0, format: image.format)
        try patch.cut(
            from: image, center: source.inside(placement.center), size: length * (source.scale.x + source.scale.y) / 2,
            degrees: placement.angle, side: Self.patchSide)
        return !patch.image.isEmpty
    }
}

extension FacePlacement {
    /// Converts the box of an upright face, as the network measures it, to the square that a cascade would measure. In
    /// a test with drawn and real faces, the square has the height of the box, and its centre is a little higher.
    init(box: Box) {
        self.init(center: box.center, size: max(box.width, box.height))
        center = point(0, -0.03)
    }
}
