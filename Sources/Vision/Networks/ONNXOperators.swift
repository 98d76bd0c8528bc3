// SPDX-License-Identifier: LGPL-2.1-or-later

// Methods that check and convert the operators of a network (https://onnx.ai/onnx/operators).
extension ONNXGraph {
    /// Converts a node of the original file to a node of the new file.
    /// - Parameter inputs: the shapes of the node's inputs that are not constant. There must be at least one such
    ///   input.
    mutating func operation(of node: ONNXNode, _ inputs: [NetworkShape]) throws -> Operation {
        guard let from = inputs.first else { throw Problem("\(node.kind) has an unknown input") }
        switch (node.kind, from) {
        case ("Relu", _), ("Sigmoid", _):
            try expectInputs(node, 1...1)
            return Operation(kind: node.kind, shape: from)
        case ("Clip", _): return try clip(node, from)
        case ("Add", _):
            try expectInputs(node, 2...2)
            guard inputs == [from, from] else { throw Problem("unsupported Add: the inputs have different shapes") }
            return Operation(kind: "Add", shape: from)
        case ("Conv", .map(let channels, let extent)): return try convolution(node, channels, extent)
        case ("ConvTranspose", .map(let channels, let extent)): return try enlargement(node, channels, extent)
        case ("PRelu", .map(let channels, _)): return try slopes(node, from, channels)
        case ("BatchNormalization", .map(let channels, _)), ("BatchNormalization", .vector(let channels)):
            return try normalization(node, from, channels)
        case ("MaxPool", .map(let channels, let extent)): return try maximum(node, channels, extent)
        case ("GlobalAveragePool", .map(let channels, .fixed)):
            try expectInputs(node, 1...1)
            return Operation(kind: node.kind, shape: .map(channels: channels, .fixed(1)))
        case ("Resize", .map(let channels, let extent)): return try doubling(node, channels, extent)
        case ("Transpose", .map(let channels, let extent)):
            try expectInputs(node, 1...1)
            guard try node.integers("perm") == [0, 2, 3, 1] else {
                throw Problem("unsupported Transpose: the order must be 0, 2, 3, 1")
            }
            return Operation(
                kind: "Transpose", shape: .last(channels: channels, extent),
                attributes: [("perm", .integers([0, 2, 3, 1]))])
        case ("Reshape", .last(let channels, let extent)):
            try expectInputs(node, 2...2)
            let sizes = try constant(node, 1)
            guard sizes.tensor.integers == [1, -1, Int64(channels)] else {
                throw Problem("unsupported Reshape: the sizes must be 1, -1, \(channels)")
            }
            return Operation(kind: "Reshape", shape: .cells(channels: channels, extent), constants: [sizes])
        case ("Reshape", .map(let channels, .fixed(let side))):
            try expectInputs(node, 2...2)
            let count = channels * side * side
            guard let sizes = try constant(node, 1).tensor.integers, sizes.count == 2, [-1, 0, 1].contains(sizes[0]),
                [-1, Int64(count)].contains(sizes[1]), sizes != [-1, -1]
            else { throw Problem("unsupported Reshape: the sizes must be 1, \(count)") }
            return flattening(to: count)
        case ("Flatten", .map(let channels, .fixed(let side))):
            try expectInputs(node, 1...1)
            guard try node.integer("axis") ?? 1 == 1 else { throw Problem("unsupported Flatten: the axis must be 1") }
            return flattening(to: channels * side * side)
        case ("Gemm", .vector(let count)): return try product(node, count)
        default: throw Problem("unsupported operator \"\(node.kind)\"")
        }
    }

    private func expectInputs(_ node: ONNXNode, _ counts: ClosedRange<Int>) throws {
        guard counts.contains(node.inputs.count) else {
            throw Problem("unsupported \(node.kind): the operator has \(node.inputs.count) inputs")
        }
    }

    /// Returns a constant float input of a node. Throws an error if the sizes of the input are not `sizes`.
    private mutating func floats(_ node: ONNXNode, _ index: Int, _ sizes: [Int]) throws -> (String, ONNXTensor) {
        let constant = try constant(node, index)
        guard constant.tensor.kind == .floats, constant.tensor.sizes == sizes else {
            throw Problem("unsupported \(node.kind): wrong sizes or type of input \(index + 1)")
        }
        return constant
    }

    // MARK: - Windows

    private mutating func convolution(_ node: ONNXNode, _ channels: Int, _ extent: Extent) throws -> Operation {
        try expectInputs(node, 2...3)
        let weights = try constant(node, 1)
        let (sizes, group) = (weights.tensor.sizes, try node.integer("group") ?? 1)
        guard weights.tensor.kind == .floats, sizes.count == 4, sizes[0] > 0, sizes[1] > 0,
            (1...channels).contains(group), sizes[1] * group == channels,
            sizes[0].isMultiple(of: group)
        else { throw Problem("unsupported Conv: the weights do not match \(channels) channels") }
        let window = try window(node, sizes[2], sizes[3])
        guard let after = extent.after(window: window.side, stride: window.stride, margin: window.margin) else {
            throw Problem("unsupported Conv: wrong kernel, padding or strides")
        }
        var constants = [weights]
        if node.inputs.count == 3 { constants.append(try floats(node, 2, [sizes[0]])) }
        return Operation(
            kind: "Conv", shape: .map(channels: sizes[0], after),
            attributes: [("group", .integer(group))] + window.attributes(hasDilations: true), constants: constants,
            products: Double(weights.tensor.count) * after.area)
    }

    /// Converts a transposed convolution that doubles the sides of the feature map.
    private mutating func enlargement(_ node: ONNXNode, _ channels: Int, _ extent: Extent) throws -> Operation {
        try expectInputs(node, 2...3)
        let weights = try constant(node, 1)
        let sizes = weights.tensor.sizes
        guard weights.tensor.kind == .floats, sizes.count == 4, sizes[0] == channels, sizes[1] > 0,
            try node.integer("group") ?? 1 == 1
        else { throw Problem("unsupported ConvTranspose: the weights do not match \(channels) channels") }
        let window = try window(node, sizes[2], sizes[3])
        guard window.stride == 2, window.side == 2 + 2 * window.margin, window.side <= 8, let after = extent.doubled,
            try node.integers("output_shape") == nil, try node.square("output_padding", else: 0) == 0
        else { throw Problem("unsupported ConvTranspose: the output must have twice the size") }
        var constants = [weights]
        if node.inputs.count == 3 { constants.append(try floats(node, 2, [sizes[1]])) }
        return Operation(
            kind: "ConvTranspose", shape: .map(channels: sizes[1], after),
            attributes: [("group", .integer(1))] + window.attributes(hasDilations: true), constants: constants,
            products: Double(weights.tensor.count) * extent.area)
    }

    private mutating func maximum(_ node: ONNXNode, _ channels: Int, _ extent: Extent) throws -> Operation {
        try expectInputs(node, 1...1)
        let side = try node.square("kernel_shape", else: 0) ?? 0
        let window = try window(node, side, side)
        guard try node.integer("ceil_mode") ?? 0 == 0,
            let after = extent.after(window: window.side, stride: window.stride, margin: window.margin),
            2 * window.margin <= window.side
        else { throw Problem("unsupported MaxPool: wrong kernel, padding or strides") }
        return Operation(
            kind: "MaxPool", shape: .map(channels: channels, after),
            attributes: window.attributes(hasDilations: false))
    }

    private struct Window {
        var side, stride, margin: Int

        func attributes(hasDilations: Bool) -> [(name: String, value: ONNXAttribute)] {
            [
                ("kernel_shape", .integers([side, side])), ("pads", .integers([margin, margin, margin, margin])),
                ("strides", .integers([stride, stride])),
            ] + (hasDilations ? [("dilations", .integers([1, 1]))] : [])
        }
    }

    /// Returns the square window of a node. Throws an error if the window is not square or not supported.
    /// - Parameters:
    ///   - height: the height of the node's weights.
    ///   - width: the width of the node's weights.
    private func window(_ node: ONNXNode, _ height: Int, _ width: Int) throws -> Window {
        guard height == width, try node.square("kernel_shape", else: height) == height,
            try node.square("dilations", else: 1) == 1, ["", "NOTSET"].contains(try node.text("auto_pad") ?? ""),
            let stride = try node.square("strides", else: 1), let margin = try node.square("pads", count: 4, else: 0),
            (0...64).contains(margin)
        else { throw Problem("unsupported \(node.kind): wrong kernel, padding, strides or dilations") }
        return Window(side: height, stride: stride, margin: margin)
    }

    private mutating func doubling(_ node: ONNXNode, _ channels: Int, _ extent: Extent) throws -> Operation {
        try expectInputs(node, 3...3)
        let (region, scales) = (try floats(node, 1, [0]), try floats(node, 2, [4]))
        guard scales.1.floats == [1, 1, 2, 2], try node.text("mode") == "nearest", let after = extent.doubled else {
            throw Problem("unsupported Resize: the output must have twice the size")
        }
        let texts = [("coordinate_transformation_mode", "asymmetric"), ("mode", "nearest"), ("nearest_mode", "floor")]
        return Operation(
            kind: "Resize", shape: .map(channels: channels, after),
            attributes: texts.map { ($0.0, .text($0.1)) }, constants: [region, scales])
    }

    // MARK: - Numbers

    /// Converts a Clip node. OpenCV 4.6 supports the limits of this operator only as attributes. So the new node has
    /// the limits as attributes, even if the original node has them as inputs.
    private mutating func clip(_ node: ONNXNode, _ from: NetworkShape) throws -> Operation {
        try expectInputs(node, 1...3)
        func limit(_ index: Int, _ name: String, _ usual: Float) throws -> Float {
            guard node.inputs.indices.contains(index), !node.inputs[index].isEmpty else {
                return try node.float(name) ?? usual
            }
            guard let floats = try constant(node, index).tensor.floats, floats.count == 1 else { return .nan }
            return floats[0]
        }
        let greatest = Float.greatestFiniteMagnitude
        let (minimum, maximum) = (try limit(1, "min", -greatest), try limit(2, "max", greatest))
        guard minimum <= maximum else {
            throw Problem("unsupported Clip: the limits must be two numbers, the smaller one first")
        }
        return Operation(kind: "Clip", shape: from, attributes: [("min", .float(minimum)), ("max", .float(maximum))])
    }

    private mutating func slopes(_ node: ONNXNode, _ from: NetworkShape, _ channels: Int) throws -> Operation {
        try expectInputs(node, 2...2)
        var slopes = try constant(node, 1)
        let (sizes, count) = (slopes.tensor.sizes, slopes.tensor.count)
        // A PRelu node may have one slope per channel. The last three dimensions must then be channels, 1 and 1.
        let isPerChannel = count == channels && sizes.reversed().firstIndex(of: channels) == 2
        guard slopes.tensor.kind == .floats, count == 1 || isPerChannel else {
            throw Problem("unsupported PRelu: the operator must have one slope for each of \(channels) channels")
        }
        slopes.tensor.sizes = [count, 1, 1]
        return Operation(kind: "PRelu", shape: from, constants: [slopes])
    }

    private mutating func normalization(_ node: ONNXNode, _ from: NetworkShape, _ channels: Int) throws -> Operation {
        try expectInputs(node, 5...5)
        let epsilon = try node.float("epsilon") ?? 1e-5
        guard epsilon.isFinite, epsilon >= 0, try node.integer("training_mode") ?? 0 == 0,
            try node.integer("spatial") ?? 1 == 1
        else { throw Problem("unsupported BatchNormalization: wrong epsilon or mode") }
        return Operation(
            kind: "BatchNormalization", shape: from, attributes: [("epsilon", .float(epsilon))],
            constants: try (1...4).map { try floats(node, $0, [channels]) })
    }

    private func flattening(to count: Int) -> Operation {
        Operation(kind: "Flatten", shape: .vector(count), attributes: [("axis", .integer(1))])
    }

    /// Converts a Gemm node: the product of a vector and a matrix.
    private mutating func product(_ node: ONNXNode, _ count: Int) throws -> Operation {
        try expectInputs(node, 2...3)
        let isTransposed = try node.integer("transB") ?? 0 != 0
        let weights = try constant(node, 1)
        let sizes = weights.tensor.sizes
        guard weights.tensor.kind == .floats, sizes.count == 2, sizes[isTransposed ? 1 : 0] == count,
            sizes[isTransposed ? 0 : 1] > 0, try node.integer("transA") ?? 0 == 0, try node.float("alpha") ?? 1 == 1,
            try node.float("beta") ?? 1 == 1
        else { throw Problem("unsupported Gemm: wrong factors, or weights that do not match \(count) numbers") }
        let results = sizes[isTransposed ? 0 : 1]
        // OpenCV 4.6 misinterprets a matrix without the attribute transB. So write every matrix in transposed form,
        // with transB.
        var constants = [isTransposed ? weights : transposed(weights)]
        if node.inputs.count == 3 {
            var bias = try constant(node, 2)
            guard bias.tensor.kind == .floats, bias.tensor.sizes == [results] || bias.tensor.sizes == [1, results]
            else {
                throw Problem("unsupported Gemm: wrong sizes or type of input 3")
            }
            bias.tensor.sizes = [results]
            constants.append(bias)
        }
        return Operation(
            kind: "Gemm", shape: .vector(results), attributes: [("transB", .integer(1))],
            constants: constants, products: Double(weights.tensor.count))
    }
}
