// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// Detects human faces in frames by a network, and verifies single faces. A verification is a detection in a patch
/// around the face, rotated upright and scaled to a fixed size.
final class NetworkFinder {
    /// The network's detection of a face, in pixels of the full frame.
    struct FaceResult: Sendable {
        /// Combined confidence of search and verification, 0…1.
        var confidence: Double
        /// Confidence of the search, 0…1; 0 if the search did not detect the face.
        var searched = 0.0
        /// Highest confidence of the verifications, 0…1; 0 if no verification detected the face, nil if the face was
        /// not verified.
        var verified: Double?
        var landmarks: FaceLandmarks
    }

    private typealias Verification = FaceVerifier.Verification

    /// Size of the smallest requested face in the network's input, in pixels. The network detects all real faces of 48
    /// pixels, and half of the faces of 24 pixels.
    private static let smallestFace = 24.0
    /// Minimum length of the input's shorter side, in pixels. Smaller frames are enlarged.
    private static let minSide = 192.0
    /// Maximum length of the input's longer side, in pixels.
    private static let maxSide = 2048.0
    /// Weak detections with at least the confidence `minConfidence` are verified, but at most `maxWeakCandidates` of them.
    private static let (minConfidence, maxWeakCandidates) = (0.1, 6)
    /// A detection that is smaller than the requested minimum size needs at least this confidence.
    private static let smallConfidence = 0.3
    /// A face counts as upright if the angle of the line between its eyes is at most this value, in degrees. The limit
    /// is low because the network's landmarks rotate much less than the face. In a test with 50 faces, 1 of 10 upright
    /// faces and 9 of 10 faces rotated by 25 degrees exceed the limit.
    private static let maxSlope = 2.0
    /// `patchSide`: side of the network's input for a verification, in pixels. `patchFace`: size of a face of the
    /// expected size in this input, in pixels.
    private static let (patchSide, patchFace) = (96, 48.0)

    /// The network misses no face whose size in the input is at most this value, in pixels. The network misses one in
    /// eight real faces of 420 pixels.
    private static let largestFace = 360.0
    /// If the noise of an image exceeds this value, in levels 0…255, the image is also searched at half size. In real
    /// images, the network misses half of the faces of more than about 80 pixels if the noise is 24 levels, some of
    /// them at 16 levels, and none at 12 levels or less. At half size, the network detects the missed faces.
    private static let muchNoise = 6.0

    /// Uses of the network. Each use has a separate copy of the network, because a change of the input size takes time
    /// to allocate memory.
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

    /// Returns the scaled colours of `area` and a margin around it.
    private func source(of area: Box, of planes: FramePlanes) throws(VisionError) -> ColorSource {
        // The margin ensures that a face at the edge of the changed area is complete and has its surroundings.
        let shorter = min(planes.bounds.width, planes.bounds.height)
        let margin = max(0.25 * max(area.width, area.height), settings.human.minSize * shorter)
        let around = Box(center: area.center, width: area.width + 2 * margin, height: area.height + 2 * margin)
        return try planes.colors.cropped(to: around).reduced(to: density(in: planes), into: colors)
    }

    /// Returns a copy of the scaled colours of `area`, for a search in another thread.
    func still(of area: Box, of planes: FramePlanes) throws(VisionError) -> ColorSource.Still {
        ColorSource.Still(try source(of: area, of: planes))
    }

    /// Returns the number of input pixels for each pixel of the full frame, along a side.
    private func density(in planes: FramePlanes) -> Double {
        let bounds = planes.bounds
        let (shorter, longer) = (min(bounds.width, bounds.height), max(bounds.width, bounds.height))
        guard shorter >= 1 else { return 1 }
        guard settings.scale == 0 else { return min(settings.scale, Self.maxSide / longer) }
        let wanted = Self.smallestFace / (max(0.01, settings.human.minSize) * shorter)
        // The input's sides are multiples of 32, so the scale is raised until the longer side is a multiple. Otherwise
        // the network would process padding.
        let filled = (longer * wanted / 32).rounded(.up) * 32 / longer
        return min(filled, max(1, Self.minSide / shorter), Self.maxSide / longer)
    }

    /// Returns the human faces in `area`, which is in pixels of the full frame, except for the faces of
    /// `search.trackedBoxes`.
    func finds(
        in area: Box, of planes: FramePlanes, for search: FaceSearch
    ) throws(VisionError) -> [FaceVerifier.Verification] {
        let source = try source(of: area, of: planes)
        let shorter = min(planes.bounds.width, planes.bounds.height)
        let smallest = settings.human.minSize * shorter
        let candidates = try candidates(in: source, density: density(in: planes)).filter { candidate in
            let share = candidate.placement.size / max(1, smallest)
            // The network detects some faces below the requested size by chance, so a small face needs a higher
            // confidence.
            let isAccepted = share >= 0.8 || share >= 0.5 && (candidate.confidence ?? 0) >= Self.smallConfidence
            return isAccepted && search.trackedBoxes.allSatisfy { $0.overlapOfSmaller(candidate.placement.box) < 0.4 }
        }
        let strong = candidates.prefix { ($0.confidence ?? 0) >= settings.possibleConfidence }
        var faces: [Verification] = []
        for face in strong {
            guard !search.follows(face.placement.box), settings.examinesAll || !isClear(face) else {
                faces.append(face)
                continue
            }
            guard let closer = try examined(face, in: planes) else { continue }
            // The verification may have detected a neighbouring face instead.
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

    /// Returns the network's detections in an image, the most confident first. An image with strong noise, or large
    /// enough to contain very large faces, is also searched at half size.
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
        // Duplicates are removed before the boxes become the squares of `FacePlacement`, because the squares of narrow
        // faces that stand close together overlap more.
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

    /// Verifies a candidate at several angles. Returns the candidate with the results; nil if the verification
    /// contradicts the candidate.
    private func examined(
        _ face: FaceVerifier.Verification, in planes: FramePlanes
    ) throws(VisionError) -> FaceVerifier.Verification? {
        let before = face.confidence ?? 0
        guard var best = try turned(face.placement, in: planes) else {
            // If a candidate nearly fills the frame and only the search detects it, the candidate is seldom a face, so
            // it needs a higher confidence.
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
        // At one of several angles, a texture may resemble a face by chance. Therefore, the lower the confidence of the
        // search, the higher the confidence of the verification must be.
        guard closer >= 0.75 - 0.45 * before else { return nil }
        best.networkResult?.confidence = 0.85 * closer + 0.15 * before
        return best
    }

    // MARK: - Looking

    /// Returns the human face near this position, size and angle; nil if none is detected.
    func verify(at placement: FacePlacement, in planes: FramePlanes) throws(VisionError) -> FaceVerifier.Verification? {
        try verify(at: [placement], by: .single, in: planes).first ?? nil
    }

    /// Returns the human faces near these positions, sizes and angles. The network processes all patches side by side
    /// in one input, which takes half the time of separate verifications.
    private func verify(
        at placements: [FacePlacement], by use: Use, in planes: FramePlanes
    ) throws(VisionError) -> [FaceVerifier.Verification?] {
        let (side, face) = (Double(Self.patchSide), Self.patchFace)
        var best = [Verification?](repeating: nil, count: placements.count)
        for (index, placement) in placements.enumerated() {
            guard try cut(placement, from: planes) else { return best }
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

    /// Returns the human face near this position and size, at any angle within about 80 degrees of the current angle.
    /// The network's landmarks rotate much less than the face, so the angle is estimated from the confidences at three
    /// angles. The network's confidence is about the same for a rotation by 40 degrees, and lower for 80 degrees.
    /// - Parameter minimum: the minimum rotation in degrees. A face with a smaller rotation counts as not rotated, and
    ///   is not verified again at the estimated angle.
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
        // The angle of the highest confidence is at the vertex of the parabola through the three scores.
        let bend = scores[0] - 2 * scores[1] + scores[2]
        guard bend < 0 else { return best }
        let turn = step * min(1.2, max(-1.2, 0.5 * (scores[0] - scores[2]) / bend))
        var turned = best.placement
        turned.angle = placement.angle + turn
        // The landmarks are measured again at the estimated angle.
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

    /// Fills the patch with the face and its surroundings, rotated upright. Returns false if the face is outside the
    /// frame, or if the placement is invalid.
    private func cut(_ placement: FacePlacement, from planes: FramePlanes) throws(VisionError) -> Bool {
        let side = Double(Self.patchSide)
        let length = placement.size * side / Self.patchFace
        guard length.isFinite, length >= 1, length < 100_000, placement.center.x.magnitude < 1e6,
            placement.center.y.magnitude < 1e6
        else { return false }
        // A rotated square extends beyond an upright square, and the interpolation needs some pixels around it.
        let around = Box(center: placement.center, width: 1.5 * length, height: 1.5 * length)
        let part = planes.colors.cropped(to: around)
        guard !part.frame.isEmpty else { return false }
        // Linear interpolation uses only four pixels of the source. If the patch is at a lower resolution, the source
        // is averaged first.
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
    /// Creates the square that a cascade would measure for an upright face that the network detects in `box`. In a test
    /// with drawn and real faces, the square has the height of the box, and its centre is a little higher.
    init(box: Box) {
        self.init(center: box.center, size: max(box.width, box.height))
        center = point(0, -0.03)
    }
}
