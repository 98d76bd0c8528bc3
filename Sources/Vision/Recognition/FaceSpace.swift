import COpenCV

/// Distances between faces, as one algorithm measures them. Never changes.
protocol FaceSpace: Sendable {
    /// From a face to each of those that the space was made of, in their order.
    func distances(from face: FaceSample) throws(VisionError) -> [Double]
}

// MARK: - Local binary patterns

/// Histograms of local binary patterns in 8x8 cells of a face, compared by the alternative chi-square distance
/// 2 Σ (a − b)² / (a + b), of histograms whose sum is 1 in each cell (Ahonen, Hadid and Pietikäinen, "Face Recognition
/// with Local Binary Patterns", 2004, without weights). The distances are 0…256, those of
/// cv::face::LBPHFaceRecognizer.
struct PatternSpace: FaceSpace {
    private static let grid = 8
    private static let bins = grid * grid * Int(sv_cv_patterns)
    /// Of a cell; 68 codes in a row and 8 cells.
    private static let cellPixels = 64.0

    /// One face after another.
    private var counts: [UInt8] = []
    private var faceCount: Int { counts.count / Self.bins }

    init(_ faces: [FaceSample]) throws(VisionError) {
        counts.reserveCapacity(faces.count * Self.bins)
        for face in faces { counts += try Self.counts(of: face) }
    }

    private static func counts(of face: FaceSample) throws(VisionError) -> [UInt8] {
        var counts = [UInt8](repeating: 0, count: bins)
        try check { sv_cv_pattern_counts(face.pixels, Int32(FaceSample.side), Int32(grid), &counts, $0) }
        return counts
    }

    func distances(from face: FaceSample) throws(VisionError) -> [Double] {
        // Most bins are empty. As the sum over each cell is known, (a − b)² / (a + b) = a + b − 4ab / (a + b) leaves only
        // those that are not.
        let filled = try Self.counts(of: face).enumerated().compactMap { bin, count in
            count > 0 ? (bin: bin, count: Float(count)) : nil
        }
        return (0..<faceCount).map { face in
            var sum: Float = 0
            counts.withUnsafeBufferPointer { counts in
                for (bin, count) in filled {
                    let other = Float(counts[face &* Self.bins &+ bin])
                    sum += count * other / (count + other)
                }
            }
            let cells = Double(Self.grid * Self.grid)
            return max(0, 2 * (2 * cells - 4 * Double(sum) / Self.cellPixels))
        }
    }
}

// MARK: - Subspaces of all pictures

/// Euclidean distances in the space that the faces' principal components span (eigenfaces: Turk and Pentland, 1991), or
/// linear discriminants of them (Fisherfaces: Belhumeur, Hespanha and Kriegman, 1997). What of a picture lies outside of
/// the space of faces counts too, so that what is no face is near none; it is the same for all faces, and does not change
/// which one is nearest.
struct Subspace: FaceSpace {
    private let faces: LinearMap
    /// Nil for eigenfaces.
    private let discriminants: LinearMap?
    /// Of each face, in the discriminants' coordinates or in its own.
    private let coordinates: [[Float]]

    /// At most about so many pictures are looked at to find the space: the time grows with their third power.
    private static let pictures = 120

    /// - Parameters:
    ///   - labels: who is on each of the faces, 0, 1, …
    ///   - separates: whether discriminants are wanted. There have to be two labels, one of them with two faces.
    init(_ all: [FaceSample], labels: [Int], separates: Bool) throws(VisionError) {
        let people = Set(labels).count
        let quota = max(2, Self.pictures / max(1, people))
        var numbers: [Int: Int] = [:]
        for label in labels { numbers[label, default: 0] += 1 }
        var seen: [Int: Int] = [:]
        // Evenly chosen where there are too many.
        let chosen = all.indices.filter { index in
            let (label, number) = (labels[index], seen[labels[index], default: 0])
            let count = numbers[label] ?? 1
            seen[label] = number + 1
            return count <= quota || number * quota / count != (number + 1) * quota / count
        }
        let pictures = chosen.flatMap { all[$0].pixels }
        faces = try LinearMap(pictures, count: chosen.count)
        let discriminants =
            separates
            ? try LinearMap(
                pictures, count: chosen.count, labels: chosen.map { Int32(clamping: labels[$0]) },
                components: max(1, chosen.count - people)) : nil
        var coordinates: [[Float]] = []
        for face in all { coordinates.append(try (discriminants ?? faces).coordinates(of: face).values) }
        self.discriminants = discriminants
        self.coordinates = coordinates
    }

    func distances(from face: FaceSample) throws(VisionError) -> [Double] {
        let inside = try faces.coordinates(of: face)
        let outside = max(0, inside.square - inside.values.reduce(0) { $0 + Double($1) * Double($1) })
        let own = try discriminants?.coordinates(of: face).values ?? inside.values
        return coordinates.map { other in
            zip(own, other).reduce(outside) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }.squareRoot()
        }
    }
}

/// A mean and some directions from it.
private struct LinearMap: Sendable {
    private var mean = [Float](repeating: 0, count: FaceSample.pixelCount)
    private var basis: [Float]
    private var rows: Int32 = 0

    /// - Parameters:
    ///   - pictures: one after another.
    ///   - labels: for discriminants of the first `components` principal components; nil for all of the latter.
    init(
        _ pictures: [UInt8], count: Int, labels: [Int32]? = nil, components: Int? = nil
    ) throws(VisionError) {
        basis = [Float](repeating: 0, count: count * FaceSample.pixelCount)
        try check {
            sv_cv_subspace(
                pictures, labels, Int32(clamping: count), Int32(FaceSample.pixelCount),
                Int32(clamping: components ?? count), &mean, &basis, &rows, $0)
        }
        basis.removeLast(basis.count - Int(rows) * FaceSample.pixelCount)
    }

    func coordinates(of face: FaceSample) throws(VisionError) -> (values: [Float], square: Double) {
        var values = [Float](repeating: 0, count: Int(rows))
        var square = 0.0
        try check {
            sv_cv_project(
                face.pixels, Int32(FaceSample.pixelCount), mean, basis, rows, &values, &square, $0)
        }
        return (values, square)
    }
}
