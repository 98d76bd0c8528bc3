// SPDX-License-Identifier: LGPL-2.1-or-later

/// Contents of an ONNX file (https://onnx.ai/onnx/repo-docs/IR.html) with a network of YuNet's kind: convolutions,
/// maxima and sums on three grids, with the outputs that `FaceNetwork` reads.
///
/// OpenCV takes the lengths and numbers of a file as they are: a tensor of fewer bytes than its sizes say makes it read out
/// of bounds, and a step of 0 divides by it. So files are read and checked here, and OpenCV gets the valid contents,
/// written anew.
struct NetworkFile {
    struct Problem: Error {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// What a name stands for, for an input of h x w pixels.
    private enum Shape: Equatable {
        /// `channels` x h/step x w/step.
        case map(channels: Int, step: Int)
        /// h/step x w/step x `channels`.
        case last(channels: Int, step: Int)
        /// All cells of a grid with `channels` numbers each.
        case cells(channels: Int, step: Int)
    }

    private struct Tensor {
        var sizes: [Int]
        /// 1: float32, 7: int64.
        var type: Int
        var bytes: ArraySlice<UInt8>

        /// The numbers of int64, or the bits of float32.
        var numbers: [Int64] {
            let length = type == 7 ? 8 : 4
            return stride(from: bytes.startIndex, to: bytes.endIndex - length + 1, by: length).map { start in
                Int64(bitPattern: bytes[start..<start + length].reversed().reduce(0) { $0 << 8 | UInt64($1) })
            }
        }
    }

    /// The outputs, and how many numbers of each cell they have.
    private static let outputs = [("cls", 1), ("obj", 1), ("bbox", 4), ("kps", 10)].flatMap { name, channels in
        [8, 16, 32].map { (name: "\(name)_\($0)", shape: Shape.cells(channels: channels, step: $0)) }
    }
    /// Limits of the products and results of a pixel of the input, so that a search ends; YuNet has about 600 and 40.
    private static let (mostProducts, mostResults) = (10_000.0, 500.0)

    private var shapes: [String: Shape] = [:]
    private var tensors: [String: Tensor] = [:]
    private var products = 0.0
    private var results = 0.0
    /// The nodes and tensors that were checked, as they are written.
    private var graph = ProtobufWriter()
    private var written: Set<String> = []

    /// A file of what was checked, and no more.
    private(set) var bytes: [UInt8] = []

    /// Reads a file's bytes, and checks their contents.
    init(_ bytes: [UInt8]) throws(Problem) {
        do {
            let graphs = try ProtobufMessage(bytes[...]).messages(7)
            guard graphs.count == 1, let graph = graphs.first else { throw Problem("the file has no graph") }
            try read(graph)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem("malformed or truncated ONNX file")
        }
    }

    // MARK: - Reading

    private mutating func read(_ graph: ProtobufMessage) throws {
        for message in try graph.messages(5) { try add(message, as: message.text(8)) }
        let constants = Set(tensors.keys)
        let inputs = try graph.messages(11).map { try $0.text(1) }.filter { !constants.contains($0) }
        guard inputs.count == 1, let input = inputs.first else {
            throw Problem("expected one input, not \(inputs.count)")
        }
        let nodes = try graph.messages(1)
        guard nodes.count <= 2000 else { throw Problem("too many nodes, \(nodes.count)") }
        shapes[input] = .map(channels: 3, step: 1)
        for (index, node) in nodes.enumerated() {
            do {
                try add(node)
            } catch let problem as Problem {
                throw Problem("node \(index): \(problem.reason)")
            }
        }
        for output in Self.outputs {
            guard let shape = shapes[output.name] else { throw Problem("output \(output.name) is missing") }
            guard shape == output.shape else { throw Problem("unsupported shape of output \(output.name)") }
        }
        write(input: input)
    }

    private mutating func add(_ tensor: ProtobufMessage, as name: String) throws {
        let sizes = try tensor.numbers(1).map { Int(exactly: $0) ?? -1 }
        let type = try tensor.numbers(2).first ?? 0
        guard tensors[name] == nil, sizes.count <= 4, sizes.allSatisfy({ 0...4096 ~= $0 }), type == 1 || type == 7
        else {
            throw Problem("tensor \"\(name)\" has unsupported sizes or an unsupported type")
        }
        let bytes = try tensor.bytes(9).first ?? []
        guard bytes.count == sizes.reduce(type == 7 ? 8 : 4, { $0 * $1 }) else {
            throw Problem("tensor \"\(name)\" has \(bytes.count) bytes, which do not match its sizes")
        }
        tensors[name] = Tensor(sizes: sizes, type: Int(type), bytes: bytes)
    }

    private mutating func add(_ message: ProtobufMessage) throws {
        let node = try Node(message)
        guard let output = node.outputs.first, node.outputs.count == 1, shapes[output] == nil, tensors[output] == nil
        else { throw Problem("expected one new output") }
        if node.kind == "Constant" {
            guard let value = node.attributes["value"] else { throw Problem("constant without a tensor") }
            guard let tensor = try value.messages(5).first else { throw Problem("constant without a tensor") }
            return try add(tensor, as: output)
        }
        guard let first = node.inputs.first, let from = shapes[first] else { throw Problem("unknown input") }
        let (shape, kept) = try result(of: node, from)
        shapes[output] = shape
        if case .map(let channels, let step) = shape { results += Double(channels) / Double(step * step) }
        guard products <= Self.mostProducts, results <= Self.mostResults else { throw Problem("too many operations") }
        for name in node.inputs.dropFirst() where written.insert(name).inserted { write(tensor: name) }
        graph.add(1) { writer in
            for name in node.inputs { writer.add(1, name) }
            writer.add(2, output)
            writer.add(3, output)
            writer.add(4, node.kind)
            for (name, attribute) in kept {
                writer.add(5) { writer in
                    writer.add(1, name)
                    switch attribute {
                    case .number(let number):
                        writer.add(3, number)
                        writer.add(20, 2)
                    case .numbers(let numbers):
                        for number in numbers { writer.add(8, number) }
                        writer.add(20, 7)
                    case .text(let text):
                        writer.add(4, text)
                        writer.add(20, 3)
                    }
                }
            }
        }
    }

    // MARK: - Checking

    /// Returns the shape of a node's output, and the attributes that it needs.
    private mutating func result(
        of node: Node, _ from: Shape
    ) throws -> (Shape, [(name: String, Node.Attribute)]) {
        switch (node.kind, from) {
        case ("Relu", _), ("Sigmoid", _):
            guard node.inputs.count == 1 else { throw Problem("\(node.kind) has \(node.inputs.count) inputs, not one") }
            return (from, [])
        case ("Add", _):
            guard node.inputs.count == 2, shapes[node.inputs[1]] == from else {
                throw Problem("unsupported Add: the inputs have different shapes")
            }
            return (from, [])
        case ("Conv", .map(let channels, let step)): return try convolution(node, channels, step)
        case ("MaxPool", .map(let channels, let step)):
            let expected = [("kernel_shape", [2, 2]), ("pads", [0, 0, 0, 0]), ("strides", [2, 2])]
            guard node.inputs.count == 1, try expected.allSatisfy({ try node.numbers($0.0) ?? [0, 0, 0, 0] == $0.1 }),
                try (node.numbers("ceil_mode") ?? [0]) == [0], step <= 16
            else { throw Problem("unsupported MaxPool: not over 2x2 pixels") }
            return (.map(channels: channels, step: 2 * step), expected.map { ($0.0, .numbers($0.1)) })
        case ("Resize", .map(let channels, let step)):
            let scales = try tensor(node, 2, "Resize")
            guard node.inputs.count == 3, try tensor(node, 1, "Resize").sizes == [0],
                scales.sizes == [4], scales.numbers == [1, 1, 2, 2].map({ Int64(Float($0).bitPattern) }), step >= 2,
                try node.text("mode") == "nearest"
            else { throw Problem("unsupported Resize: not to twice the size") }
            let texts = [
                ("coordinate_transformation_mode", "asymmetric"), ("mode", "nearest"), ("nearest_mode", "floor"),
            ]
            return (.map(channels: channels, step: step / 2), texts.map { ($0.0, .text($0.1)) })
        case ("Transpose", .map(let channels, let step)):
            guard node.inputs.count == 1, try node.numbers("perm") == [0, 2, 3, 1] else {
                throw Problem("unsupported Transpose: the order is not 0, 2, 3, 1")
            }
            return (.last(channels: channels, step: step), [("perm", .numbers([0, 2, 3, 1]))])
        case ("Reshape", .last(let channels, let step)):
            let sizes = try tensor(node, 1, "Reshape")
            guard node.inputs.count == 2, sizes.type == 7, sizes.numbers == [1, -1, Int64(channels)] else {
                throw Problem("unsupported Reshape: the sizes are not 1, -1, \(channels)")
            }
            return (.cells(channels: channels, step: step), [])
        default: throw Problem("unsupported operator \"\(node.kind)\"")
        }
    }

    private mutating func convolution(
        _ node: Node, _ channels: Int, _ step: Int
    ) throws -> (Shape, [(name: String, Node.Attribute)]) {
        let weights = try tensor(node, 1, "Conv")
        let group = try node.numbers("group")?.first ?? 1
        let strides = try node.numbers("strides") ?? [1, 1]
        guard weights.type == 1, weights.sizes.count == 4, node.inputs.count <= 3 else {
            throw Problem("unsupported Conv: no weights")
        }
        let (count, depth, height, width) = (weights.sizes[0], weights.sizes[1], weights.sizes[2], weights.sizes[3])
        guard count > 0, depth > 0, 1...channels ~= group, depth * group == channels, count % group == 0 else {
            throw Problem("unsupported Conv: not for \(channels) channels")
        }
        let margin = height / 2
        guard height == width, [1, 3, 5, 7].contains(height),
            try node.numbers("kernel_shape") ?? [height, width] == [height, width],
            try node.numbers("pads") ?? [0, 0, 0, 0] == [margin, margin, margin, margin],
            strides == [1, 1] || strides == [2, 2], step * strides[0] <= 32,
            try node.numbers("dilations") ?? [1, 1] == [1, 1]
        else { throw Problem("unsupported Conv: kernel, padding, strides or dilations") }
        if node.inputs.count == 3 {
            let bias = try tensor(node, 2, "Conv")
            guard bias.type == 1, bias.sizes == [count] else { throw Problem("unsupported Conv: bias") }
        }
        let after = step * strides[0]
        products += Double(count * depth * height * width) / Double(after * after)
        return (
            .map(channels: count, step: after),
            [
                ("dilations", .numbers([1, 1])), ("group", .number(group)),
                ("kernel_shape", .numbers([height, width])),
                ("pads", .numbers([margin, margin, margin, margin])), ("strides", .numbers(strides)),
            ]
        )
    }

    private func tensor(_ node: Node, _ index: Int, _ kind: String) throws -> Tensor {
        guard node.inputs.indices.contains(index), let tensor = tensors[node.inputs[index]] else {
            throw Problem("\(kind) without values")
        }
        return tensor
    }

    // MARK: - Writing

    private mutating func write(tensor name: String) {
        guard let tensor = tensors[name] else { return }
        graph.add(5) { writer in
            for size in tensor.sizes { writer.add(1, size) }
            writer.add(2, tensor.type)
            writer.add(8, name)
            writer.add(9, tensor.bytes)
        }
    }

    private mutating func write(input: String) {
        func describe(_ writer: inout ProtobufWriter, _ name: String, _ sizes: [Int]) {
            writer.add(1, name)
            writer.add(2) { type in
                type.add(1) { tensor in
                    tensor.add(1, 1)
                    tensor.add(2) { shape in
                        for size in sizes { shape.add(1) { $0.add(1, size) } }
                    }
                }
            }
        }
        let side = 64
        graph.add(2, "YuNet")
        graph.add(11) { describe(&$0, input, [1, 3, side, side]) }
        for output in Self.outputs {
            guard case .cells(let channels, let step) = output.shape else { continue }
            graph.add(12) { describe(&$0, output.name, [1, side / step * (side / step), channels]) }
        }
        var model = ProtobufWriter()
        model.add(1, 6)
        model.add(7, graph.bytes)
        // Version 11 of ONNX's operators.
        model.add(8) { set in
            set.add(1, "")
            set.add(2, 11)
        }
        bytes = model.bytes
    }
}

// MARK: - Nodes

extension NetworkFile {
    private struct Node {
        enum Attribute {
            case number(Int)
            case numbers([Int])
            case text(String)
        }

        let kind: String
        let inputs: [String]
        let outputs: [String]
        let attributes: [String: ProtobufMessage]

        init(_ message: ProtobufMessage) throws {
            kind = try message.text(4)
            (inputs, outputs) = (try message.texts(1), try message.texts(2))
            var attributes: [String: ProtobufMessage] = [:]
            for attribute in try message.messages(5) { attributes[try attribute.text(1)] = attribute }
            self.attributes = attributes
        }

        /// The whole numbers of an attribute, one or several; nil without it.
        func numbers(_ name: String) throws -> [Int]? {
            try attributes[name].map { attribute in
                try (attribute.numbers(3) + attribute.numbers(8)).map { Int(exactly: $0) ?? -1 }
            }
        }

        func text(_ name: String) throws -> String? { try attributes[name]?.texts(4).first }
    }
}

extension ProtobufMessage {
    /// The contents of a field as text; empty without it.
    fileprivate func text(_ field: UInt64) throws -> String { try texts(field).first ?? "" }
}
