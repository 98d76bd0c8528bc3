// SPDX-License-Identifier: LGPL-2.1-or-later

/// The embedding of a face: a vector of length 1 that a network computes. The similarity of two faces is the cosine of
/// the angle between their vectors.
package struct FaceEmbedding: Sendable, Hashable {
    package let values: [Float]
    /// SHA-256 of the network's file. Only vectors of the same network can be compared.
    package let network: String

    /// Range of the number of values that an embedding may have.
    package static let dimensions = 2...4096

    /// Creates an embedding. Returns nil if a value is not finite or the number of values is not in `dimensions`. Also
    /// returns nil if the length of the vector differs from 1 by more than 0.5 %.
    package init?(values: [Float], network: String) {
        let square = values.reduce(0.0) { $0 + Double($1) * Double($1) }
        // For NaN, the comparison of `square` is false, so the embedding is nil.
        guard Self.dimensions.contains(values.count), (square - 1).magnitude < 0.01 else { return nil }
        (self.values, self.network) = (values, network)
    }

    /// Returns the distance 1 − cosine from another embedding of the same network, 0…2.
    package func distance(from other: FaceEmbedding) -> Double {
        Self.distance(atCosine: zip(values, other.values).reduce(0.0) { $0 + Double($1.0) * Double($1.1) })
    }

    /// Returns the mean direction of embeddings of the same network: the sum of the vectors, scaled to the length 1
    /// (Mardia and Jupp, "Directional Statistics", 2000). Returns nil if the sum is 0, if the embeddings are of
    /// different networks, or if there are no embeddings.
    package static func mean(of embeddings: [FaceEmbedding]) -> FaceEmbedding? {
        guard let first = embeddings.first,
            embeddings.allSatisfy({ $0.network == first.network && $0.values.count == first.values.count })
        else { return nil }
        let sum = first.values.indices.map { index in embeddings.reduce(0.0) { $0 + Double($1.values[index]) } }
        let length = sum.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return length > 1e-6
            ? FaceEmbedding(values: sum.map { Float($0 / length) }, network: first.network) : nil
    }

    /// Returns the distance for a dot product of two embeddings, limited to 0…2. The lengths of embeddings differ
    /// slightly from 1, so the product of two equal embeddings may exceed 1. For a negative distance,
    /// `Recognizer.confidence` would return 0.
    fileprivate static func distance(atCosine product: Double) -> Double { min(2, max(0, 1 - product)) }
}

// MARK: - Bytes

extension FaceEmbedding {
    /// The values of the embedding in IEEE 754 single precision, little-endian.
    var bytes: [UInt8] {
        values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }
    }

    /// Creates an embedding from bytes in the format of the property `bytes`. Returns nil if the number of values is
    /// not `dimension`, or if the length of the vector is not 1.
    init?(bytes: [UInt8], dimension: Int, network: String) {
        guard bytes.count == 4 * dimension else { return nil }
        let values = stride(from: 0, to: bytes.count, by: 4).map { start in
            Float(bitPattern: bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
        self.init(values: values, network: network)
    }
}

// MARK: - Distances

/// Computes distances between embeddings. For fast comparisons, one array contains the vectors of all faces: the
/// distances to 10,000 vectors of 128 values take less than a millisecond.
struct EmbeddingSpace: FaceSpace {
    private typealias Lanes = SIMD8<Float>

    private let network: String
    private let dimension: Int
    /// Number of `Lanes` elements (8 values each) per face: the smallest number with space for `dimension` values.
    private let width: Int
    private var count: Int
    /// The vectors of all faces, one face after another: `width` elements per face. Unused lanes at the end of a face's
    /// last element are 0.
    private var rows: [Lanes]

    init(_ faces: [FaceEmbedding]) throws(VisionError) {
        let (network, dimension) = (faces.first?.network ?? "", faces.first?.values.count ?? 0)
        guard faces.allSatisfy({ $0.network == network && $0.values.count == dimension }) else {
            throw VisionError(description: "the vectors of the faces are from different networks")
        }
        (self.network, self.dimension, count) = (network, dimension, faces.count)
        width = (dimension + Lanes.scalarCount - 1) / Lanes.scalarCount
        rows = faces.flatMap { Self.row($0.values) }
    }

    mutating func add(_ faces: [KnownFace]) throws(VisionError) {
        for face in faces {
            guard let embedding = face.embedding, embedding.network == network, embedding.values.count == dimension
            else { throw .otherKind }
            rows += Self.row(embedding.values)
            count += 1
        }
    }

    private static func row(_ values: [Float]) -> [Lanes] {
        stride(from: 0, to: values.count, by: Lanes.scalarCount).map { start in
            var lanes = Lanes()
            for (lane, value) in values[start..<min(start + Lanes.scalarCount, values.count)].enumerated() {
                lanes[lane] = value
            }
            return lanes
        }
    }

    func distances(from face: KnownFace) throws(VisionError) -> [Double] {
        guard case .embedding(let embedding) = face, embedding.network == network, embedding.values.count == dimension
        else { throw .otherKind }
        let (query, width) = (Self.row(embedding.values), width)
        return rows.withUnsafeBufferPointer { rows in
            query.withUnsafeBufferPointer { query in
                (0..<count).map { face in
                    var sum = Lanes()
                    let start = face &* width
                    for i in 0..<width { sum += rows[start &+ i] * query[i] }
                    return FaceEmbedding.distance(atCosine: Double(sum.sum()))
                }
            }
        }
    }
}

// MARK: - Limits

extension EmbeddingSpace {
    /// If the distance between a face and the nearest known face is at most this value, the face gets the name of the
    /// known face. In a test with five people of the Database of Faces (AT&T Laboratories Cambridge), one image of each
    /// person was known. All 45 other images had a distance below the threshold from the known image of their person.
    /// If a person was not known, all images of this person had distances above the threshold.
    static let threshold = 0.58
    /// The match of a face with a person is confirmed if its distance is at most `sureDistance`, and the distance to
    /// the nearest face of any other person is greater by at least `sureMargin`. Drawn people look alike: the distances
    /// between drawn people are about 0.2 to 0.3.
    static let (sureDistance, sureMargin) = (0.45, 0.3)
}

extension FaceEmbedding {
    /// If the distance between two faces is at least this value, the faces count as faces of different people.
    package static let otherPerson = 0.65
}
