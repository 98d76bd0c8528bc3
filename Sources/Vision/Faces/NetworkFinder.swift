// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// Finds human faces in frames by a network, and looks closely at single ones.
final class NetworkFinder {
    /// What the network tells of a face, in the frame's coordinates.
    struct Sight: Sendable {
        /// 0…1.
        var confidence: Double
        var landmarks: FaceLandmarks
    }

    private typealias Verification = FaceVerifier.Verification

    /// Length in the network's input of the smallest face that is searched for, in pixels. Of real faces 48 pixels high
    /// it finds all, of those of 24 half.
    private static let smallestFace = 24.0
    /// Shorter side in pixels up to which tiny frames are enlarged.
    private static let leastSide = 256.0
    /// Longer side in pixels of the largest input.
    private static let mostSide = 2048.0
    /// Confidence from which a place is worth a look, and the number of weak ones that get one.
    private static let (leastConfidence, weakLooks) = (0.1, 6)
    /// Side in pixels of the input of a close look, and of a face of the expected size in it.
    private static let (lookSide, lookFace) = (96, 48.0)

    private let settings: FaceSettings
    // Each size of input takes memory of its own, so that changing between two takes time: one for each use.
    private let networks: [FaceNetwork]
    private let close: FaceNetwork
    private let colors = ColorPlane()
    private let window = ColorPlane()
    private let patch = OwnedImage(.bgr)

    init(_ model: FaceModel, _ settings: FaceSettings) throws(VisionError) {
        self.settings = settings
        networks = [try FaceNetwork(bytes: model.bytes), try FaceNetwork(bytes: model.bytes)]
        close = try FaceNetwork(bytes: model.bytes)
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
        in area: Box, of planes: FramePlanes, beside known: [Box]
    ) throws(VisionError) -> [FaceVerifier.Verification] {
        let source = try source(of: area, of: planes)
        let shorter = min(planes.bounds.width, planes.bounds.height)
        let places = try candidates(in: source, density: density(in: planes)).filter { candidate in
            candidate.placement.size >= 0.8 * settings.human.minSize * shorter
                && known.allSatisfy { $0.overlapOfSmaller(candidate.placement.box) < 0.4 }
        }
        let strong = places.prefix { ($0.confidence ?? 0) >= settings.minConfidence }
        return try (strong + places.dropFirst(strong.count).prefix(Self.weakLooks)).map { face throws(VisionError) in
            try examined(face, in: planes)
        }
    }

    /// Returns what the network sees in a picture at two sizes, as it misses faces that are very large in its input, noisy
    /// ones most of all; the most confident first.
    private func candidates(
        in source: ColorSource, density: Double
    ) throws(VisionError) -> [FaceVerifier.Verification] {
        guard let image = source.frame.packed, !image.isEmpty else { return [] }
        let bounds = source.bounds
        var finds: [FaceNetwork.Find] = []
        for (network, share) in zip(networks, [1.0, 0.5]) {
            let (width, height) = (
                (bounds.width * density * share).rounded(), (bounds.height * density * share).rounded()
            )
            guard width >= 16, height >= 16, width <= 2 * Self.mostSide, height <= 2 * Self.mostSide else { continue }
            finds += try network.finds(
                in: image, width: Int(width), height: Int(height), minConfidence: Self.leastConfidence,
                usesThreads: settings.threads != 1)
        }
        var faces: [Verification] = []
        for find in finds.sorted(by: { $0.confidence > $1.confidence }) {
            let (low, high) = (source.point(find.box.corner), source.point(find.box.point(1, 1)))
            let box = Box(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
            let seen = Sight(confidence: find.confidence, landmarks: find.landmarks.moved(source.point))
            let place = FacePlacement(seenAs: box)
            guard faces.allSatisfy({ $0.placement.box.intersectionOverUnion(place.box) < 0.3 }) else { continue }
            faces.append(Verification(species: .human, neighbors: 0, placement: place, seen: seen))
        }
        return faces
    }

    /// Returns a candidate as closer looks see it.
    private func examined(
        _ face: FaceVerifier.Verification, in planes: FramePlanes
    ) throws(VisionError) -> FaceVerifier.Verification {
        guard var best = try turned(face.placement, in: planes) else { return face }
        let (closer, before) = (best.confidence ?? 0, face.confidence ?? 0)
        // Where next to nothing was seen, a look from the right angle may find something that is no face.
        best.seen?.confidence = before >= settings.minConfidence ? max(closer, before) : 0.85 * closer + 0.15 * before
        return best
    }

    // MARK: - Looking

    /// Returns the human at about this place, size and angle; nil if there is none.
    func look(at placement: FacePlacement, in planes: FramePlanes) throws(VisionError) -> FaceVerifier.Verification? {
        let (side, face) = (Double(Self.lookSide), Self.lookFace)
        guard try cut(placement, from: planes) else { return nil }
        let found = try close.finds(
            in: patch.image, width: Self.lookSide, height: Self.lookSide, minConfidence: settings.keptConfidence)
        var best: Verification?
        for find in found where find.confidence > best?.confidence ?? 0 {
            func inFrame(_ point: Point) -> Point {
                placement.point((point.x - side / 2) / face, (point.y - side / 2) / face)
            }
            var place = FacePlacement(seenAs: find.box)
            let shift = (place.center - Point(side / 2, side / 2)).length / face
            guard shift < 0.4, (0.5...2).contains(place.size / face) else { continue }
            place.center = inFrame(place.center)
            place.size *= placement.size / face
            place.angle += placement.angle
            let seen = Sight(confidence: find.confidence, landmarks: find.landmarks.moved(inFrame))
            best = Verification(species: .human, neighbors: 0, placement: place, seen: seen)
        }
        return best
    }

    /// Returns the human at about this place and size, at whatever angle around this one. The network's points hardly turn
    /// with a face, but it is surest of one that is upright.
    func turned(_ placement: FacePlacement, in planes: FramePlanes) throws(VisionError) -> FaceVerifier.Verification? {
        let step = 30.0
        var looks: [Verification?] = []
        for angle in [-step, 0, step] {
            var place = placement
            place.angle += angle
            looks.append(try look(at: place, in: planes))
        }
        let scores = looks.map { $0?.score ?? 0 }
        guard let index = scores.indices.max(by: { scores[$0] < scores[$1] }), let best = looks[index] else {
            return nil
        }
        // The vertex of the parabola through the three.
        let bend = scores[0] - 2 * scores[1] + scores[2]
        guard bend < 0 else { return best }
        var place = best.placement
        place.angle = placement.angle + step * min(1.2, max(-1.2, 0.5 * (scores[0] - scores[2]) / bend))
        // The points belong to the angle.
        guard var last = try look(at: place, in: planes) else { return best }
        let confidence = max(last.confidence ?? 0, best.confidence ?? 0)
        last.seen?.confidence = confidence
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
