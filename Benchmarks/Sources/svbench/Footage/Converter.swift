import Glibc
import Imaging

/// Frames as GStreamer lays them out. Widths are multiples of 8, and heights of 2.
struct FrameLayout {
    let format: FrameFormat
    let size: FrameSize

    init(_ format: String, _ size: FrameSize) throws {
        guard let format = FrameFormat(name: format) else { throw Failure("no format \(format)") }
        self.format = format
        self.size = size
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

/// Writes pictures of four bytes a pixel as frames of any format.
struct Converter {
    private let patch = FramePatch()
    private let weights: OwnedImage

    init(_ size: FrameSize) {
        weights = OwnedImage(.gray8, width: size.width, height: size.height)
        fill(weights.image, color: .white)
    }

    func write(_ picture: Picture, _ index: Int, to frame: FrameImage) {
        patch.read(frame, frame.bounds)
        for y in 0..<patch.image.height { picture.write(index, rows: y..<y + 1, to: patch.image.row(y)) }
        patch.mix(into: frame, weights: weights.image)
    }
}

extension Footage {
    /// Returns the pictures in a format. If pixels have four bytes they are copied, whatever their order.
    init(_ picture: Picture, as layout: FrameLayout) {
        if layout.format.packed?.bytesPerPixel == 4 {
            self.init(byteCount: layout.byteCount, count: picture.count) { picture.write($0, to: $1) }
        } else {
            let converter = Converter(layout.size)
            self.init(byteCount: layout.byteCount, count: picture.count) { index, frame in
                converter.write(picture, index, to: layout.image(frame))
            }
        }
    }
}
