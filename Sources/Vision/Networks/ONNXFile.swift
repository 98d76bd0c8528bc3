// SPDX-License-Identifier: LGPL-2.1-or-later

/// The checked contents of an ONNX file (https://onnx.ai/onnx/repo-docs/IR.html). The network has one image as input.
///
/// OpenCV does not check the values of a file. If a tensor has fewer bytes than its sizes require, OpenCV reads out of
/// bounds. If a stride is 0, OpenCV divides by zero. Therefore this module infers the shape of every tensor, and passes
/// a new file to OpenCV. The new file contains only checked nodes and constants. OpenCV 4.6 and all later versions
/// support the operators of the new file.
package struct ONNXFile: Sendable {
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
        init(_ description: String) { self.description = description }
    }

    /// An output of the network. `name` is the output's name in the new file.
    struct Output: Equatable, Sendable {
        let name: String
        let shape: NetworkShape
    }

    let input: NetworkInput
    /// The outputs of the network, in the order of the original file.
    let outputs: [Output]
    /// The contents of the new file that is passed to OpenCV.
    package let bytes: [UInt8]

    /// Reads and checks the contents of an ONNX file.
    package init(_ bytes: [UInt8], input: NetworkInput) throws(Problem) {
        var graph = ONNXGraph(input: input)
        do {
            let messages = try ProtobufMessage(bytes[...]).bytes(7)
            guard messages.count == 1, let message = messages.first else { throw Problem("the file has no graph") }
            outputs = try graph.read(try ProtobufMessage(message))
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem("malformed or truncated ONNX file")
        }
        self.input = input
        self.bytes = graph.file(outputs: outputs)
    }
}

/// Checks the graph of a network node by node, and writes the checked graph to the new file for OpenCV.
struct ONNXGraph {
    typealias Problem = ONNXFile.Problem

    /// A tensor that a node of the graph computes.
    struct Value {
        /// The name of the tensor in the new file for OpenCV.
        let name: String
        let shape: NetworkShape
    }

    /// A node of the network, as it is written to the new file for OpenCV.
    struct Operation {
        var kind: String
        var shape: NetworkShape
        var attributes: [(name: String, value: ONNXAttribute)] = []
        /// The constant inputs of the node, with their names in the original file. In the node's list of inputs, they
        /// come after all other inputs.
        var constants: [(name: String, tensor: ONNXTensor)] = []
        /// Number of multiplications that the node needs. If the network's input may have any size, the number per
        /// input pixel.
        var products = 0.0
    }

    private static let maxNodes = 2000
    private static let inputName = "input"

    private let input: NetworkInput
    private var values: [String: Value] = [:]
    /// The constants of the network, with their names in the original file as keys. `messages` contains the unparsed
    /// messages of the file. `tensors` contains the parsed tensors that nodes use. `matrices` contains transposed
    /// copies of tensors.
    private var messages: [String: ArraySlice<UInt8>] = [:]
    private var tensors: [String: ONNXTensor] = [:]
    private var matrices: [String: ONNXTensor] = [:]
    private var products = 0.0
    private var results = 0.0
    private var valueCount = 0
    /// The names of the tensors that are already in the new file. The key consists of the tensor's sizes, a flag for
    /// transposed tensors, and the name in the original file.
    private var written: [String: String] = [:]
    private var writer = ProtobufWriter()

    init(input: NetworkInput) { self.input = input }

    /// Maximum number of multiplications (`products`) and of output values (`results`), to limit the time and memory of
    /// a run. If the network's input may have any size, the numbers are per input pixel. YuNet has about 800
    /// multiplications and 70 output values per pixel. CenterFace has 6000 multiplications and 270 output values per
    /// pixel. If the input size is fixed, the numbers are totals. MobileFaceNet has 2.3e8 multiplications and 7e6
    /// output values.
    private var limits: (products: Double, results: Double) { input == .anySize ? (10_000, 500) : (1e10, 5e7) }

    // MARK: - Reading

    /// Reads and checks the graph of the network. Returns the outputs of the graph.
    mutating func read(_ graph: ProtobufMessage) throws -> [ONNXFile.Output] {
        for bytes in try graph.bytes(5) { try add(bytes, as: try ProtobufMessage(bytes).text(8)) }
        let inputs = try graph.messages(11).map { (name: try $0.text(1), message: $0) }.filter {
            messages[$0.name] == nil
        }
        guard inputs.count == 1, let first = inputs.first else {
            throw Problem("expected one input, not \(inputs.count)")
        }
        try checkInput(first.message)
        values[first.name] = Value(name: Self.inputName, shape: .map(channels: 3, input.extent))
        let nodes = try graph.bytes(1)
        guard nodes.count <= Self.maxNodes else {
            throw Problem("\(nodes.count) nodes are more than the maximum of \(Self.maxNodes)")
        }
        for (index, node) in nodes.enumerated() {
            do {
                try add(ONNXNode(ProtobufMessage(node)))
            } catch let problem as Problem {
                throw Problem("node \(index): \(problem.description)")
            }
        }
        return try outputs(graph.messages(12).map { try $0.text(1) })
    }

    private func outputs(_ names: [String]) throws -> [ONNXFile.Output] {
        guard (1...64).contains(names.count) else { throw Problem("expected 1 to 64 outputs, not \(names.count)") }
        var outputs: [ONNXFile.Output] = []
        for name in names {
            guard let value = values[name] else { throw Problem("no node computes the output \"\(name)\"") }
            guard value.name != Self.inputName, !outputs.contains(where: { $0.name == value.name }) else {
                throw Problem("the output \"\(name)\" repeats the input or another output")
            }
            outputs.append(ONNXFile.Output(name: value.name, shape: value.shape))
        }
        return outputs
    }

    /// If the network has a fixed input size, checks that the file does not state a different size.
    private func checkInput(_ message: ProtobufMessage) throws {
        guard case .square(let side) = input, let type = try message.messages(2).first?.messages(1).first,
            let sizes = try type.messages(2).first?.messages(1)
        else { return }
        let expected = [nil, 3, side, side]
        let stated = try sizes.map { try $0.integers(1).first.map { Int(exactly: $0) ?? -1 } }
        // For a dimension of variable size, a file states a name instead of a size, or a size that is not positive.
        guard stated.count == 4, zip(stated, expected).allSatisfy({ $1 == nil || ($0 ?? 0) <= 0 || $0 == $1 }) else {
            let text = stated.map { $0.map { "\($0)" } ?? "?" }.joined(separator: "x")
            throw Problem("the input is \(text), not 1x3x\(side)x\(side)")
        }
    }

    private mutating func add(_ tensor: ArraySlice<UInt8>, as name: String) throws {
        guard messages[name] == nil, values[name] == nil else { throw Problem("two tensors are named \"\(name)\"") }
        messages[name] = tensor
    }

    private mutating func add(_ node: ONNXNode) throws {
        guard let output = node.outputs.first, node.outputs.count == 1, values[output] == nil, messages[output] == nil
        else { throw Problem("expected one output with a new name") }
        if node.kind == "Constant" {
            guard let bytes = try node.tensor("value") else { throw Problem("the constant has no tensor") }
            return try add(bytes, as: output)
        }
        let inputs = try operands(of: node)
        // Identity and Dropout change nothing outside training, and Flatten does not change a vector. So the new file
        // omits these nodes.
        if ["Identity", "Dropout"].contains(node.kind) || node.kind == "Flatten" && inputs[0].isVector {
            values[output] = inputs[0]
            return
        }
        let operation = try operation(of: node, inputs.map(\.shape))
        products += operation.products
        results += operation.shape.count
        guard products <= limits.products, results <= limits.results else { throw Problem("too many operations") }
        valueCount += 1
        let value = Value(name: "v\(valueCount)", shape: operation.shape)
        values[output] = value
        write(operation, inputs, as: value.name)
    }

    /// Returns the inputs of a node that are not constant: outputs of other nodes, or the input of the network. A node
    /// must have at least one such input, and its constant inputs must come after these inputs.
    private func operands(of node: ONNXNode) throws -> [Value] {
        let operands = node.inputs.prefix { values[$0] != nil }.compactMap { values[$0] }
        guard !operands.isEmpty else { throw Problem("\(node.kind) has an unknown input") }
        guard operands.count == (node.kind == "Add" ? 2 : 1) else {
            throw Problem("unsupported inputs of \(node.kind)")
        }
        return operands
    }

    /// Returns the constant input of a node at the position `index` in the node's list of inputs. Also returns the name
    /// of this input in the original file.
    mutating func constant(_ node: ONNXNode, _ index: Int) throws -> (name: String, tensor: ONNXTensor) {
        guard node.inputs.indices.contains(index) else { throw Problem("\(node.kind) has too few inputs") }
        let name = node.inputs[index]
        if let tensor = tensors[name] { return (name, tensor) }
        guard let bytes = messages[name] else {
            throw Problem("unsupported \(node.kind): input \(index + 1) is not constant")
        }
        let tensor = try ONNXTensor(ProtobufMessage(bytes), name: name)
        tensors[name] = tensor
        return (name, tensor)
    }

    /// Returns the transposed matrix. Computes the transposed matrix only once, even if several nodes use it.
    mutating func transposed(_ constant: (name: String, tensor: ONNXTensor)) -> (name: String, tensor: ONNXTensor) {
        let tensor = matrices[constant.name] ?? constant.tensor.transposed
        matrices[constant.name] = tensor
        return (constant.name, tensor)
    }

    // MARK: - Writing

    private mutating func write(_ operation: Operation, _ inputs: [Value], as name: String) {
        let names = inputs.map(\.name) + operation.constants.map { write($0.tensor, $0.name) }
        writer.add(1) { node in
            for name in names { node.add(1, name) }
            node.add(2, name)
            node.add(3, name)
            node.add(4, operation.kind)
            for attribute in operation.attributes { attribute.value.write(attribute.name, to: &node) }
        }
    }

    /// Returns the name of `tensor` in the new file. If the new file does not contain the tensor yet, writes the
    /// tensor.
    private mutating func write(_ tensor: ONNXTensor, _ name: String) -> String {
        let key = "\(tensor.sizes) \(tensor.isTransposed) \(name)"
        if let name = written[key] { return name }
        let new = "t\(written.count)"
        written[key] = new
        writer.add(5) { writer in
            for size in tensor.sizes { writer.add(1, size) }
            writer.add(2, tensor.kind.rawValue)
            writer.add(8, new)
            writer.add(9, tensor.bytes)
        }
        return new
    }

    func file(outputs: [ONNXFile.Output]) -> [UInt8] {
        let side = if case .square(let side) = input { side } else { 2 * NetworkInput.multiple }
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
        var graph = writer
        graph.add(2, "network")
        graph.add(11) { describe(&$0, Self.inputName, [1, 3, side, side]) }
        for output in outputs {
            graph.add(12) { describe(&$0, output.name, output.shape.sizes(width: side, height: side)) }
        }
        var model = ProtobufWriter()
        model.add(1, 6)
        model.add(7, graph.bytes)
        // The new file uses version 11 of ONNX's operator set.
        model.add(8) { set in
            set.add(1, "")
            set.add(2, 11)
        }
        return model.bytes
    }
}

extension ONNXGraph.Value {
    fileprivate var isVector: Bool { if case .vector = shape { true } else { false } }
}
