// SPDX-License-Identifier: LGPL-2.1-or-later

/// A constant tensor of an ONNX file. The tensor has at most four dimensions.
struct ONNXTensor {
    enum Kind: Int {
        case floats = 1
        case integers = 7

        var length: Int { self == .floats ? 4 : 8 }
    }

    var sizes: [Int]
    let kind: Kind
    private(set) var bytes: ArraySlice<UInt8>
    private(set) var isTransposed = false

    init(_ message: ProtobufMessage, name: String) throws {
        let sizes = try message.integers(1).map { Int(exactly: $0) ?? -1 }
        guard sizes.count <= 4, sizes.allSatisfy({ 0...65536 ~= $0 }),
            let kind = Kind(rawValue: try message.integers(2).first.flatMap { Int(exactly: $0) } ?? 0)
        else { throw ONNXFile.Problem("tensor \"\(name)\" has unsupported sizes or an unsupported type") }
        var bytes = try message.bytes(9).first ?? []
        if bytes.isEmpty, kind == .floats { bytes = try message.floats(4)[...] }
        // Each size is at most 65536. So only the multiplication by the fourth size can overflow.
        let count = sizes.reduce((kind.length, false)) { product, size in
            let (value, overflow) = product.0.multipliedReportingOverflow(by: size)
            return (value, product.1 || overflow)
        }
        guard !count.1, bytes.count == count.0 else {
            throw ONNXFile.Problem("tensor \"\(name)\" has \(bytes.count) bytes, which do not match the shape")
        }
        (self.sizes, self.kind, self.bytes) = (sizes, kind, bytes)
    }

    var count: Int { bytes.count / kind.length }

    /// The transposed matrix. If the tensor is not a matrix (two dimensions), the unchanged tensor.
    var transposed: ONNXTensor {
        guard sizes.count == 2 else { return self }
        var result = self
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.bytes.count)
        for column in 0..<sizes[1] {
            for row in 0..<sizes[0] {
                let first = self.bytes.startIndex + (row * sizes[1] + column) * kind.length
                bytes += self.bytes[first..<first + kind.length]
            }
        }
        (result.bytes, result.sizes, result.isTransposed) = (bytes[...], sizes.reversed(), !isTransposed)
        return result
    }

    /// The bit pattern of each element. The elements are int64 or float32 values.
    private var bits: [UInt64] {
        stride(from: bytes.startIndex, to: bytes.endIndex, by: kind.length).map { start in
            bytes[start..<start + kind.length].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The elements of an integer tensor. Nil for a float tensor.
    var integers: [Int64]? { kind == .integers ? bits.map { Int64(bitPattern: $0) } : nil }

    /// The elements of a float tensor. Nil for an integer tensor.
    var floats: [Float]? {
        kind == .floats ? bits.map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) } : nil
    }
}

/// The value of an attribute of a node in the new file for OpenCV.
enum ONNXAttribute {
    case integer(Int)
    case integers([Int])
    case float(Float)
    case text(String)

    func write(_ name: String, to node: inout ProtobufWriter) {
        node.add(5) { writer in
            writer.add(1, name)
            switch self {
            case .float(let number):
                writer.add(2, number)
                writer.add(20, 1)
            case .integer(let number):
                writer.add(3, number)
                writer.add(20, 2)
            case .text(let text):
                writer.add(4, text)
                writer.add(20, 3)
            case .integers(let integers):
                for number in integers { writer.add(8, number) }
                writer.add(20, 7)
            }
        }
    }
}

/// A node of the graph in the original ONNX file.
struct ONNXNode {
    let kind: String
    let inputs: [String]
    let outputs: [String]
    private let attributes: [String: ProtobufMessage]

    init(_ message: ProtobufMessage) throws {
        kind = try message.text(4)
        (inputs, outputs) = (try message.texts(1), try message.texts(2))
        var attributes: [String: ProtobufMessage] = [:]
        for attribute in try message.messages(5) { attributes[try attribute.text(1)] = attribute }
        self.attributes = attributes
    }

    /// Returns the integers of the node's attribute `name`. Returns nil if the node does not have the attribute.
    func integers(_ name: String) throws -> [Int]? {
        try attributes[name].map { attribute in
            try (attribute.integers(3) + attribute.integers(8)).map { Int(exactly: $0) ?? -1 }
        }
    }

    /// Returns the first integer of the node's attribute `name`. Returns nil if the node does not have the attribute.
    /// If the attribute has no value, returns 0, because a file may omit the value 0.
    func integer(_ name: String) throws -> Int? { try integers(name).map { $0.first ?? 0 } }

    /// Returns the float value of the node's attribute `name`. Returns nil if the node does not have the attribute.
    func float(_ name: String) throws -> Float? {
        guard let attribute = attributes[name] else { return nil }
        let bits = try attribute.floats(2).prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Float(bitPattern: bits)
    }

    func text(_ name: String) throws -> String? { try attributes[name]?.texts(4).first }

    /// Returns the bytes of the node's tensor attribute `name`. Returns nil if the node does not have the attribute.
    func tensor(_ name: String) throws -> ArraySlice<UInt8>? { try attributes[name]?.bytes(5).first }

    /// Returns the common value of an attribute that consists of `count` equal integers, such as the sides of a square.
    /// Returns nil if the attribute has another number of integers, or if the integers are not equal.
    /// - Parameter usual: the result if the node does not have the attribute.
    func square(_ name: String, count: Int = 2, else usual: Int) throws -> Int? {
        guard let integers = try integers(name) else { return usual }
        guard integers.count == count, let first = integers.first else { return nil }
        return integers.allSatisfy { $0 == first } ? first : nil
    }
}
