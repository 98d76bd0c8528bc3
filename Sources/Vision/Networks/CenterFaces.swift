// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// Decoder for the outputs of CenterFace (Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as
/// Point", 2019). The formulas come from the authors' program. The outputs are feature maps with one cell per 4x4
/// pixels. Each cell contains the score for the centre of a face in this cell, the logarithms of the face's height and
/// width, the offset of the centre, and five landmarks relative to the upper left corner of the face's box.
struct CenterFaces: FaceDecoder {
    private static let step = 4
    private static let shapes: [NetworkShape] = [1, 2, 2, 10].map { .map(channels: $0, .step(step)) }

    let order = Network.Channels.Order.rgb

    /// Returns nil if the network's outputs do not have the shapes of CenterFace's outputs.
    /// - Parameter outputs: the shapes of the network's outputs.
    init?(_ outputs: [NetworkShape]) {
        guard outputs == Self.shapes else { return nil }
    }

    func faces(in result: Network.Result, minConfidence: Double) -> [FaceNetwork.Find] {
        let columns = result.width / Self.step
        let cells = columns * (result.height / Self.step)
        let (scores, sizes, offsets, points) = (
            result.outputs[0], result.outputs[1], result.outputs[2], result.outputs[3]
        )
        let step = Double(Self.step)

        /// Returns the value of a cell in a channel of a feature map.
        func value(_ map: UnsafeBufferPointer<Float>, _ channel: Int, _ cell: Int) -> Double {
            Double(map[channel * cells + cell])
        }
        func face(_ cell: Int) -> FaceNetwork.Find {
            // In the outputs of CenterFace, the height comes before the width, and y comes before x.
            let (height, width) = (exp(value(sizes, 0, cell)) * step, exp(value(sizes, 1, cell)) * step)
            let center = Point(
                (Double(cell % columns) + value(offsets, 1, cell) + 0.5) * step,
                (Double(cell / columns) + value(offsets, 0, cell) + 0.5) * step)
            let box = Box(center: center, width: width, height: height)
            func point(_ index: Int) -> Point {
                box.point(value(points, 2 * index + 1, cell), value(points, 2 * index, cell))
            }
            return FaceNetwork.Find(
                box: box, confidence: min(1, value(scores, 0, cell)),
                landmarks: FaceLandmarks(
                    leftEye: point(0), rightEye: point(1), nose: point(2), mouthLeft: point(3), mouthRight: point(4)))
        }
        let minimum = Float(minConfidence)
        var faces: [FaceNetwork.Find] = []
        // If the score is NaN, this comparison is false, so the cell is skipped.
        for cell in 0..<cells where scores[cell] >= minimum { faces.append(face(cell)) }
        return faces
    }
}
