// SPDX-License-Identifier: LGPL-2.1-or-later

/// A face in a form that an algorithm compares: an image or a vector.
package enum KnownFace: Sendable, Hashable {
    case sample(FaceSample)
    case embedding(FaceEmbedding)

    /// Form of a face. Only faces of the same form can be compared.
    package enum Kind: Sendable, Hashable {
        case sample
        /// - network: the SHA-256 of the network's file.
        case embedding(network: String)
    }

    package var kind: Kind {
        switch self {
        case .sample: .sample
        case .embedding(let embedding): .embedding(network: embedding.network)
        }
    }

    /// Returns true if both faces are so similar that they very probably show the same person.
    package func isLike(_ other: KnownFace) -> Bool {
        switch (self, other) {
        case (.sample(let a), .sample(let b)): a.difference(from: b) <= FaceSample.otherFace
        case (.embedding(let a), .embedding(let b)):
            a.network == b.network && a.distance(from: b) <= EmbeddingSpace.sureDistance
        case (.sample, .embedding), (.embedding, .sample): false
        }
    }

    /// The image of the face; nil for the case `embedding`.
    package var sample: FaceSample? {
        if case .sample(let sample) = self { sample } else { nil }
    }

    /// The vector that a network computed from the face; nil for the case `sample`.
    package var embedding: FaceEmbedding? {
        if case .embedding(let embedding) = self { embedding } else { nil }
    }
}

extension VisionError {
    /// The error of a comparison of faces in different forms.
    static let otherKind = VisionError(
        description: "the face and the learned faces are for different algorithms or networks")
}
