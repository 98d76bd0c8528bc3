// SPDX-License-Identifier: LGPL-2.1-or-later
import TestSupport
import Testing
@testable import Vision

@Suite("Networks: the check of ONNX files")
struct ONNXFileTests {
    private func problem(input: NetworkInput = .anySize, _ fill: (inout ONNXWriter) -> Void) throws -> String {
        var writer = ONNXWriter()
        fill(&writer)
        let file = writer.file(input: "image")
        return try #require(throws: ONNXFile.Problem.self) { try ONNXFile(file, input: input) }.description
    }

    @Test("A checked file is checked again without a change")
    func stable() throws {
        for (file, input) in [
            (SmallNetwork.file(), NetworkInput.anySize), (SmallCenterFace.file(), .anySize),
            (SmallEmbedding.file(), .square(112)),
        ] {
            let once = try ONNXFile(file, input: input)
            let twice = try ONNXFile(once.bytes, input: input)
            #expect(twice.bytes == once.bytes && twice.outputs == once.outputs)
        }
    }

    @Test("Limits of Clip become attributes, and a dropout disappears")
    func normalised() throws {
        let text = String(decoding: try ONNXFile(SmallEmbedding.file(), input: .square(112)).bytes, as: UTF8.self)
        #expect(text.contains("Clip") && text.contains("min") && text.contains("max"))
        #expect(!text.contains("Dropout") && !text.contains("Constant"))
        // OpenCV does not get the names of the file.
        #expect(!text.contains("limited") && !text.contains("slope"))
    }

    @Test("The outputs have the shapes of the nodes")
    func shapes() throws {
        #expect(try ONNXFile(SmallEmbedding.file(), input: .square(112)).outputs.map(\.shape) == [.vector(3)])
        let maps = try ONNXFile(SmallCenterFace.file(), input: .anySize).outputs.map(\.shape)
        #expect(maps == [1, 2, 2, 10].map { .map(channels: $0, .step(4)) })
        #expect(maps[3].sizes(width: 96, height: 64) == [1, 10, 16, 24])
    }

    @Test("A graph that no network can be is refused with the reason")
    func graphs() throws {
        #expect(try problem { $0.node("Relu", ["image"], "a") } == "expected 1 to 64 outputs, not 0")
        #expect(try problem { $0.output("face") } == "no node computes the output \"face\"")
        #expect(try problem { $0.output("image") } == "the output \"image\" repeats the input or another output")
        let twice = try problem { writer in
            writer.node("Relu", ["image"], "a")
            writer.node("Identity", ["a"], "b")
            writer.output("a")
            writer.output("b")
        }
        #expect(twice == "the output \"b\" repeats the input or another output")
        #expect(try problem { $0.node("Relu", ["none"], "a") } == "node 0: Relu has an unknown input")
        #expect(try problem { $0.node("Relu", ["image"], "image") } == "node 0: expected one output with a new name")
        let many = try problem { writer in for index in 0...2000 { writer.node("Relu", ["image"], "\(index)") } }
        #expect(many == "2001 nodes are more than the maximum of 2000")
    }

    @Test("Nodes with numbers that do not fit are refused with the operator")
    func nodes() throws {
        func convolution(
            _ sizes: [Int], values: Int? = nil, _ attributes: [(name: String, value: ONNXWriter.Attribute)] = []
        ) throws -> String {
            try problem { writer in
                let count = values ?? sizes.reduce(1, *)
                writer.tensor("weights", sizes, [Float](repeating: 1, count: count))
                writer.node("Conv", ["image", "weights"], "a", attributes)
            }
        }
        #expect(try convolution([4, 3, 1, 1], values: 11).contains("44 bytes, which do not match the shape"))
        #expect(try convolution([4, 3, -1, 1], values: 12).contains("unsupported sizes"))
        #expect(try convolution([1 << 16, 1 << 16, 1 << 16, 1 << 16], values: 1).contains("do not match the shape"))
        #expect(try convolution([4, 2, 1, 1]) == "node 0: unsupported Conv: the weights do not match 3 channels")
        for attribute in [
            ("strides", ONNXWriter.Attribute.wholes([0, 0])), ("strides", .wholes([1, 2])),
            ("pads", .wholes([-1, 0, 0, 0])),
            ("pads", .wholes([0, 0, 0, 0])), ("dilations", .wholes([2, 2])), ("kernel_shape", .wholes([1, 1])),
            ("auto_pad", .text("SAME_UPPER")), ("group", .whole(0)), ("group", .whole(-3)),
        ] {
            #expect(try convolution([4, 3, 3, 3], [attribute]).hasPrefix("node 0: unsupported Conv: "), "\(attribute)")
        }
        #expect(try convolution([4096, 3, 1, 1]) == "node 0: too many operations")
        #expect(try problem { $0.node("Clip", ["image"], "a", [("min", .float(.nan))]) }.contains("unsupported Clip"))
        #expect(
            try problem { $0.node("Clip", ["image"], "a", [("min", .float(1)), ("max", .float(0))]) }
                .contains("the limits must be two numbers, the smaller one first"))
        #expect(try problem { $0.node("MaxPool", ["image"], "a") }.contains("unsupported MaxPool"))
        // Flatten requires an input of fixed size.
        #expect(try problem { $0.node("Flatten", ["image"], "a") } == "node 0: unsupported operator \"Flatten\"")
        let sum = try problem { writer in
            writer.node("MaxPool", ["image"], "a", [("kernel_shape", .wholes([2, 2])), ("strides", .wholes([2, 2]))])
            writer.node("Add", ["a", "image"], "b")
        }
        #expect(sum == "node 1: unsupported Add: the inputs have different shapes")
    }
}
