// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A scaled copy of the part of an image that shows an object and some background. The object's longer side has a fixed
/// length in the view, unless the object is very small.
struct ObjectView: Sendable {
    /// The pixels of the view, with 8 bits and 1 or 3 channels.
    let picture: Matrix<UInt8>
    /// `scale`: size of the view divided by the size of the copied part of the image. `corner`: position of the view's
    /// top left corner in the image.
    let scale: Double
    let corner: Point
    var object = Matrix<UInt8>()
    /// Contrast between each pixel and the background, in levels. Pixels in a shadow also have a contrast. Empty if the
    /// view shows too little background.
    var contrast = Matrix<Float>()
    /// Colour of the background: blue, green and red. In grey images, all three values are equal.
    var ground = SIMD3<Double>(repeating: 255)

    /// Creates a view of the part of an image around an outline; nil if the outline is outside the image.
    init?(_ image: Image, _ outline: [Point]) throws(VisionError) {
        let box = outline.bounds.intersection(image.bounds)
        guard !box.isEmpty else { return nil }
        let longer = max(box.width, box.height)
        let margin = max(
            OutlineTuning.leastMargin, Int((OutlineTuning.margin * Double(longer)).rounded(.toNearestOrEven)))
        let part = image.bounds.intersection(box.grown(by: margin))
        scale = min(OutlineTuning.mostEnlarged, OutlineTuning.side / Double(longer))
        corner = Point(Double(part.x), Double(part.y))
        picture = try image.cropped(to: part).resized(
            width: max(1, reducedLength(part.width, scale)), height: max(1, reducedLength(part.height, scale)),
            isReduced: scale < 1)
    }

    /// Maps pixels of the view to pixels of the image.
    var map: AffineMap { AffineMap(Similarity(turn: Point(1 / scale, 0), shift: corner)) }

    /// Converts a contour from the view to a polygon in the image.
    func placed(_ contour: Contour) -> [Point] {
        contour.pixels.map { Point(Double($0.x) + 0.5, Double($0.y) + 0.5) / scale + corner }
    }

    /// Converts a polygon from the image to the view.
    func polygon(_ outline: [Point]) -> [Point] { outline.map { ($0 - corner) * scale } }

    /// Returns the mean colour of the masked pixels, divided by the background's colour. The order is blue, green, red.
    /// In grey images, all three values are equal.
    func tone(_ mask: Matrix<UInt8>) -> SIMD3<Double> {
        let darkest = OutlineTuning.darkestGround
        return picture.mean(under: mask) / ground.replacing(with: darkest, where: ground .< darkest)
    }

    /// Returns the median of each channel of the masked pixels. Uses every fourth pixel of each row.
    func median(_ mask: Matrix<UInt8>) -> SIMD3<Double> {
        let channels = picture.channels
        let medians = (0..<channels).map { channel in
            var values: [Float] = []
            for y in 0..<picture.height {
                let (pixels, use) = (picture.row(y), mask.row(y))
                for x in stride(from: y % 4, to: picture.width, by: 4) where use[x] != 0 {
                    values.append(Float(pixels[x &* channels &+ channel]))
                }
            }
            return Double(quantile(values, 1, of: 2))
        }
        return medians.count == 3 ? SIMD3(medians) : SIMD3(repeating: medians.first ?? 255)
    }
}

extension Image {
    /// The image as a matrix for the functions of COpenCV. The matrix uses the pixels of the image without a copy.
    var matrix: SVCVMatrix {
        SVCVMatrix(
            data: base, width: Int32(clamping: width), height: Int32(clamping: height),
            channels: Int32(format.bytesPerPixel), kind: sv_cv_bytes, stride: stride)
    }

    /// Returns the image, resized with linear interpolation, or with area averaging if `isReduced` is true.
    func resized(width: Int, height: Int, isReduced: Bool) throws(VisionError) -> Matrix<UInt8> {
        guard !isEmpty else { return Matrix() }
        return try Matrix(width: width, height: height, channels: format.bytesPerPixel) {
            sv_cv_scale(matrix, isReduced ? sv_cv_area : sv_cv_linear, $0, $1)
        }
    }
}
