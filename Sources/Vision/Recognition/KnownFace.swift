// SPDX-License-Identifier: LGPL-2.1-or-later

/// A face in a form that a recognition algorithm compares: an image or a vector.
package enum KnownFace: Sendable, Hashable {
    case sample(FaceSample)
    case embedding(FaceEmbedding)

    /// Form of a face. Two faces can be compared only if their forms are equal.
    package enum Kind: Sendable, Hashable {
        case sample
        /// A vector that a network computes.
        /// - network: SHA-256 of the network's file.
        case embedding(network: String)
    }

    package var kind: Kind {
        switch self {
        case .sample: .sample
        case .embedding(let embedding): .embedding(network: embedding.network)
        }
    }

    /// Returns true if this face and `other` are so similar that they very probably show one person.
    package func isLike(_ other: KnownFace) -> Bool {
        switch (self, other) {
        case (.sample(let a), .sample(let b)): a.difference(from: b) <= FaceSample.otherFace
        case (.embedding(let a), .embedding(let b)):
            a.network == b.network && a.distance(from: b) <= EmbeddingSpace.sureDistance
        case (.sample, .embedding), (.embedding, .sample): false
        }
    }

    /// The image of the face. Nil for `embedding`.
    package var sample: FaceSample? {
        if case .sample(let sample) = self { sample } else { nil }
    }

    /// The vector of the face, computed by a network. Nil for `sample`.
    package var embedding: FaceEmbedding? {
        if case .embedding(let embedding) = self { embedding } else { nil }
    }
}

extension VisionError {
    /// The error that is thrown if faces in different forms are compared.
    static let otherKind = VisionError(
        description: "the face and the learned faces are for different algorithms or networks")
}
