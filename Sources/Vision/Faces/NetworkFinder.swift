// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// Finds human faces in frames by a network, and looks closely at single ones.
final class NetworkFinder {
    /// What the network tells of a face, in the frame's coordinates.
    struct Sight: Sendable {
        /// 0…1.
        var confidence: Double
        /// Confidence in the search of an area; 0 if the search did not see the face.
        var searched = 0.0
        /// Confidence in the best closer look, which shows the face in another scale: 0 if the look did not see the face, nil if
        /// there was no look.
        var looked: Double?
        var landmarks: FaceLandmarks
    }

    private typealias Verification = FaceVerifier.Verification

    /// Length in the network's input of the smallest face that is searched for, in pixels. Of real faces 48 pixels high
    /// it finds all, of those of 24 half.
    private static let smallestFace = 24.0
    /// Shorter side in pixels up to which tiny frames are enlarged.
    private static let leastSide = 192.0
    /// Longer side in pixels of the largest input.
    private static let mostSide = 2048.0
    /// Confidence from which a place is worth a look, and the number of weak ones that get one.
    private static let (leastConfidence, weakLooks) = (0.1, 6)
    /// The same of faces that are smaller than those that are searched for.
    private static let smallConfidence = 0.3
    /// Slope of the line between the eyes up to which a face counts as upright, in degrees. The network's points hardly turn with
    /// a face: of 50 upright faces 1 in 10 has more, of faces that are turned by 25 degrees 9 in 10.
    private static let mostSlope = 2.0
    /// Side in pixels of the input of a close look, and of a face of the expected size in it.
    private static let (lookSide, lookFace) = (96, 48.0)

    /// Length of the largest face in the input of which it misses none; of real ones of 420 pixels it misses one in eight.
    private static let largestFace = 360.0
    /// Noise in levels from which it misses faces of more than some 80 pixels, which a smaller picture shows: in real
    /// pictures with noise of 16 levels some, with 24 half of them, and with 12 or less none.
    private static let muchNoise = 6.0

    /// What a network is used for. Each size of input takes memory of its own, so that changing between two takes time.
    private enum Use { case search, reducedSearch, look, looks }

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

    /// Returns the colours to search in `area`.
    private func source(of area: Box, of planes: FramePlanes) throws(VisionError) -> ColorSource {
        // A face at the edge of what has changed is seen with its surroundings.
        let shorter = min(planes.bounds.width, planes.bounds.height)
        let margin = max(0.25 * max(area.width, area.height), settings.human.minSize * shorter)
        let around = Box(center: area.center, width: area.width + 2 * margin, height: area.height + 2 * margin)
        return try planes.colors.cropped(to: around).reduced(to: density(in: planes), into: colors)
    }

    /// Returns a copy of the colours to search in `area`, for another thread.
    func still(of area: Box, of planes: FramePlanes) throws(VisionError) -> ColorSource.Still {
        ColorSource.Still(try source(of: area, of: planes))
    }

    /// Returns the number of the input's pixels for each of the full frame's, across and down.
    private func density(in planes: FramePlanes) -> Double {
        let bounds = planes.bounds
        let (shorter, longer) = (min(bounds.width, bounds.height), max(bounds.width, bounds.height))
        guard shorter >= 1 else { return 1 }
        guard settings.scale == 0 else { return min(settings.scale, Self.mostSide / longer) }
        let wanted = Self.smallestFace / (max(0.01, settings.human.minSize) * shorter)
        // The input's sides are multiples of 32: none of its pixels is computed in vain.
        let filled = (longer * wanted / 32).rounded(.up) * 32 / longer
        return min(filled, max(1, Self.leastSide / shorter), Self.mostSide / longer)
    }

    /// Returns the humans in `area` of the full frame, none of them among those that are known.
    func finds(
        in area: Box, of planes: FramePlanes, for search: FaceSearch
    ) throws(VisionError) -> [FaceVerifier.Verification] {
        let source = try source(of: area, of: planes)
        let shorter = min(planes.bounds.width, planes.bounds.height)
        let smallest = settings.human.minSize * shorter
        let places = try candidates(in: source, density: density(in: planes)).filter { candidate in
            let share = candidate.placement.size / max(1, smallest)
            // Smaller ones are seen by chance: those that are seen well count.
            let isSeen = share >= 0.8 || share >= 0.5 && (candidate.confidence ?? 0) >= Self.smallConfidence
            return isSeen && search.known.allSatisfy { $0.overlapOfSmaller(candidate.placement.box) < 0.4 }
        }
        let strong = places.prefix { ($0.confidence ?? 0) >= settings.possibleConfidence }
        var faces: [Verification] = []
        for face in strong {
            guard !search.follows(face.placement.box), settings.examinesAll || !isClear(face) else {
                faces.append(face)
                continue
            }
            guard let closer = try examined(face, in: planes) else { continue }
            // A look beside another face may be drawn to that.
            func overlap(_ other: Verification) -> Double {
                other.placement.box.intersectionOverUnion(closer.placement.box)
            }
            faces.append(strong.contains { overlap($0) > overlap(face) } ? face : closer)
        }
        for face in places.dropFirst(strong.count).prefix(Self.weakLooks) {
            if let face = try examined(face, in: planes) { faces.append(face) }
        }
        return faces
    }

    /// Returns what the network sees in a picture, the most confident first. What shows much noise, or has room for very large
    /// faces, is searched in half the size, too.
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
            guard width >= 16, height >= 16, width <= 2 * Self.mostSide, height <= 2 * Self.mostSide else { continue }
            if use == .reducedSearch, min(width, height) < Self.largestFace / 2,
                try noise(in: image) < Self.muchNoise
            {
                continue
            }
            finds += try network(for: use).finds(
                in: image, width: Int(width), height: Int(height), minConfidence: Self.leastConfidence,
                usesThreads: settings.threads != 1)
        }
        // By the boxes as they are: squares around narrow faces that stand close together overlap more.
        return finds.distinct.map { find in
            let (low, high) = (source.point(find.box.corner), source.point(find.box.point(1, 1)))
            let box = Box(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
            let seen = Sight(
                confidence: find.confidence, searched: find.confidence, landmarks: find.landmarks.moved(source.point))
            return Verification(species: .human, neighbors: 0, placement: FacePlacement(seenAs: box), seen: seen)
        }
    }

    /// Returns true if a search is sure of a face, and sees it upright.
    private func isClear(_ face: FaceVerifier.Verification) -> Bool {
        guard let seen = face.seen, seen.confidence >= settings.sureConfidence else { return false }
        return slope(from: seen.landmarks.leftEye, to: seen.landmarks.rightEye).magnitude < Self.mostSlope
    }

    /// Returns a candidate as closer looks see it; nil if they speak against it.
    private func examined(
        _ face: FaceVerifier.Verification, in planes: FramePlanes
    ) throws(VisionError) -> FaceVerifier.Verification? {
        let before = face.confidence ?? 0
        guard var best = try turned(face.placement, in: planes) else {
            // Of what nearly fills the picture, and is seen there alone, little is a face.
            let shorter = min(planes.bounds.width, planes.bounds.height)
            let isLarge = face.placement.size > 0.75 * shorter
            guard before >= (isLarge ? settings.strongConfidence : settings.possibleConfidence) else { return nil }
            var unseen = face
            unseen.seen?.looked = 0
            return unseen
        }
        let closer = best.confidence ?? 0
        best.seen?.searched = before
        if before >= settings.possibleConfidence {
            best.seen?.confidence = max(closer, before)
            return best
        }
        // Where next to nothing was seen, a look from the right angle may find something that is no face: the less it was,
        // the surer that look has to be.
        guard closer >= 0.75 - 0.45 * before else { return nil }
        best.seen?.confidence = 0.85 * closer + 0.15 * before
        return best
    }

    // MARK: - Looking

    /// Returns the human at about this place, size and angle; nil if there is none.
    func look(at placement: FacePlacement, in planes: FramePlanes) throws(VisionError) -> FaceVerifier.Verification? {
        try look(at: [placement], by: .look, in: planes).first ?? nil
    }

    /// Returns the humans at about these places, sizes and angles, seen side by side: for several that costs half of single
    /// looks.
    private func look(
        at placements: [FacePlacement], by use: Use, in planes: FramePlanes
    ) throws(VisionError) -> [FaceVerifier.Verification?] {
        let (side, face) = (Double(Self.lookSide), Self.lookFace)
        var best = [Verification?](repeating: nil, count: placements.count)
        for (index, placement) in placements.enumerated() {
            guard try cut(placement, from: planes) else { return best }
            if index == 0 {
                patches.resize(
                    width: Self.lookSide * placements.count, height: Self.lookSide, format: patch.image.format)
            }
            let place = Rectangle(x: index * Self.lookSide, y: 0, width: Self.lookSide, height: Self.lookSide)
            patches.image.cropped(to: place).copy(from: patch.image)
        }
        let found = try network(for: use).finds(
            in: patches.image, width: patches.image.width, height: patches.image.height,
            minConfidence: settings.keptConfidence)
        for find in found {
            let index = floored(find.box.center.x / side)
            guard best.indices ~= index, find.confidence > best[index]?.confidence ?? 0 else { continue }
            let (placement, middle) = (placements[index], Point((Double(index) + 0.5) * side, side / 2))
            func inFrame(_ point: Point) -> Point {
                placement.point((point.x - middle.x) / face, (point.y - middle.y) / face)
            }
            var place = FacePlacement(seenAs: find.box)
            let shift = (place.center - middle).length / face
            guard shift < 0.4, (0.5...2).contains(place.size / face) else { continue }
            place.center = inFrame(place.center)
            place.size *= placement.size / face
            place.angle += placement.angle
            let seen = Sight(
                confidence: find.confidence, looked: find.confidence, landmarks: find.landmarks.moved(inFrame))
            best[index] = Verification(species: .human, neighbors: 0, placement: place, seen: seen)
        }
        return best
    }

    /// Returns the human at about this place and size, at whatever angle around this one. The network's points hardly turn with
    /// a face, and it is about as sure of one that is turned by 40 degrees, but less by 80.
    /// - Parameter least: degrees; if the face is turned by less it counts as not turned, and is not looked at again.
    func turned(
        _ placement: FacePlacement, least: Double = 0, in planes: FramePlanes
    ) throws(VisionError) -> FaceVerifier.Verification? {
        let step = 40.0
        let places = [-step, 0, step].map { angle in
            var place = placement
            place.angle += angle
            return place
        }
        let looks = try look(at: places, by: .looks, in: planes)
        let scores = looks.map { $0?.score ?? 0 }
        guard let index = scores.indices.max(by: { scores[$0] < scores[$1] }), let best = looks[index] else {
            return nil
        }
        // The vertex of the parabola through the three.
        let bend = scores[0] - 2 * scores[1] + scores[2]
        guard bend < 0 else { return best }
        let turn = step * min(1.2, max(-1.2, 0.5 * (scores[0] - scores[2]) / bend))
        var place = best.placement
        place.angle = placement.angle + turn
        // The points belong to the angle.
        var last = best
        if turn.magnitude < least, let straight = looks[1] {
            last = straight
        } else if let again = try look(at: place, in: planes) {
            last = again
        }
        let surest = max(last.confidence ?? 0, best.confidence ?? 0)
        last.seen?.confidence = surest
        last.seen?.looked = surest
        return last
    }

    /// Fills the patch with the face's surroundings, upright; returns whether there is anything.
    private func cut(_ placement: FacePlacement, from planes: FramePlanes) throws(VisionError) -> Bool {
        let side = Double(Self.lookSide)
        let length = placement.size * side / Self.lookFace
        guard length.isFinite, length >= 1, length < 100_000, placement.center.x.magnitude < 1e6,
            placement.center.y.magnitude < 1e6
        else { return false }
        // A turned square reaches beyond an upright one, and interpolation a little further.
        let around = Box(center: placement.center, width: 1.5 * length, height: 1.5 * length)
        let part = planes.colors.cropped(to: around)
        guard !part.frame.isEmpty else { return false }
        // Linear interpolation uses four pixels; if more make up one, they are averaged first.
        let factor = max(1, (length * min(part.scale.x, part.scale.y) / side).rounded(.down))
        let source = try part.reduced(to: max(part.scale.x, part.scale.y) / factor, into: window)
        guard let image = source.frame.packed, !image.isEmpty else { return false }
        patch.resize(width: 0, height: 0, format: image.format)
        try patch.cut(
            from: image, center: source.inside(placement.center), size: length * (source.scale.x + source.scale.y) / 2,
            degrees: placement.angle, side: Self.lookSide)
        return !patch.image.isEmpty
    }
}

extension FacePlacement {
    /// The square that a cascade would find, of an upright face that the network finds in `box`: as measured on drawn and
    /// real faces it is as high, and lies a little higher.
    init(seenAs box: Box) {
        self.init(center: box.center, size: max(box.width, box.height))
        center = point(0, -0.03)
    }
}
