// SPDX-License-Identifier: LGPL-2.1-or-later

/// The smallest network with the inputs and outputs of YuNet, as an ONNX file. It detects the brightest pixels as
/// faces.
///
/// The confidence of a cell of 8x8 pixels depends on its brightest pixel: 1 for white, 0 for grey. Larger cells detect
/// nothing. The position, size and landmarks of a face in its cell are constant.
package enum SmallNetwork {
    /// The position of a face's centre in its cell, and the logarithms of its width and height. The unit is a cell.
    package static let box: [Float] = [0.5, 0.25, 0.693147, 1.098612]
    /// The positions of the landmarks in the cell. The unit is a cell.
    package static let points: [Float] = [0, 0, 1, 0, 0.5, 0.5, 0.125, 1, 0.875, 1]

    /// - Parameters:
    ///   - name: name of the first output.
    ///   - numbers: number of values per cell in the output for boxes.
    package static func file(firstOutput name: String = "cls_8", boxNumbers numbers: Int = 4) -> [UInt8] {
        var graph = ONNXWriter()
        graph.brightness(to: 32)
        for (step, bias) in [(8, Float(-18)), (16, -1000), (32, -1000)] {
            let input = "most\(step)"
            graph.tensor("sure\(step)", [1, 1, 1, 1], [0.1])
            graph.tensor("least\(step)", [1], [bias])
            let box = Array((box + [0, 0, 0, 0]).prefix(numbers))
            for (kind, values) in [("cls", [bias]), ("obj", [bias]), ("bbox", box), ("kps", points)] {
                let isScore = kind == "cls" || kind == "obj"
                let output = kind == "cls" && step == 8 ? name : "\(kind)_\(step)"
                if isScore {
                    graph.convolution(input, "sure\(step)", "least\(step)", to: "map_\(output)")
                } else {
                    graph.constant(values, like: input, to: "map_\(output)")
                }
                graph.node("Transpose", ["map_\(output)"], "last_\(output)", [("perm", .wholes([0, 2, 3, 1]))])
                graph.tensor("sizes_\(output)", [3], wholes: [1, -1, values.count])
                graph.node("Reshape", ["last_\(output)", "sizes_\(output)"], isScore ? "cells_\(output)" : output)
                if isScore { graph.node("Sigmoid", ["cells_\(output)"], output) }
                graph.output(output)
            }
        }
        return graph.file(input: "image")
    }
}

/// The smallest network with the inputs and outputs of CenterFace, as an ONNX file. It detects the brightest pixels of
/// the image as centres of faces. Each face is in the upper left of four cells. The size, offset and landmarks of all
/// faces are constant.
package enum SmallCenterFace {
    /// The logarithms of height and width. The unit is a cell of 4 pixels.
    package static let size: [Float] = [1.609438, 1.386294]
    /// The offset of a face's centre from the centre of its cell: down, then right. The unit is a cell.
    package static let offset: [Float] = [0.25, -0.125]
    /// The positions of the landmarks (down, then right), as fractions of the box.
    package static let points: [Float] = [0.25, 0.125, 0.25, 0.875, 0.5, 0.5, 0.75, 0.25, 0.75, 0.625]

    /// - Parameter pointNumbers: number of values per cell in the output for landmarks.
    package static func file(pointNumbers: Int = 10) -> [UInt8] {
        var graph = ONNXWriter()
        graph.brightness(to: 8)
        graph.tensor("corner", [1, 1, 2, 2], [1, 0, 0, 0])
        graph.node(
            "ConvTranspose", ["most8", "corner"], "cells",
            [("kernel_shape", .wholes([2, 2])), ("strides", .wholes([2, 2]))])
        // (level - 100) / 2 · 0.2 - 8 equals 0.1 · level - 18.
        for (name, value) in [("scale", Float(0.2)), ("bias", -8), ("mean", 100), ("variance", 3.5)] {
            graph.tensor("norm_\(name)", [1], [value])
        }
        graph.node(
            "BatchNormalization", ["cells", "norm_scale", "norm_bias", "norm_mean", "norm_variance"], "logits",
            [("epsilon", .float(0.5))])
        graph.node("Sigmoid", ["logits"], "scores")
        graph.constant(size, like: "cells", to: "sizes")
        graph.constant(offset, like: "cells", to: "offsets")
        graph.constant(Array(points.prefix(pointNumbers)), like: "cells", to: "points")
        for name in ["scores", "sizes", "offsets", "points"] { graph.output(name) }
        return graph.file(input: "image", [10, 3, 32, 32])
    }
}

/// A small network that converts a 3x112x112 input to a vector, as an ONNX file.
///
/// The network computes the weighted sum of the channels in each square of 4x4 pixels. Batch normalisation changes the
/// sum x to 2x + 0.5. PReLU divides negative values by 4, and Clip limits values to 4. The vector contains the values
/// of three squares. A bias is added to each value.
package enum SmallEmbedding {
    package static let weights: [Float] = [0.5, 0.25, -0.25]
    /// The positions of the three squares. The unit is a square.
    package static let squares = [(x: 0, y: 0), (x: 5, y: 3), (x: 20, y: 27)]
    package static let bias: [Float] = [0.125, -0.25, 1]

    /// - Parameters:
    ///   - sizes: sizes of the input's dimensions in the file.
    ///   - kind: name of the first operator.
    ///   - isTransposed: true if a row of the last matrix contains the weights of one output.
    package static func file(
        input sizes: [Int] = [1, 3, 112, 112], first kind: String = "Conv", isTransposed: Bool = true
    ) -> [UInt8] {
        var graph = ONNXWriter()
        graph.tensor("weights", [1, 3, 4, 4], weights.flatMap { [Float](repeating: $0 / 16, count: 16) })
        graph.node(
            kind, ["face", "weights"], "squares", [("kernel_shape", .wholes([4, 4])), ("strides", .wholes([4, 4]))])
        // (x - 0.1) / 2 · 4 + 0.7
        for (name, value) in [("scale", Float(4)), ("bias", 0.7), ("mean", 0.1), ("variance", 4)] {
            graph.tensor("norm_\(name)", [1], [value])
        }
        graph.node(
            "BatchNormalization", ["squares", "norm_scale", "norm_bias", "norm_mean", "norm_variance"], "norm",
            [("epsilon", .float(0))])
        graph.tensor("slope", [1, 1, 1], [0.25])
        graph.node("PRelu", ["norm", "slope"], "bent")
        graph.node("Constant", [], "least", [("value", .tensor([], [-100]))])
        graph.node("Constant", [], "most", [("value", .tensor([], [4]))])
        graph.node("Clip", ["bent", "least", "most"], "limited")
        graph.node("Dropout", ["limited"], "same", [("ratio", .float(0.5))])
        graph.node("Flatten", ["same"], "flat", [("axis", .whole(1))])
        var matrix = [Float](repeating: 0, count: 3 * 28 * 28)
        for (row, square) in squares.enumerated() {
            let column = 28 * square.y + square.x
            matrix[isTransposed ? 784 * row + column : 3 * column + row] = 1
        }
        graph.tensor("matrix", isTransposed ? [3, 784] : [784, 3], matrix)
        graph.tensor("bias", [3], bias)
        graph.node("Gemm", ["flat", "matrix", "bias"], "vector", [("transB", .whole(isTransposed ? 1 : 0))])
        graph.output("vector")
        return graph.file(input: "face", sizes)
    }
}

extension ONNXWriter {
    /// Adds the tensors `most2`, `most4` and so on. They contain the maximum brightness of 2x2, 4x4 and so on pixels.
    /// The brightness is the mean of the channels of `image`.
    fileprivate mutating func brightness(to last: Int) {
        tensor("mean", [1, 3, 1, 1], [1, 1, 1].map { $0 / 3 })
        convolution("image", "mean", nil, to: "most1")
        var step = 1
        while step < last {
            node(
                "MaxPool", ["most\(step)"], "most\(2 * step)",
                [("kernel_shape", .wholes([2, 2])), ("strides", .wholes([2, 2]))])
            step *= 2
        }
    }

    /// Adds a tensor with the same values in all cells.
    fileprivate mutating func constant(_ values: [Float], like input: String, to output: String) {
        tensor("none_\(output)", [values.count, 1, 1, 1], values.map { _ in 0 })
        tensor("all_\(output)", [values.count], values)
        convolution(input, "none_\(output)", "all_\(output)", to: output)
    }
}
