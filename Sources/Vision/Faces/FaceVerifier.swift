// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Verifies a candidate for a face by a second detection in a patch around the candidate. The verifier cuts the patch
/// out of the frame, rotates it upright, and scales it to a fixed size. Then it searches the patch with small ratios
/// (1.1) between the searched sizes. Therefore the number of neighbours (overlapping single detections) does not depend
/// on the size or tilt of the face, nor on the setting `scaleFactor`. For the same reason, the numbers of neighbours
/// for humans and for cats can be compared with each other.
///
/// In tests with drawn and real human faces, the cascade for humans gives 5 to 40 neighbours. In these faces, the
/// cascade for cats gives at most 3. In tests with cats, the cascade for cats gives 2 to 16 neighbours, and the cascade
/// for humans at most 5.
final class FaceVerifier {
    /// Result of a verification: species, exact position and strength of the detection.
    struct Verification: Sendable {
        var species: Species
        var neighbors: Int
        var placement: FacePlacement
        /// True if the detector also detects the other species (human or cat) at this position.
        var isDoubtful = false
        /// The network's detection; nil if a cascade detected the face.
        var networkResult: NetworkFinder.FaceResult?
        var confidence: Double? { networkResult?.confidence }
        /// Score of the detection, for comparisons between humans and cats. A good detection has a score of about 1.
        var score: Double { confidence.map { 2 * $0 } ?? species.score(neighbors) }
    }

    /// Limits of a verification around an expected position. Lengths are in pixels of the patch that the verifier
    /// searches.
    struct Reach: Sendable {
        /// Side of the square patch that the verifier searches. A face of the expected size is `FaceVerifier.face`
        /// pixels wide in the patch.
        var side: Int
        var minSize: Int
        var maxSize: Int
        /// The verifier multiplies the number of neighbours by this factor, because a search for a smaller range of
        /// sizes gives fewer detections.
        var factor: Double

        /// Limits for the candidates of a coarse search, because the positions of such candidates are inaccurate.
        static let wide = Reach(side: 64, minSize: 26, maxSize: 46, factor: 1)
        /// Limits for tracked faces. A verification with these limits takes a third of the time that `wide` needs.
        static let close = Reach(side: 48, minSize: 28, maxSize: 42, factor: 1.25)
    }

    /// A face of the expected size has this width, in pixels of the patch that the verifier searches.
    private static let face = 34.0
    /// For a cascade with LBP features, the verifier enlarges patches by this factor. The window of the default LBP
    /// cascade for humans is 45 pixels wide, which is more than the width of a face in a patch of normal size. Besides,
    /// LBP cascades detect a face at fewer neighbouring positions than Haar cascades.
    private static let lbpEnlargement = 2.35
    private let cascades: PerSpecies<Cascade?>
    /// The network that detects humans; nil if the cascade detects humans.
    private let network: NetworkFinder?
    private let cutter: PatchCutter
    private let patch = OwnedImage(.gray8)

    init(_ cascades: PerSpecies<Cascade?>, network: NetworkFinder?, cutter: PatchCutter) {
        (self.cascades, self.network, self.cutter) = (cascades, network, cutter)
    }

    /// Returns the face of `species` near `placement`; nil if no face is detected.
    func verify(
        _ species: Species, at placement: FacePlacement, reach: Reach, in planes: FramePlanes
    ) throws(VisionError) -> Verification? {
        if species == .human, let network { return try network.verify(at: placement, in: planes) }
        guard let searcher = searcher(of: species) else { return nil }
        return try search(species, by: searcher, at: placement, reach: reach, in: planes)
    }

    /// A reflection of a patch before the search.
    enum Flip {
        /// Left and right are swapped.
        case mirrored
        /// Top and bottom are swapped.
        case upsideDown
    }

    /// The cascade of a search, and how the verifier cuts patches for this cascade.
    struct Searcher {
        let cascade: Cascade
        /// The verifier enlarges patches by this factor. The window of the cascade must fit into the patch.
        var enlargement = 1.0
        /// Size of the boxes of this cascade, relative to the boxes of the cascade that detects the candidates.
        var relativeSize = 1.0
    }

    /// Returns the cascade that detects the candidates of a species. Nil if no cascade detects this species.
    func searcher(of species: Species) -> Searcher? {
        cascades[species].map { Searcher(cascade: $0, enlargement: $0.features == .lbp ? Self.lbpEnlargement : 1) }
    }

    /// Searches images of a face at three scales by a cascade. Returns the sum of the neighbours (overlapping single
    /// detections) of all scales. The sum is further evidence from the same frame. If a texture resembles a face by
    /// chance, its mirror image seldom does. A real face does not resemble a face if it is upside down. A symmetric
    /// object does.
    /// - Parameters:
    ///   - flip: the reflection of the searched images; nil for none.
    ///   - enough: if the search at one angle finds at least this number of neighbours, the search skips the other
    ///     angles at this scale.
    ///   - limit: if the sum reaches this value, the search skips the other scales.
    func neighbors(
        of face: Verification, by searcher: Searcher, _ flip: Flip? = nil, enough: Int = .max, limit: Int = .max,
        in planes: FramePlanes
    ) throws(VisionError) -> Int {
        var sum = 0
        for scale in [1, 0.9, 1.12] where sum < limit {
            var placement = face.placement
            placement.size *= scale * searcher.relativeSize
            sum +=
                try best(turned: [0, -12, 12], from: placement, enough: enough) { candidate throws(VisionError) in
                    try search(face.species, by: searcher, at: candidate, reach: .wide, flip: flip, in: planes)
                }?.neighbors ?? 0
        }
        return sum
    }

    /// Returns the number of neighbours (overlapping single detections) of the best detection of an open eye in a human
    /// face. The search examines the left and the right half of the face.
    func eyeNeighbors(
        of placement: FacePlacement, by cascade: Cascade, in planes: FramePlanes
    ) throws(VisionError) -> Int {
        try cutter.cut(placement, span: 1, side: 72, from: planes, into: patch)
        let search = Cascade.Search(scaleFactor: 1.1, minNeighbors: 1, minSize: 14, maxSize: 32)
        var most = 0
        for left in [0, 32] {
            let half = patch.image.cropped(to: Rectangle(x: left, y: 10, width: 40, height: 34))
            most = max(most, try cascade.strongest(in: half, search)?.neighbors ?? 0)
        }
        return most
    }

    /// Returns the best detection of `species` near `placement` by a cascade.
    /// - Parameter flip: the reflection of the searched image; nil for none. With a reflection, the number of
    ///   neighbours in the result is valid, but the position is not.
    private func search(
        _ species: Species, by searcher: Searcher, at placement: FacePlacement, reach: Reach, flip: Flip? = nil,
        in planes: FramePlanes
    ) throws(VisionError) -> Verification? {
        let (cascade, enlargement) = (searcher.cascade, searcher.enlargement)
        func enlarged(_ length: Int) -> Int { Int((Double(length) * enlargement).rounded()) }
        let (face, side) = (Self.face * enlargement, enlarged(reach.side))
        try cutter.cut(placement, span: Double(side) / face, side: side, from: planes, into: patch)
        switch flip {
        case .mirrored: patch.image.mirrorRows()
        case .upsideDown: patch.image.swapRows()
        case nil: break
        }
        let search = Cascade.Search(
            scaleFactor: 1.1, minNeighbors: 1, minSize: enlarged(reach.minSize), maxSize: enlarged(reach.maxSize))
        var best: Verification?
        for find in try cascade.detect(in: patch.image, search) where find.neighbors > best?.neighbors ?? 0 {
            let box = Box(find.rectangle)
            let shift = (box.center - Point(Double(side) / 2, Double(side) / 2)) / face
            guard shift.x * shift.x + shift.y * shift.y < 0.15 else { continue }
            var corrected = placement
            (corrected.center, corrected.size) = (placement.point(shift.x, shift.y), placement.size * box.width / face)
            best = Verification(species: species, neighbors: find.neighbors, placement: corrected)
        }
        if let neighbors = best?.neighbors { best?.neighbors = Int(Double(neighbors) * reach.factor) }
        return best
    }

    /// Searches at several angles, which are relative to the angle of `placement`. Returns the best detection. Stops at
    /// the first angle at which a detection has at least `enough` neighbours (overlapping single detections).
    func verify(
        _ species: Species, at placement: FacePlacement, reach: Reach, turned angles: [Double], enough: Int,
        in planes: FramePlanes
    ) throws(VisionError) -> Verification? {
        // The network also detects rotated faces, so a search at one angle is enough.
        if species == .human, network != nil { return try verify(species, at: placement, reach: reach, in: planes) }
        guard let searcher = searcher(of: species) else { return nil }
        return try best(turned: angles, from: placement, enough: enough) { turned throws(VisionError) in
            try search(species, by: searcher, at: turned, reach: reach, in: planes)
        }
    }

    private func best(
        turned angles: [Double], from placement: FacePlacement, enough: Int,
        by search: (FacePlacement) throws(VisionError) -> Verification?
    ) throws(VisionError) -> Verification? {
        var best: Verification?
        for angle in angles {
            var turned = placement
            turned.angle += angle
            guard turned.angle.magnitude <= 45, let candidate = try search(turned) else { continue }
            if candidate.neighbors > best?.neighbors ?? 0 { best = candidate }
            if candidate.neighbors >= enough { break }
        }
        return best
    }
}

extension Species {
    /// Returns the score of a cascade's detection (see `FaceVerifier.Verification.score`).
    /// - Parameter neighbors: the number of overlapping single detections that form the detection.
    func score(_ neighbors: Int) -> Double { Double(neighbors) / (self == .human ? 12 : 4) }
}

extension Image {
    /// Mirrors a packed image horizontally, in place.
    func mirrorRows() {
        let size = format.bytesPerPixel
        for y in 0..<height {
            let row = row(y)
            for x in 0..<width / 2 {
                let (left, right) = (row + x * size, row + (width - 1 - x) * size)
                for byte in 0..<size { (left[byte], right[byte]) = (right[byte], left[byte]) }
            }
        }
    }

    /// Flips an image with one byte per pixel vertically, in place.
    fileprivate func swapRows() {
        for y in 0..<height / 2 {
            let (upper, lower) = (row(y), row(height - 1 - y))
            for x in 0..<width { (upper[x], lower[x]) = (lower[x], upper[x]) }
        }
    }
}
