// SPDX-License-Identifier: LGPL-2.1-or-later
import Glibc
import Imaging

/// Decoder for the outputs of YuNet (Wu, Peng and Yu, "YuNet: A Tiny Millisecond-level Face Detector", Machine
/// Intelligence Research 20, 2023). The formulas come from the authors' libfacedetection.train. The network has three
/// grids of cells. For each cell, the outputs are two scores, a box and five landmarks.
struct YuNetFaces: FaceDecoder {
    /// The outputs for a grid of cells, as indices into the outputs of the network's file.
    private struct Grid {
        /// Distance between neighbouring cells of the grid, in pixels of the input.
        let step: Int
        /// Indices of two outputs. `classScore`: the scores that an object in a cell is a face. `objectScore`: the
        /// scores that a cell contains an object. The confidence of a cell is the square root of the product of both
        /// scores.
        let classScore, objectScore: Int
        let box, points: Int

        init?(step: Int, in outputs: [NetworkShape]) {
            func indices(_ count: Int) -> [Int] {
                outputs.indices.filter { outputs[$0] == .cells(channels: count, .step(step)) }
            }
            let (scores, boxes, points) = (indices(1), indices(4), indices(10))
            guard scores.count == 2, boxes.count == 1, points.count == 1 else { return nil }
            self.step = step
            (classScore, objectScore, box, self.points) = (scores[0], scores[1], boxes[0], points[0])
        }
    }

    let order = Network.Channels.Order.bgr
    private let grids: [Grid]

    /// Returns nil if the network's outputs do not have the shapes of YuNet's outputs.
    /// - Parameter outputs: the shapes of the network's outputs.
    init?(_ outputs: [NetworkShape]) {
        grids = [8, 16, 32].compactMap { Grid(step: $0, in: outputs) }
        guard grids.count == 3, outputs.count == 12 else { return nil }
    }

    func faces(in result: Network.Result, minConfidence: Double) -> [FaceNetwork.Find] {
        grids.flatMap { grid in
            Cells(grid, columns: result.width / grid.step, result.outputs)
                .faces(minConfidence: Float(minConfidence))
        }
    }

    /// The output values of all cells of a grid.
    private struct Cells {
        let step: Double
        let columns: Int
        let classScores, objectScores, boxes, points: UnsafeBufferPointer<Float>

        init(_ grid: Grid, columns: Int, _ outputs: [UnsafeBufferPointer<Float>]) {
            (step, self.columns) = (Double(grid.step), columns)
            (classScores, objectScores) = (outputs[grid.classScore], outputs[grid.objectScore])
            (boxes, points) = (outputs[grid.box], outputs[grid.points])
        }

        func faces(minConfidence: Float) -> [FaceNetwork.Find] {
            var faces: [FaceNetwork.Find] = []
            for cell in 0..<classScores.count {
                let score = (max(0, classScores[cell]) * max(0, objectScores[cell])).squareRoot()
                // If the score is NaN, this comparison is false, so the cell is skipped.
                if score >= minConfidence { faces.append(face(cell, score)) }
            }
            return faces
        }

        private func face(_ cell: Int, _ score: Float) -> FaceNetwork.Find {
            let (left, top) = (Double(cell % columns), Double(cell / columns))
            func point(_ values: UnsafeBufferPointer<Float>, _ index: Int) -> Point {
                Point((left + Double(values[index])) * step, (top + Double(values[index + 1])) * step)
            }
            let size = (
                width: exp(Double(boxes[4 * cell + 2])) * step, height: exp(Double(boxes[4 * cell + 3])) * step
            )
            let first = 10 * cell
            return FaceNetwork.Find(
                box: Box(center: point(boxes, 4 * cell), width: size.width, height: size.height),
                confidence: min(1, Double(score)),
                landmarks: FaceLandmarks(
                    leftEye: point(points, first), rightEye: point(points, first + 2),
                    nose: point(points, first + 4), mouthLeft: point(points, first + 6),
                    mouthRight: point(points, first + 8)))
        }
    }
}
