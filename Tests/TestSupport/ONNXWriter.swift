// SPDX-License-Identifier: LGPL-2.1-or-later

/// Writes ONNX files with small networks.
package struct ONNXWriter {
    /// The value of a node's attribute.
    package enum Attribute {
        case whole(Int)
        case wholes([Int])
        case float(Float)
        case text(String)
        case tensor([Int], [Float])
    }

    private var graph = Message()

    package init() {}

    package mutating func tensor(_ name: String, _ sizes: [Int], _ values: [Float]) {
        graph.add(5) { $0.tensor(name, sizes, type: 1, Message.bytes(of: values)) }
    }

    package mutating func tensor(_ name: String, _ sizes: [Int], wholes: [Int]) {
        let bytes = wholes.flatMap { value in (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        graph.add(5) { $0.tensor(name, sizes, type: 7, bytes) }
    }

    package mutating func node(
        _ kind: String, _ inputs: [String], _ output: String, _ attributes: [(name: String, value: Attribute)] = []
    ) {
        graph.add(1) { node in
            for input in inputs { node.add(1, Array(input.utf8)) }
            node.add(2, Array(output.utf8))
            node.add(4, Array(kind.utf8))
            for attribute in attributes {
                node.add(5) { message in
                    message.add(1, Array(attribute.name.utf8))
                    switch attribute.value {
                    case .float(let number): message.add(2, number)
                    case .whole(let number): message.add(3, number)
                    case .text(let text): message.add(4, Array(text.utf8))
                    case .wholes(let numbers): for number in numbers { message.add(8, number) }
                    case .tensor(let sizes, let values):
                        message.add(5) { $0.tensor("", sizes, type: 1, Message.bytes(of: values)) }
                    }
                }
            }
        }
    }

    package mutating func convolution(_ input: String, _ weights: String, _ bias: String?, to output: String) {
        node("Conv", [input, weights] + (bias.map { [$0] } ?? []), output, [("kernel_shape", .wholes([1, 1]))])
    }

    package mutating func output(_ name: String) { graph.add(12) { $0.add(1, Array(name.utf8)) } }

    /// Returns the ONNX file. `input` is the name of the network's input, and `sizes` are the sizes of its dimensions.
    package func file(input: String, _ sizes: [Int] = []) -> [UInt8] {
        var graph = graph
        graph.add(11) { value in
            value.add(1, Array(input.utf8))
            guard !sizes.isEmpty else { return }
            value.add(2) { type in
                type.add(1) { tensor in
                    tensor.add(1, 1)
                    tensor.add(2) { shape in for size in sizes { shape.add(1) { $0.add(1, size) } } }
                }
            }
        }
        var model = Message()
        model.add(1, 6)
        model.add(7, graph.bytes)
        model.add(8) { $0.add(2, 11) }
        return model.bytes
    }

    /// An ONNX message in the wire format of Protocol Buffers.
    private struct Message {
        var bytes: [UInt8] = []

        private mutating func number(_ number: UInt64) {
            var rest = number
            while rest >= 0x80 {
                bytes.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }

        mutating func add(_ field: UInt64, _ value: Int) {
            number(field << 3)
            number(UInt64(bitPattern: Int64(value)))
        }

        mutating func add(_ field: UInt64, _ value: Float) {
            number(field << 3 | 5)
            bytes += Self.bytes(of: [value])
        }

        mutating func add(_ field: UInt64, _ contents: [UInt8]) {
            number(field << 3 | 2)
            number(UInt64(contents.count))
            bytes += contents
        }

        mutating func add(_ field: UInt64, _ fill: (inout Message) -> Void) {
            var inner = Message()
            fill(&inner)
            add(field, inner.bytes)
        }

        mutating func tensor(_ name: String, _ sizes: [Int], type: Int, _ bytes: [UInt8]) {
            for size in sizes { add(1, size) }
            add(2, type)
            add(8, Array(name.utf8))
            add(9, bytes)
        }

        static func bytes(of values: [Float]) -> [UInt8] {
            values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }
        }
    }
}
