// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing
import Text

/// A frame of any format in its own memory. Initially, all bytes have the same value.
final class Canvas {
    let format: FrameFormat
    let width: Int
    let height: Int
    let start: UInt8
    private let planes: [UnsafeMutableRawBufferPointer]

    init(_ format: FrameFormat, width: Int, height: Int, value: UInt8) {
        self.format = format
        self.width = width
        self.height = height
        start = value
        planes = format.planes.map { layout in
            let memory = UnsafeMutableRawBufferPointer.allocate(
                byteCount: layout.units(width: width) * layout.unitBytes * layout.unitRows(height: height), alignment: 1
            )
            memory.initializeMemory(as: UInt8.self, repeating: value)
            return memory
        }
    }

    deinit { for plane in planes { plane.deallocate() } }

    var frame: FrameImage {
        FrameImage(
            format, width: width, height: height,
            planes: zip(format.planes, planes).compactMap { layout, memory in
                memory.baseAddress.map { .init(base: $0, stride: layout.units(width: width) * layout.unitBytes) }
            })
    }

    /// The bytes of a pixel in the first plane. For YUV formats, this is only luma.
    subscript(x: Int, y: Int) -> [UInt8] {
        let layout = format.planes[0]
        let stride = layout.units(width: width) * layout.unitBytes
        if format.name == "YUY2" { return [planes[0][y * stride + 2 * x]] }
        return Array(planes[0][y * stride + x * layout.unitBytes..<y * stride + (x + 1) * layout.unitBytes])
    }

    /// The bounds of all pixels with a changed byte in any plane.
    var changed: Rectangle {
        var (left, top, right, bottom) = (Int.max, Int.max, Int.min, Int.min)
        for (layout, memory) in zip(format.planes, planes) {
            let stride = layout.units(width: width) * layout.unitBytes
            for (index, byte) in memory.enumerated() where byte != start {
                let (x, y) = (index % stride / layout.unitBytes * layout.columns, index / stride * layout.rows)
                (left, right) = (min(left, x), max(right, x + layout.columns))
                (top, bottom) = (min(top, y), max(bottom, y + layout.rows))
            }
        }
        guard left < right else { return Rectangle(width: 0, height: 0) }
        return Rectangle(x: left, y: top, width: right - left, height: bottom - top)
    }
}

extension Stamp {
    /// Draws the stamp on a grey background. Returns the BGRA pixels row by row.
    func drawn(on level: UInt8) -> [[UInt8]] {
        let canvas = Canvas(.init(.bgra), width: bounds.width, height: bounds.height, value: level)
        draw(on: canvas.frame, x: 0, y: 0)
        return (0..<bounds.height).flatMap { y in (0..<bounds.width).map { canvas[$0, y] } }
    }

    /// The coverage of each pixel, 0–255.
    var coverage: [UInt8] { drawn(on: 0).map { $0[3] } }
}

let white = Color.white

func painter(_ font: String = "Sans 20px", cachedStamps: Int = 256, cachedBytes: Int = 16 << 20) throws -> TextPainter {
    try #require(TextPainter(font: font, cachedStamps: cachedStamps, cachedBytes: cachedBytes), "no fonts here")
}
