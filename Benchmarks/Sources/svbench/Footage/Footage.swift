// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Drawing
import FoundationEssentials
import Glibc
import Imaging

/// Pictures of one size that a source shows in turn.
struct Footage {
    /// Draws on a copy of a picture, frame `number` of the stream, or puts metadata on its buffer.
    typealias Completion = (
        _ number: Int, _ frame: UnsafeMutableRawPointer, _ buffer: UnsafeMutablePointer<GstBuffer>
    ) -> Void

    var byteCount: Int
    /// Number of pictures.
    var count: Int
    /// Writes picture `index`, 0 ..< `count`.
    var write: (_ index: Int, _ destination: UnsafeMutableRawPointer) throws -> Void
    /// Completes writable frames each time, others once. Metadata stays on the former only.
    var complete: Completion?
}

extension Footage {
    /// Creates footage from pictures. If pixels have four bytes they are copied, whatever their order.
    init(_ picture: Picture, as layout: FrameLayout, complete: Completion? = nil) {
        let isCopied = layout.format.packed?.bytesPerPixel == 4
        let (patch, size) = (FramePatch(), layout.size)
        let weights = OwnedImage(.gray8, width: isCopied ? 0 : size.width, height: size.height)
        fill(weights.image, color: .white)
        self.init(byteCount: layout.byteCount, count: picture.count) { index, frame in
            guard !isCopied else { return picture.write(index, to: frame) }
            let image = layout.image(frame)
            patch.read(image, image.bounds)
            picture.write(index, to: patch.image.base)
            patch.mix(into: image, weights: weights.image)
        }
        self.complete = complete
    }

    /// Creates footage from the consecutive frames in a file.
    init(ofFile file: String, byteCount: Int) throws {
        guard let bytes = FileManager.default.contents(atPath: file), bytes.count >= byteCount else {
            throw Failure("\(file) has no frame")
        }
        self.init(byteCount: byteCount, count: bytes.count / byteCount) { index, destination in
            let pointer = destination.assumingMemoryBound(to: UInt8.self)
            bytes.copyBytes(to: pointer, from: index * byteCount..<(index + 1) * byteCount)
        }
    }
}

/// Frames as GStreamer lays them out. Widths are multiples of 8, and heights of 2.
struct FrameLayout {
    let format: FrameFormat
    let size: FrameSize

    init(_ format: String, _ size: FrameSize) throws {
        guard let format = FrameFormat(name: format) else { throw Failure("no format \(format)") }
        (self.format, self.size) = (format, size)
    }

    var byteCount: Int { planes.reduce(0) { $0 + $1.stride * $1.rows } }

    private var planes: [(stride: Int, rows: Int)] {
        format.planes.map { ($0.units(width: size.width) * $0.unitBytes, $0.unitRows(height: size.height)) }
    }

    func image(_ frame: UnsafeMutableRawPointer) -> FrameImage {
        var start = frame
        let planes = planes.map { plane in
            defer { start += plane.stride * plane.rows }
            return FrameImage.Plane(base: start, stride: plane.stride)
        }
        return FrameImage(format, width: size.width, height: size.height, planes: planes)
    }
}
