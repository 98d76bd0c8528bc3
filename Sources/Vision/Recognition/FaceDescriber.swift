// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Describes faces in frames by a network. One thread at a time may use it.
package final class FaceDescriber {
    private let network: EmbeddingNetwork
    private let aligner = FaceAligner()

    /// SHA-256 of the network's file.
    package var digest: String { network.digest }

    package init(_ model: EmbeddingModel) throws(VisionError) { network = try model.network() }

    /// Returns the embedding of an aligned face; nil if nothing of it is in the frame.
    /// - Parameter withMirror: false if the face's mirror image does not count.
    package func embedding(
        of frame: FrameImage, _ alignment: FaceAlignment, withMirror: Bool = true
    ) throws(VisionError) -> FaceEmbedding? {
        guard let face = try aligner.image(of: frame, alignment) else { return nil }
        return FaceEmbedding(
            values: try network.embedding(of: face, withMirror: withMirror), network: network.digest)
    }
}
