// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Drawing
import Imaging

/// Memory for a scaled copy of a frame: BGR, or grey if the frame is grey. The plane allocates new memory only if the
/// size of the copy grows.
final class ColorPlane {
    private let memory = OwnedImage(.bgr)
    private let patch = FramePatch()
    private var reduced: [OwnedImage] = []
    /// The scaled copy. Valid until the size changes or the plane is released.
    var image: Image { memory.image }

    /// Fills the image with `frame`, scaled with OpenCV's area interpolation. If a side of the result is less than half
    /// a pixel, the image becomes empty.
    /// - Parameter scale: the scale in both directions, at most 1.
    func fill(_ frame: FrameImage, reducedBy scale: Double) throws(VisionError) {
        memory.resize(
            width: reducedLength(frame.width, scale), height: reducedLength(frame.height, scale),
            format: frame.format.isGray ? .gray8 : .bgr)
        guard !image.isEmpty else { return }
        if let pixels = frame.packed { return try fill(pixels, reducedBy: scale) }
        if let reduced = try reducedPlanes(frame, by: scale) {
            patch.read(reduced, reduced.bounds)
            return try fill(patch.image, reducedBy: 1)
        }
        patch.read(frame, frame.bounds)
        try fill(patch.image, reducedBy: scale)
    }

    private func fill(_ pixels: Image, reducedBy scale: Double) throws(VisionError) {
        let format = pixels.format
        guard format.isGray else {
            return try check {
                sv_cv_colors(
                    pixels.openCV, Int32(format.red), Int32(format.green), Int32(format.blue), scale, image.openCV, $0)
            }
        }
        guard scale != 1 else { return image.copy(from: pixels) }
        try check { sv_cv_reduce(pixels.openCV, scale, scale, image.openCV, $0) }
    }

    /// Scales the planes of a YUV frame to the size of `image`, with one chroma sample per pixel. Scaling before the
    /// conversion to colours is faster, because fewer bytes are averaged and fewer pixels are converted. Returns nil if
    /// the chroma planes would have to be enlarged. Also returns nil if the pixel at the top left corner shares its
    /// chroma sample with a cropped pixel.
    private func reducedPlanes(_ frame: FrameImage, by scale: Double) throws(VisionError) -> FrameImage? {
        let window = frame.window
        guard scale < 1, let format = frame.format.withFullChroma,
            frame.format.planes.allSatisfy({
                scale * Double(max($0.columns, $0.rows)) <= 1 && window.x % $0.columns == 0 && window.y % $0.rows == 0
            })
        else { return nil }
        var planes: [FrameImage.Plane] = []
        for (index, (layout, plane)) in zip(frame.format.planes, frame.planes).enumerated() {
            if reduced.count == index { reduced.append(OwnedImage(.gray8)) }
            let first = window.y / layout.rows * plane.stride + window.x / layout.columns * layout.unitBytes
            let (width, height) = (layout.units(width: frame.width), layout.unitRows(height: frame.height))
            let (across, down) = (scale * Double(layout.columns), scale * Double(layout.rows))
            let input = SVCVImage(
                plane.base + first, width: width, height: height, stride: plane.stride, channels: layout.samples.count)
            // If the last chroma sample of a row or column covers pixels beyond the edge of the frame, the chroma
            // plane may have one more column or row than `image`.
            let (columns, rows) = (reducedLength(width, across), reducedLength(height, down))
            reduced[index].resize(width: columns * layout.samples.count, height: rows)
            let bytes = reduced[index].image
            guard columns >= image.width, rows >= image.height, !bytes.isEmpty else { return nil }
            let output = SVCVImage(
                bytes.base, width: columns, height: rows, stride: bytes.stride, channels: layout.samples.count)
            try check { sv_cv_reduce(input, across, down, output, $0) }
            planes.append(FrameImage.Plane(base: bytes.base, stride: bytes.stride))
        }
        return FrameImage(
            format, width: image.width, height: image.height, planes: planes, colorimetry: frame.colorimetry)
    }
}

extension SVCVImage {
    fileprivate init(_ base: UnsafeMutableRawPointer, width: Int, height: Int, stride: Int, channels: Int) {
        self.init(
            data: base.assumingMemoryBound(to: UInt8.self), width: Int32(clamping: width),
            height: Int32(clamping: height), stride: stride, channels: Int32(clamping: channels))
    }
}
