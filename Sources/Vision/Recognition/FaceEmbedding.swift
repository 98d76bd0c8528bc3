// SPDX-License-Identifier: LGPL-2.1-or-later

/// A face as a network describes it: a vector of length 1. The cosine of two vectors is the similarity of two faces.
package struct FaceEmbedding: Sendable, Hashable {
    package let values: [Float]
    /// SHA-256 of the network's file. Vectors of different networks cannot be compared.
    package let network: String

    /// Range of the number of values.
    package static let dimensions = 2...4096

    /// Creates an embedding; nil unless the values are finite, and the vector has the length 1.
    package init?(values: [Float], network: String) {
        let square = values.reduce(0.0) { $0 + Double($1) * Double($1) }
        // False for NaN, too.
        guard Self.dimensions.contains(values.count), (square - 1).magnitude < 0.01 else { return nil }
        (self.values, self.network) = (values, network)
    }

    /// Returns the distance from another embedding of the same network: 1 − their cosine, 0…2.
    package func distance(from other: FaceEmbedding) -> Double {
        1 - zip(values, other.values).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
    }
}

// MARK: - Bytes

extension FaceEmbedding {
    /// The values as IEEE 754 single precision, lowest byte first.
    var bytes: [UInt8] {
        values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }
    }

    /// Creates an embedding of such bytes; nil unless they are this many values of a vector of length 1.
    init?(bytes: [UInt8], dimension: Int, network: String) {
        guard bytes.count == 4 * dimension else { return nil }
        let values = stride(from: 0, to: bytes.count, by: 4).map { start in
            Float(bitPattern: bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
        self.init(values: values, network: network)
    }
}

// MARK: - Distances

/// Distances of embeddings, from all in one block of memory: 10,000 of 128 values take less than a millisecond.
struct EmbeddingSpace: FaceSpace {
    private typealias Lanes = SIMD8<Float>

    private let network: String
    private let dimension: Int
    /// Number of lanes of a row: as many as the values need.
    private let width: Int
    private var count: Int
    /// Rows of all faces, one after another; the rest of each row is 0.
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
                    for place in 0..<width { sum += rows[start &+ place] * query[place] }
                    return Double(1 - sum.sum())
                }
            }
        }
    }
}

// MARK: - Limits

extension EmbeddingSpace {
    /// Maximum distance of a known face. Of five people of the Database of Faces (AT&T Laboratories Cambridge), learned from one
    /// image each, all 45 other images are nearer; with each person left out, no image of that person is.
    static let threshold = 0.58
    /// Maximum distance of a face whose name is sure, and how much farther away everybody else is. Drawn people, who are all
    /// alike, are about 0.2 to 0.3 apart.
    static let (sureDistance, sureMargin) = (0.45, 0.3)
}

extension FaceEmbedding {
    /// Distance of two faces from which on they are taken for different people's.
    package static let otherPerson = 0.65
}
