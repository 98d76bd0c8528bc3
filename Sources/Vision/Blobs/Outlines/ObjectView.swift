// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// A part of an image that shows an object with a little ground, at a size that does not depend on the image's.
struct ObjectView: Sendable {
    /// 8 bits, 1 or 3 channels.
    let picture: Matrix<UInt8>
    /// Pixels of the view per pixel of the image, and the view's corner in the image.
    let scale: Double
    let corner: Point
    /// Mask of the object.
    var object = Matrix<UInt8>()
    /// Contrast of each pixel to the ground, of shadows as well, in levels; empty if there is too little ground.
    var contrast = Matrix<Float>()
    /// Colour of the ground: blue, green and red; grey has one value in all three.
    var ground = SIMD3<Double>(repeating: 255)

    /// Views the part of an image around an outline; nil if the outline is outside the image.
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

    /// Maps pixels of the view to those of the image.
    var map: AffineMap { AffineMap(Similarity(turn: Point(1 / scale, 0), shift: corner)) }

    /// Returns a contour of a mask as a polygon in the image.
    func placed(_ contour: Contour) -> [Point] {
        contour.pixels.map { Point(Double($0.x) + 0.5, Double($0.y) + 0.5) / scale + corner }
    }

    /// Returns a polygon in the image as one in the view.
    func polygon(_ outline: [Point]) -> [Point] { outline.map { ($0 - corner) * scale } }

    /// Returns the mean colour of some pixels as a fraction of the ground's: blue, green and red; grey has one value in all
    /// three.
    func tone(_ mask: Matrix<UInt8>) -> SIMD3<Double> {
        let darkest = OutlineTuning.darkestGround
        return picture.mean(under: mask) / ground.replacing(with: darkest, where: ground .< darkest)
    }

    /// Returns the median colour of some pixels, of each row every fourth.
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
    /// The image as COpenCV's primitives read it.
    var matrix: SVCVMatrix {
        SVCVMatrix(
            data: base, width: Int32(clamping: width), height: Int32(clamping: height),
            channels: Int32(format.bytesPerPixel), kind: sv_cv_bytes, stride: stride)
    }

    /// Returns the image resized, interpolated linearly, or averaged over areas if it is reduced.
    func resized(width: Int, height: Int, isReduced: Bool) throws(VisionError) -> Matrix<UInt8> {
        guard !isEmpty else { return Matrix() }
        return try Matrix(width: width, height: height, channels: format.bytesPerPixel) {
            sv_cv_scale(matrix, isReduced ? sv_cv_area : sv_cv_linear, $0, $1)
        }
    }
}
