// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Uses a network to compute the embeddings of faces in frames. Only one thread at a time may use an instance.
package final class FaceDescriber {
    private let network: EmbeddingNetwork
    private let aligner = FaceAligner()

    /// SHA-256 of the network's file.
    package var digest: String { network.digest }

    package init(_ model: EmbeddingModel) throws(VisionError) { network = try model.network() }

    /// Returns the embedding of a face in a frame; nil if the face is outside the frame.
    /// - Parameters:
    ///   - alignment: the alignment of the face, in pixels of the frame.
    ///   - withMirror: true to combine the vectors of the face and its mirror image. This takes twice the time.
    package func embedding(
        of frame: FrameImage, _ alignment: FaceAlignment, withMirror: Bool = true
    ) throws(VisionError) -> FaceEmbedding? {
        guard let face = try aligner.image(of: frame, alignment) else { return nil }
        return FaceEmbedding(
            values: try network.embedding(of: face, withMirror: withMirror), network: network.digest)
    }
}
