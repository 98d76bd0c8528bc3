// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV

/// The known faces of a recognition algorithm, in a form that is fast to compare. The algorithm defines the distance
/// between two faces. Only the method `add` changes a space.
protocol FaceSpace: Sendable {
    /// Returns the distances from a face to all faces of the space, in the order in which the faces were added.
    /// - Throws: `VisionError` if the face has another form (`KnownFace.Kind`) than the faces of the space.
    func distances(from face: KnownFace) throws(VisionError) -> [Double]

    /// Appends faces to the space. Distances to the existing faces do not change.
    /// - Throws: `VisionError` if a face has another form (`KnownFace.Kind`) than the faces of the space.
    mutating func add(_ faces: [KnownFace]) throws(VisionError)
}

// MARK: - Local binary patterns

/// Compares histograms of local binary patterns in 8x8 cells of a face (Ahonen, Hadid and Pietikäinen, "Face
/// Recognition with Local Binary Patterns", 2004, without weights). The distance of two faces is the alternative
/// chi-square distance 2 Σ (a − b)² / (a + b), 0…256. a and b are the values of a bin in the histograms of the two
/// faces. The values of each cell add up to 1. OpenCV's `cv::face::LBPHFaceRecognizer` computes the same distance.
struct PatternSpace: FaceSpace {
    private static let grid = 8
    private static let bins = grid * grid * Int(sv_cv_patterns)
    /// Number of local binary patterns per cell. A sample has 68 x 68 patterns and is divided into 8 x 8 cells. So each
    /// cell has 8 x 8 patterns, and the remaining patterns are ignored.
    private static let cellPixels = 64.0

    /// The histograms of all faces, one face after another.
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

    /// Table of ab / (a + b), with a row for each a. a and b are counts of a histogram bin, from 0 to the number of
    /// local binary patterns in a cell.
    private static let quotients: [Float] = (0..<levels * levels).map { index in
        let (a, b) = (Float(index / levels), Float(index % levels))
        return a + b > 0 ? a * b / (a + b) : 0
    }
    private static let levels = Int(cellPixels) + 1

    func distances(from face: KnownFace) throws(VisionError) -> [Double] {
        guard case .sample(let face) = face else { throw .otherKind }
        // In a histogram bin, a is the count of `face`, and b is the count of the known face. A term of the distance is
        // (a − b)² / (a + b) = a + b − 4ab / (a + b). The sums of a and of b over all bins are constant. So only bins
        // with a > 0 matter, and most bins have a = 0.
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

/// Compares faces by Euclidean distances in a subspace of the space of all face images. The subspace contains either
/// the principal components (eigenfaces: Turk and Pentland, 1991) or the linear discriminants (Fisherfaces: Belhumeur,
/// Hespanha and Kriegman, 1997). The distance also includes the component of the tested image that is perpendicular to
/// all principal components. So an image that shows no face has large distances. This component is equal for all known
/// faces, so it does not affect which known face is nearest.
struct Subspace: FaceSpace {
    private let faces: LinearMap
    /// Maps images to linear discriminants. Nil for eigenfaces.
    private let discriminants: LinearMap?
    /// Coordinates of each known face in the subspace. For eigenfaces, the coordinates are principal components. For
    /// Fisherfaces, the coordinates are linear discriminants.
    private var coordinates: [[Float]]

    /// Approximate maximum number of images from which the subspace is computed. The time grows with the third power of
    /// this number.
    private static let pictures = 120

    /// Learns a space from face images.
    /// - Parameters:
    ///   - all: the face images.
    ///   - labels: for each image, the index of its person.
    ///   - separates: true to compute linear discriminants. Discriminants need at least two people, and two images of
    ///     one of these people.
    ///   - isObsolete: a closure that is called before each step. If `isObsolete` returns true, the initialiser throws
    ///     an error.
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

    /// Returns the indices of the images from which the space is computed. The maximum number of images is the same for
    /// each person. If a person has more images, the chosen images are evenly spaced. At most half of `pictures` people
    /// are chosen. People with at least two images take precedence, because their images show how the appearance of a
    /// person varies.
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
        let position = try discriminants?.coordinates(of: face).values ?? inside.values
        return coordinates.map { known in
            zip(position, known).reduce(outside) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }.squareRoot()
        }
    }
}

/// A map from images to coordinates: subtracts a mean image, and projects the result onto basis vectors.
private struct LinearMap: Sendable {
    private var mean = [Float](repeating: 0, count: FaceSample.pixelCount)
    private var basis: [Float]
    private var rows: Int32 = 0

    /// Computes principal components or linear discriminants of images.
    /// - Parameters:
    ///   - pictures: the pixels of all images, one image after another.
    ///   - count: the number of images.
    ///   - labels: for linear discriminants, the label of each image. The discriminants are computed from the first
    ///     `components` principal components. Nil to compute the principal components.
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
    /// Returns up to `maximum` elements of this array, evenly spaced.
    func evenly(_ maximum: Int) -> [Element] {
        guard count > maximum else { return self }
        return (0..<Swift.max(0, maximum)).map { self[$0 * count / maximum] }
    }
}
