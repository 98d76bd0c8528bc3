// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

/// Distances between faces, as one algorithm measures them. Immutable.
protocol FaceSpace: Sendable {
    /// Returns the distances from a face to each of those that the space was made of, in their order.
    /// - Throws: if the face is in another form than those.
    func distances(from face: KnownFace) throws(VisionError) -> [Double]

    /// Adds faces after those that the space was made of. They do not change it.
    /// - Throws: if they are in another form than those.
    mutating func add(_ faces: [KnownFace]) throws(VisionError)
}

// MARK: - Local binary patterns

/// Histograms of local binary patterns in 8x8 cells of a face, compared by the alternative chi-square distance
/// 2 Σ (a − b)² / (a + b), of histograms whose sum is 1 in each cell (Ahonen, Hadid and Pietikäinen, "Face Recognition
/// with Local Binary Patterns", 2004, without weights). The distances are 0…256, those of
/// cv::face::LBPHFaceRecognizer.
struct PatternSpace: FaceSpace {
    private static let grid = 8
    private static let bins = grid * grid * Int(sv_cv_patterns)
    /// Number of pixels in a cell; 68 codes in a row and 8 cells.
    private static let cellPixels = 64.0

    /// Histograms, one face after another.
    private var counts: [UInt8] = []
    private var faceCount: Int { counts.count / Self.bins }

    init(_ faces: [FaceSample], unless isObsolete: () -> Bool) throws(VisionError) {
        counts.reserveCapacity(faces.count * Self.bins)
        for face in faces {
            guard !isObsolete() else { throw .givenUp }
            counts += try Self.counts(of: face)
        }
    }

    mutating func add(_ faces: [KnownFace]) throws(VisionError) {
        for face in faces {
            guard case .sample(let sample) = face else { throw .otherKind }
            counts += try Self.counts(of: sample)
        }
    }

    private static func counts(of face: FaceSample) throws(VisionError) -> [UInt8] {
        var counts = [UInt8](repeating: 0, count: bins)
        try check { sv_cv_pattern_counts(face.pixels, Int32(FaceSample.side), Int32(grid), &counts, $0) }
        return counts
    }

    /// Quotients ab / (a + b) of two counts, each from 0 to the number of pixels in a cell; a row for each a.
    private static let quotients: [Float] = (0..<levels * levels).map { index in
        let (a, b) = (Float(index / levels), Float(index % levels))
        return a + b > 0 ? a * b / (a + b) : 0
    }
    private static let levels = Int(cellPixels) + 1

    func distances(from face: KnownFace) throws(VisionError) -> [Double] {
        guard case .sample(let face) = face else { throw .otherKind }
        // Most bins are empty. As the sum over each cell is known, (a − b)² / (a + b) = a + b − 4ab / (a + b) needs
        // only those that are not.
        let filled = try Self.counts(of: face).enumerated().compactMap { bin, count in
            count > 0 ? (bin: bin, row: Int(count) * Self.levels) : nil
        }
        let cells = Double(Self.grid * Self.grid)
        return counts.withUnsafeBufferPointer { counts in
            Self.quotients.withUnsafeBufferPointer { quotients in
                (0..<faceCount).map { face in
                    var sum: Float = 0
                    for (bin, row) in filled { sum += quotients[row &+ Int(counts[face &* Self.bins &+ bin])] }
                    return max(0, 2 * (2 * cells - 4 * Double(sum) / Self.cellPixels))
                }
            }
        }
    }
}

// MARK: - Subspaces of all pictures

/// Euclidean distances in the space that the faces' principal components span (eigenfaces: Turk and Pentland, 1991), or
/// linear discriminants of them (Fisherfaces: Belhumeur, Hespanha and Kriegman, 1997). The part of a picture outside
/// the space of faces counts too, so that a picture without a face is near none; it is the same for all faces, and does
/// not change which one is nearest.
struct Subspace: FaceSpace {
    private let faces: LinearMap
    /// Discriminants; nil for eigenfaces.
    private let discriminants: LinearMap?
    /// Coordinates of each face, in those of the discriminants or in its own.
    private var coordinates: [[Float]]

    /// Approximate maximum of pictures used to find the space: the time grows with their third power.
    private static let pictures = 120

    /// - Parameters:
    ///   - labels: the person on each of the faces, 0, 1, …
    ///   - separates: true if discriminants are wanted. There have to be two labels, one of them with two faces.
    ///   - isObsolete: called before each step; true ends the work with an error.
    init(
        _ all: [FaceSample], labels: [Int], separates: Bool, unless isObsolete: () -> Bool
    ) throws(VisionError) {
        let chosen = Self.choice(labels)
        let people = Set(chosen.map { labels[$0] }).count
        guard !isObsolete() else { throw .givenUp }
        let pictures = chosen.flatMap { all[$0].pixels }
        faces = try LinearMap(pictures, count: chosen.count)
        let discriminants =
            separates
            ? try LinearMap(
                pictures, count: chosen.count, labels: chosen.map { Int32(clamping: labels[$0]) },
                components: max(1, chosen.count - people)) : nil
        var coordinates: [[Float]] = []
        for face in all {
            guard !isObsolete() else { throw .givenUp }
            coordinates.append(try (discriminants ?? faces).coordinates(of: face).values)
        }
        self.discriminants = discriminants
        self.coordinates = coordinates
    }

    mutating func add(_ faces: [KnownFace]) throws(VisionError) {
        for face in faces {
            guard case .sample(let sample) = face else { throw .otherKind }
            coordinates.append(try (discriminants ?? self.faces).coordinates(of: sample).values)
        }
    }

    /// Returns the indices of the faces to use: equally many of each person, evenly chosen if there are too many; of
    /// too many people those with two faces first, which show how much the same person may vary.
    private static func choice(_ labels: [Int]) -> [Int] {
        var faces: [Int: [Int]] = [:]
        for (index, label) in labels.enumerated() { faces[label, default: []].append(index) }
        let people = faces.sorted { $0.key < $1.key }.map(\.value)
        let limit = pictures / 2
        var chosen = people.filter { $0.count > 1 }.evenly(limit)
        chosen += people.filter { $0.count == 1 }.evenly(limit - chosen.count)
        let quota = pictures / max(1, chosen.count)
        return chosen.flatMap { $0.evenly(quota) }.sorted()
    }

    func distances(from face: KnownFace) throws(VisionError) -> [Double] {
        guard case .sample(let face) = face else { throw .otherKind }
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
    ///   - pictures: the pictures, one after another.
    ///   - labels: the labels for discriminants of the first `components` principal components; nil for the components.
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

extension Array {
    /// Returns at most this many of the elements, evenly spaced.
    func evenly(_ most: Int) -> [Element] {
        guard count > most else { return self }
        return (0..<Swift.max(0, most)).map { self[$0 * count / most] }
    }
}
