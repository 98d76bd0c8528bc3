// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// The pixels of a cat in an image, which show the outline of its head and its ears. The segmentation is GrabCut
/// (Rother, Kolmogorov and Blake, 2004), which starts with the usual shape of a cat's head.
final class CatSilhouette: Sendable {
    /// 255 for the cat, 0 for the background.
    private let mask: Matrix<UInt8>
    /// Position of the mask in the image, in pixels of the image.
    private let area: Rectangle

    /// Distance between the eyes during the segmentation, in pixels.
    private static let eyeDistance = 36.0
    private static let iterations: Int32 = 4
    private static let (background, foreground, perhapsBackground, perhapsForeground): (UInt8, UInt8, UInt8, UInt8) = (
        0, 1, 2, 3
    )

    private init(_ mask: Matrix<UInt8>, _ area: Rectangle) { (self.mask, self.area) = (mask, area) }

    /// Returns nil if the segmentation does not separate the head from its background.
    /// - Parameter image: an image with four bytes per pixel.
    static func of(_ face: FacePoints, in image: Image) throws(VisionError) -> CatSilhouette? {
        guard face.isSound, image.format.bytesPerPixel == 4 else { return nil }
        let axes = face.headAxes
        let unit = 2 * axes.across.length
        let reach = 3.2 * unit
        let area = image.bounds.intersection(
            Rectangle(
                left: axes.origin.x - reach, right: axes.origin.x + reach, top: axes.origin.y - reach,
                bottom: axes.origin.y + reach))
        guard area.width >= 8, area.height >= 8 else { return nil }
        let scale = min(4, Self.eyeDistance / unit)
        let (width, height) = (Int(Double(area.width) * scale), Int(Double(area.height) * scale))
        guard width >= 8, height >= 8 else { return nil }
        let small = OwnedImage(image.format, width: width, height: height)
        try check { sv_cv_resize(image.cropped(to: area).openCV, small.image.openCV, $0) }
        var picture = Matrix<UInt8>(width: width, height: height, channels: 3)
        for y in 0..<height {
            let (from, to) = (small.image.row(y), picture.mutableRow(y))
            for x in 0..<width { for channel in 0..<3 { to[3 * x + channel] = from[4 * x + channel] } }
        }
        withExtendedLifetime(small) {}

        func pixel(_ x: Double, _ y: Double) -> SVCVPixel {
            let point = (axes.point(x, y) - area.corner) * scale
            func whole(_ value: Double) -> Int32 { Int32(min(1e6, max(-1e6, value))) }
            return SVCVPixel(x: whole(point.x), y: whole(point.y))
        }
        func ellipse(_ factor: Double) -> [SVCVPixel] {
            let usual = HeadShape.Outline.cat
            return HeadShape.directions.map {
                pixel(factor * usual.halfWidth * $0.x, usual.middle + factor * 1.25 * usual.halfHeight * $0.y)
            }
        }
        var labels = Matrix<UInt8>(width: width, height: height, filledWith: Self.background)
        let around = [(-3.2, 0.0), (-3.5, -3.9), (-1.2, -3.9), (0, -1.5), (1.2, -3.9), (3.5, -3.9), (3.2, 0)]
        for polygon in [ellipse(1.9), around.map { pixel($0.0, $0.1) }] {
            try labels.fill([polygon], with: Self.perhapsBackground)
        }
        for side in [-1.0, 1.0] {
            let ear = [pixel(1.9 * side, -0.9), pixel(2 * side, -2.6), pixel(0.4 * side, -1.4)]
            try labels.fill([ear], with: Self.perhapsForeground)
        }
        try labels.fill([ellipse(1.05)], with: Self.perhapsForeground)
        try labels.fill([ellipse(0.75)], with: Self.foreground)
        var isSegmented: Int32 = 0
        try labels.change { sv_cv_grab_cut(picture.openCV, $0, Self.iterations, &isSegmented, $1) }
        guard isSegmented != 0 else { return nil }

        var mask = Matrix<UInt8>(sizeOf: labels)
        for y in 0..<height {
            let (from, to) = (labels.row(y), mask.mutableRow(y))
            for x in 0..<width { to[x] = from[x] & 1 == 1 ? 255 : 0 }
        }
        mask = try mask.morphed(sv_cv_open, side: 5, isElliptic: true)
            .morphed(sv_cv_close, side: 5, isElliptic: true)
        let center = pixel(0, 0.3)
        let parts = try mask.parts(connectivity: 8)
        let label = parts.labels[Int(center.x), Int(center.y)]
        guard label > 0 else { return nil }
        mask = parts.labels.mask(where: label)

        // Background beside and above the head that looks like the cat: its edge would not be the outline of the head.
        var (all, wrong) = (0, 0)
        for y in stride(from: 0, to: height, by: 2) {
            for x in stride(from: 0, to: width, by: 2) {
                let place = axes.coordinates(
                    of: Point(Double(x) + 0.5, Double(y) + 0.5) / scale + area.corner)
                guard place.y < 0.4, place.x.magnitude > 3.4 || place.y < -2.6 else { continue }
                all += 1
                wrong += mask[x, y] > 0 ? 1 : 0
            }
        }
        guard 4 * wrong <= all else { return nil }
        return CatSilhouette(mask, area)
    }

    /// Returns true if the pixel at a position in the image belongs to the cat.
    func contains(_ point: Point) -> Bool {
        let place = point - area.corner
        guard place.x >= 0, place.y >= 0, place.x < Double(area.width), place.y < Double(area.height) else {
            return false
        }
        let x = Int(place.x * Double(mask.width) / Double(area.width))
        let y = Int(place.y * Double(mask.height) / Double(area.height))
        return mask[x, y] > 0
    }

    /// Returns the silhouette in a part of the scaled image, with a soft edge.
    /// - Parameter softness: the standard deviation of a Gaussian, in pixels of the result.
    func levels(in part: Rectangle, scale: Double, softness: Double) throws(VisionError) -> OwnedImage {
        let output = OwnedImage(.gray8, width: part.width, height: part.height)
        let (across, down) = (
            Double(mask.width) / Double(area.width) / scale, Double(mask.height) / Double(area.height) / scale
        )
        // The resolution of the mask limits the sharpness of its edge.
        let soft = try mask.blurred(sigma: max(0.7, softness * across))
        let map = AffineMap(
            xx: across, x0: (Double(part.x) + 0.5 - Double(area.x) * scale) * across - 0.5, yy: down,
            y0: (Double(part.y) + 0.5 - Double(area.y) * scale) * down - 0.5)
        let warped = try soft.warped(map, isInverse: true, width: part.width, height: part.height, sv_cv_linear)
        for y in 0..<min(warped.height, output.image.height) {
            output.image.row(y).update(from: warped.row(y), count: min(warped.width, output.image.width))
        }
        return output
    }
}
