// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import TestSupport
import Testing
import Vision

@Suite("Laplacian edges")
struct LaplacianEdgesTests {
    /// An image whose memory belongs to the test, with padding.
    private final class Memory {
        let image: Image
        private let bytes: UnsafeMutableRawBufferPointer

        init(_ frame: TestFrame, padding: Int) throws {
            let row = frame.width * frame.format.bytesPerPixel
            bytes = .allocate(byteCount: (row + padding) * frame.height, alignment: 1)
            bytes.initializeMemory(as: UInt8.self, repeating: 0xA5)
            image = Image(
                base: try #require(bytes.baseAddress), width: frame.width, height: frame.height, stride: row + padding,
                format: frame.format)
            for y in 0..<frame.height {
                for x in 0..<row { image.row(y)[x] = frame.bytes[y * row + x] }
            }
        }

        deinit { bytes.deallocate() }

        var isIntactAround: Bool {
            (0..<image.height).allSatisfy { y in
                (image.rowBytes..<image.stride).allSatisfy { image.row(y)[$0] == 0xA5 }
            }
        }
    }

    @Test(
        "By its definition, on any picture", arguments: [PixelFormat.gray8, .rgb, .bgra, .xrgb],
        [(1, 1), (2, 2), (1, 7), (5, 1), (3, 4), (17, 9), (64, 33)])
    func definition(_ format: PixelFormat, _ size: (Int, Int)) throws {
        for (padding, seed) in [(0, 1), (1, 2), (13, 3)] {
            let frame = TestFrame(format, size.0, size.1, seed: UInt64(seed))
            let input = try Memory(frame, padding: padding)
            let output = try Memory(TestFrame(format, size.0, size.1, seed: 9), padding: padding * 2)
            try laplacianEdges(of: input.image, into: output.image)
            #expect(TestFrame(output.image) == referenceStencil(of: frame))
            #expect(TestFrame(input.image) == frame)
            #expect(input.isIntactAround && output.isIntactAround)
        }
    }

    @Test("A line on black glows at its sides, a plain picture stays black")
    func shapes() throws {
        let plain = try Memory(TestFrame(.gray8, 9, 9) { _, _ in [90] }, padding: 0)
        let output = try Memory(TestFrame(.gray8, 9, 9, seed: 4), padding: 0)
        try laplacianEdges(of: plain.image, into: output.image)
        #expect(TestFrame(output.image).bytes.allSatisfy { $0 == 0 })
        // A vertical line of level 160. The blur makes it 10, 40, 60, 40, 10. The filter computes 4 · (left + right) −
        // 8 · centre.
        let line = try Memory(TestFrame(.gray8, 9, 9) { x, _ in [x == 4 ? 160 : 0] }, padding: 0)
        try laplacianEdges(of: line.image, into: output.image)
        for y in 0..<9 {
            #expect(TestFrame(output.image).part(0, y, 9, 1).bytes == [0, 40, 80, 0, 0, 0, 80, 40, 0])
        }
    }

    @Test("Pictures that do not fit each other are an error")
    func mismatch() throws {
        let input = try Memory(TestFrame(.bgra, 8, 8, seed: 5), padding: 0)
        let others = [
            TestFrame(.bgra, 8, 9, seed: 6), TestFrame(.bgra, 7, 8, seed: 6), TestFrame(.gray8, 8, 8, seed: 6),
        ]
        for other in others {
            let output = try Memory(other, padding: 0)
            let error = #expect(throws: VisionError.self) { try laplacianEdges(of: input.image, into: output.image) }
            #expect(error?.description.isEmpty == false)
            #expect(TestFrame(output.image) == other)
        }
    }

    @Test("An empty picture has no edges")
    func empty() throws {
        let memory = try Memory(TestFrame(.bgra, 4, 4, seed: 7), padding: 0)
        let empty = memory.image.cropped(to: Rectangle(x: 9, y: 9, width: 4, height: 4))
        #expect(empty.isEmpty)
        try laplacianEdges(of: empty, into: empty)
        #expect(TestFrame(memory.image) == TestFrame(.bgra, 4, 4, seed: 7))
    }

    @Test("An impossible size is an error, not a crash")
    func impossible() throws {
        let memory = try Memory(TestFrame(.gray8, 4, 4, seed: 8), padding: 0)
        // OpenCV does not support this size.
        let huge = Image(
            base: memory.image.base, width: Int(Int32.max) + 10, height: 2, stride: Int(Int32.max) + 10, format: .gray8)
        #expect(throws: VisionError.self) { try laplacianEdges(of: huge, into: memory.image) }
    }
}
