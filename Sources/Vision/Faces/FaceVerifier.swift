// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Examines a place where a face may be: a patch cut out there, rotated upright and scaled to one size, is searched in
/// fine steps. So the number of neighbours means the same for any size, tilt and coarseness of the preceding search,
/// and those of humans and cats can be compared.
///
/// On drawn and real faces humans have 5 to 40 neighbours with the human cascade and at most 3 with that of cats; cats
/// have 2 to 16 with their own and at most 5 with that of humans.
final class FaceVerifier {
    /// The species that a face is taken for, and its exact place.
    struct Verification: Sendable {
        var species: Species
        var neighbors: Int
        var placement: FacePlacement
        /// True if the other species is seen in the same place.
        var isDoubtful = false
        /// What the network tells of it; nil if the cascade found it.
        var seen: NetworkFinder.Sight?
        var confidence: Double? { seen?.confidence }
        /// Score that can be compared between the species; 1 is a good find.
        var score: Double { confidence.map { 2 * $0 } ?? species.score(neighbors) }
    }

    /// Limits of the distance between a face and its expected place and size.
    struct Reach: Sendable {
        /// Side of the patch, in which a face of the expected size has `FaceVerifier.face` pixels.
        var side: Int
        var minSize: Int
        var maxSize: Int
        /// Factor that compensates for the fewer neighbours of a smaller search.
        var factor: Double

        /// Reach for places of which a coarse search knows little.
        static let wide = Reach(side: 64, minSize: 26, maxSize: 46, factor: 1)
        /// Reach for faces that are followed; a third of the work.
        static let close = Reach(side: 48, minSize: 28, maxSize: 42, factor: 1.25)
    }

    /// Expected size in a patch, in pixels.
    private static let face = 34.0
    /// Factor by which patches are larger for cascades of LBP features: these find a face in fewer places around it, and windows of
    /// 45 pixels would not fit.
    private static let lbpEnlargement = 2.35
    private let cascades: PerSpecies<Cascade?>
    /// Finds humans in the place of their cascade, if it is there.
    private let network: NetworkFinder?
    private let cutter: PatchCutter
    private let patch = OwnedImage(.gray8)

    init(_ cascades: PerSpecies<Cascade?>, network: NetworkFinder?, cutter: PatchCutter) {
        (self.cascades, self.network, self.cutter) = (cascades, network, cutter)
    }

    /// Returns the verification of a face of `species` at about this place, size and angle; nil if there is none.
    func verify(
        _ species: Species, at placement: FacePlacement, reach: Reach, in planes: FramePlanes
    ) throws(VisionError) -> Verification? {
        if species == .human, let network { return try network.look(at: placement, in: planes) }
        return try search(species, at: placement, reach: reach, in: planes)
    }

    /// Returns the sum of the neighbours that the cascade counts in mirror images at three scales: further evidence from the same
    /// frame, since a texture that looks like a face by chance seldom does so in a mirror, too.
    func mirroredNeighbors(of face: Verification, enough: Int, in planes: FramePlanes) throws(VisionError) -> Int {
        var sum = 0
        for scale in [0.9, 1, 1.12] {
            var placement = face.placement
            placement.size *= scale
            sum +=
                try best(turned: [0, -12, 12], from: placement, enough: enough) { place throws(VisionError) in
                    try search(face.species, at: place, reach: .wide, isMirrored: true, in: planes)
                }?.neighbors ?? 0
        }
        return sum
    }

    /// Returns what the cascade of `species` sees at about this place, size and angle.
    /// - Parameter isMirrored: true to search the mirror image, whose find has the right neighbours, and the wrong place.
    private func search(
        _ species: Species, at placement: FacePlacement, reach: Reach, isMirrored: Bool = false, in planes: FramePlanes
    ) throws(VisionError) -> Verification? {
        guard let cascade = cascades[species] else { return nil }
        let enlargement = cascade.features == .lbp ? Self.lbpEnlargement : 1
        func enlarged(_ length: Int) -> Int { Int((Double(length) * enlargement).rounded()) }
        let (face, side) = (Self.face * enlargement, enlarged(reach.side))
        try cutter.cut(placement, span: Double(side) / face, side: side, from: planes, into: patch)
        if isMirrored { patch.image.mirrorRows() }
        let search = Cascade.Search(
            scaleFactor: 1.1, minNeighbors: 1, minSize: enlarged(reach.minSize), maxSize: enlarged(reach.maxSize))
        var best: Verification?
        for find in try cascade.detect(in: patch.image, search) where find.neighbors > best?.neighbors ?? 0 {
            let box = Box(find.rectangle)
            let shift = (box.center - Point(Double(side) / 2, Double(side) / 2)) / face
            guard shift.x * shift.x + shift.y * shift.y < 0.15 else { continue }
            var place = placement
            (place.center, place.size) = (placement.point(shift.x, shift.y), placement.size * box.width / face)
            best = Verification(species: species, neighbors: find.neighbors, placement: place)
        }
        if let neighbors = best?.neighbors { best?.neighbors = Int(Double(neighbors) * reach.factor) }
        return best
    }

    /// Returns the best verification at several angles; those after one with `enough` neighbours are not tried.
    func verify(
        _ species: Species, at placement: FacePlacement, reach: Reach, turned angles: [Double], enough: Int,
        in planes: FramePlanes
    ) throws(VisionError) -> Verification? {
        // The network sees turned faces, too.
        if species == .human, network != nil { return try verify(species, at: placement, reach: reach, in: planes) }
        return try best(turned: angles, from: placement, enough: enough) { place throws(VisionError) in
            try search(species, at: place, reach: reach, in: planes)
        }
    }

    private func best(
        turned angles: [Double], from placement: FacePlacement, enough: Int,
        by search: (FacePlacement) throws(VisionError) -> Verification?
    ) throws(VisionError) -> Verification? {
        var best: Verification?
        for angle in angles {
            var place = placement
            place.angle += angle
            guard place.angle.magnitude <= 45, let found = try search(place) else { continue }
            if found.neighbors > best?.neighbors ?? 0 { best = found }
            if found.neighbors >= enough { break }
        }
        return best
    }
}

extension Species {
    /// Returns how good a find with this many neighbours is; see `FaceVerifier.Verification.score`.
    func score(_ neighbors: Int) -> Double { Double(neighbors) / (self == .human ? 12 : 4) }
}

extension Image {
    /// Mirrors a picture that has one byte for each pixel.
    fileprivate func mirrorRows() {
        for y in 0..<height {
            var pixels = UnsafeMutableBufferPointer(start: row(y), count: width)
            pixels.reverse()
        }
    }
}
