// SPDX-License-Identifier: LGPL-2.1-or-later

/// The smallest network of YuNet's kind, as an ONNX file: it takes the brightest pixels for faces.
///
/// The confidence of a cell of 8 pixels is that of its brightest pixel: 1 for white, 0 for grey. The other grids see
/// nothing, and all faces have the same place, size and points in their cell.
package enum SmallNetwork {
    /// Place of the centre in a cell, and logarithms of width and height, in cells.
    package static let box: [Float] = [0.5, 0.25, 0.693147, 1.098612]
    /// Places of the points in a cell, in cells.
    package static let points: [Float] = [0, 0, 1, 0, 0.5, 0.5, 0.125, 1, 0.875, 1]

    /// - Parameters:
    ///   - name: of the first output.
    ///   - numbers: how many numbers of each cell the boxes have.
    package static func file(firstOutput name: String = "cls_8", boxNumbers numbers: Int = 4) -> [UInt8] {
        var graph = Message()
        // The mean of the three colours, then the brightest of 2x2 pixels, five times.
        graph.tensor("mean", [1, 3, 1, 1], [1, 1, 1].map { $0 / 3 })
        graph.convolution("input", "mean", nil, to: "grey")
        var steps = [1: "grey"]
        for step in [2, 4, 8, 16, 32] {
            graph.node(
                "MaxPool", [steps[step / 2] ?? ""], "most\(step)",
                [
                    ("kernel_shape", [2, 2]), ("strides", [2, 2]),
                ])
            steps[step] = "most\(step)"
        }
        for (step, bias) in [(8, Float(-18)), (16, -1000), (32, -1000)] {
            let input = steps[step] ?? ""
            graph.tensor("sure\(step)", [1, 1, 1, 1], [0.1])
            graph.tensor("least\(step)", [1], [bias])
            let box = Array((box + [0, 0, 0, 0]).prefix(numbers))
            for (kind, values) in [("cls", [bias]), ("obj", [bias]), ("bbox", box), ("kps", points)] {
                let isScore = kind == "cls" || kind == "obj"
                let output = kind == "cls" && step == 8 ? name : "\(kind)_\(step)"
                if !isScore {
                    graph.tensor("none_\(output)", [values.count, 1, 1, 1], values.map { _ in 0 })
                    graph.tensor("all_\(output)", [values.count], values)
                }
                graph.convolution(
                    input, isScore ? "sure\(step)" : "none_\(output)", isScore ? "least\(step)" : "all_\(output)",
                    to: "map_\(output)")
                graph.node("Transpose", ["map_\(output)"], "last_\(output)", [("perm", [0, 2, 3, 1])])
                graph.tensor("sizes_\(output)", [3], wholes: [1, -1, values.count])
                graph.node("Reshape", ["last_\(output)", "sizes_\(output)"], isScore ? "cells_\(output)" : output)
                if isScore { graph.node("Sigmoid", ["cells_\(output)"], output) }
            }
        }
        graph.add(11) { $0.add(1, Array("input".utf8)) }
        var model = Message()
        model.add(1, 6)
        model.add(7, graph.bytes)
        model.add(8) { $0.add(2, 11) }
        return model.bytes
    }

    /// A message of ONNX in Protocol Buffers' wire format; numbers are below 128, or negative.
    private struct Message {
        var bytes: [UInt8] = []

        mutating func add(_ field: UInt8, _ number: Int) {
            bytes.append(field << 3 & 0x7F | (field > 15 ? 0x80 : 0))
            if field > 15 { bytes.append(field >> 4) }
            bytes += number < 0 ? [UInt8](repeating: 0xFF, count: 9) + [1] : [UInt8(number)]
        }

        mutating func add(_ field: UInt8, _ contents: [UInt8]) {
            bytes.append(field << 3 | 2)
            var rest = contents.count
            while rest >= 0x80 {
                bytes.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
            bytes += contents
        }

        mutating func add(_ field: UInt8, _ fill: (inout Message) -> Void) {
            var inner = Message()
            fill(&inner)
            add(field, inner.bytes)
        }

        mutating func tensor(_ name: String, _ sizes: [Int], _ values: [Float]) {
            tensor(
                name, sizes, type: 1,
                values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } })
        }

        mutating func tensor(_ name: String, _ sizes: [Int], wholes: [Int]) {
            tensor(
                name, sizes, type: 7,
                wholes.flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } })
        }

        private mutating func tensor(_ name: String, _ sizes: [Int], type: Int, _ bytes: [UInt8]) {
            add(5) { tensor in
                for size in sizes { tensor.add(1, size) }
                tensor.add(2, type)
                tensor.add(8, Array(name.utf8))
                tensor.add(9, bytes)
            }
        }

        mutating func convolution(_ input: String, _ weights: String, _ bias: String?, to output: String) {
            node("Conv", [input, weights] + (bias.map { [$0] } ?? []), output, [("kernel_shape", [1, 1])])
        }

        mutating func node(
            _ kind: String, _ inputs: [String], _ output: String, _ attributes: [(name: String, numbers: [Int])] = []
        ) {
            add(1) { node in
                for input in inputs { node.add(1, Array(input.utf8)) }
                node.add(2, Array(output.utf8))
                node.add(4, Array(kind.utf8))
                for attribute in attributes {
                    node.add(5) { message in
                        message.add(1, Array(attribute.name.utf8))
                        for number in attribute.numbers { message.add(8, number) }
                        message.add(20, 7)
                    }
                }
            }
        }
    }
}
