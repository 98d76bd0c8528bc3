// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import COpenCV
import Drawing
import Imaging

/// The pixels of a cat, with its ears, or of a human's skin, without hair, hat and beard. The segmentation is GrabCut
/// (Rother, Kolmogorov and Blake, 2004), which starts with the usual shape of the face.
struct HeadSilhouette: Sendable {
    /// 255 for the head, 0 for the background.
    private let mask: Matrix<UInt8>
    /// Position of the mask in the image, in pixels of the image.
    private var area: Rectangle

    /// Distance between the eyes during the segmentation, in pixels.
    private static let eyeDistance = 36.0
    private static let iterations: Int32 = 4

    /// The part of a human that stays, even if its pixels are not similar to skin.
    enum KeptPart {
        /// Eyes, nose, mouth and chin, without the hair at the sides. With a bare forehead, also the brows; otherwise, the
        /// brim of a hat or hair may be in their place.
        case features(hasBareForehead: Bool)
        /// Everything below the brows, with the whole beard.
        case face

        fileprivate var corners: [Point] {
            switch self {
            case .features(let hasBareForehead):
                [
                    Point(-1.5, hasBareForehead ? -0.42 : -0.24), Point(1.5, hasBareForehead ? -0.42 : -0.24),
                    Point(1.25, 0.6), Point(0.9, 1.3), Point(0.5, 2.2), Point(-0.5, 2.2), Point(-0.9, 1.3),
                    Point(-1.25, 0.6),
                ]
            case .face:
                [
                    Point(-2.1, -0.24), Point(2.1, -0.24), Point(2.2, 0.9), Point(1.7, 2.6), Point(-1.7, 2.6),
                    Point(-2.2, 0.9),
                ]
            }
        }
    }
    /// Minimum fraction of the usual shape of a face that must be skin.
    private static let minSkin = 0.3
    /// Maximum fractions of the surroundings of a cat's head, and of the strip with its ears, that may look like the cat.
    /// Otherwise, the edge of the silhouette would not be the outline of the head.
    private static let (maxSurroundings, maxEars) = (0.12, 0.65)

    /// Returns nil if the segmentation does not separate the head from its background.
    /// - Parameter image: an image with four bytes per pixel.
    static func of(_ face: FacePoints, in image: Image) throws(VisionError) -> HeadSilhouette? {
        guard let species = face.species, face.isSound, image.format.bytesPerPixel == 4 else { return nil }
        let (axes, seeds) = (face.headAxes, HeadSeeds(species))
        let unit = 2 * axes.across.length
        let reach = seeds.reach * unit
        // If neck and clothes were a part of the background, hair would be more similar to skin than to the background.
        let head = HeadShape.bounds(of: face, hasBeard: false).union(Rectangle(face.box)).union(
            FaceOval.reach(of: face))
        let area = image.bounds.intersection(head).intersection(
            Rectangle(
                left: axes.origin.x - reach, right: axes.origin.x + reach, top: axes.origin.y - reach,
                bottom: axes.origin.y + reach))
        let scale = min(4, Self.eyeDistance / unit)
        let (width, height) = (Int(Double(area.width) * scale), Int(Double(area.height) * scale))
        guard min(area.width, area.height) >= 8, min(width, height) >= 8 else { return nil }
        let small = OwnedImage(image.format, width: width, height: height)
        try check { sv_cv_resize(image.cropped(to: area).openCV, small.image.openCV, $0) }
        var picture = Matrix<UInt8>(width: width, height: height, channels: 3)
        for y in 0..<height {
            let (from, to) = (small.image.row(y), picture.mutableRow(y))
            for x in 0..<width { for channel in 0..<3 { to[3 * x + channel] = from[4 * x + channel] } }
        }
        withExtendedLifetime(small) {}

        var labels = Matrix<UInt8>(width: width, height: height, filledWith: HeadSeeds.Label.background.rawValue)
        for (shape, label) in seeds.shapes {
            let corners = shape.map { SVCVPixel((axes.point($0.x, $0.y) - area.corner) * scale) }
            try labels.fill([corners], with: label.rawValue)
        }
        let usual = labels.count { $0 == HeadSeeds.Label.perhapsForeground.rawValue || $0 == 1 }
        var isSegmented: Int32 = 0
        try labels.change { sv_cv_grab_cut(picture.openCV, $0, iterations, &isSegmented, $1) }
        guard isSegmented != 0 else { return nil }

        var mask = Matrix<UInt8>(sizeOf: labels)
        for y in 0..<height {
            let (from, to) = (labels.row(y), mask.mutableRow(y))
            for x in 0..<width { to[x] = from[x] & 1 == 1 ? 255 : 0 }
        }
        mask = try mask.morphed(sv_cv_open, side: 5, isElliptic: true)
            .morphed(sv_cv_close, side: 5, isElliptic: true)
        let center = (axes.point(0, 0.3) - area.corner) * scale
        guard (0..<Double(width)).contains(center.x), (0..<Double(height)).contains(center.y) else { return nil }
        let parts = try mask.parts(connectivity: 8)
        let label = parts.labels[Int(center.x), Int(center.y)]
        guard label > 0 else { return nil }
        let silhouette = HeadSilhouette(mask: parts.labels.mask(where: label), area: area)
        let isPlausible =
            switch species {
            case .human: Double(silhouette.mask.count { $0 > 0 }) >= minSkin * Double(usual)
            case .cat:
                silhouette.fraction(of: axes) { $0.y < 0.4 && ($0.x.magnitude > 3.4 || $0.y < -2.6) }
                    <= maxSurroundings
                    && silhouette.fraction(of: axes) { $0.x.magnitude < 2.6 && (-2.2)...(-1.5) ~= $0.y } <= maxEars
            }
        return isPlausible ? silhouette : nil
    }

    /// Returns the fraction of a region that belongs to the silhouette.
    /// - Parameter isInRegion: tests a position in the coordinates of the axes.
    private func fraction(of axes: FaceAxes, where isInRegion: (Point) -> Bool) -> Double {
        let scale = Double(mask.width) / Double(area.width)
        var (all, inside) = (0, 0)
        for y in stride(from: 0, to: mask.height, by: 2) {
            for x in stride(from: 0, to: mask.width, by: 2) {
                let place = axes.coordinates(of: Point(Double(x) + 0.5, Double(y) + 0.5) / scale + area.corner)
                guard isInRegion(place) else { continue }
                all += 1
                inside += mask[x, y] > 0 ? 1 : 0
            }
        }
        return Double(inside) / Double(max(1, all))
    }

    /// Returns the silhouette in the coordinates of a part of the image.
    func moved(to part: Rectangle) -> HeadSilhouette {
        var moved = self
        moved.area.x -= part.x
        moved.area.y -= part.y
        return moved
    }

    /// Returns true if the pixel at a position in the image belongs to the head.
    func contains(_ point: Point) -> Bool {
        let place = point - area.corner
        guard place.x >= 0, place.y >= 0, place.x < Double(area.width), place.y < Double(area.height) else {
            return false
        }
        let x = Int(place.x * Double(mask.width) / Double(area.width))
        let y = Int(place.y * Double(mask.height) / Double(area.height))
        return mask[x, y] > 0
    }

    /// Limits the weights of a human partner's pixels to its skin.
    /// - Parameters:
    ///   - part: the position of `weights` in the scaled image of the partner.
    ///   - partner: the partner, in pixels of `weights`.
    ///   - kept: a part that is not limited; nil to limit all pixels.
    func limit(
        _ weights: Image, _ part: Rectangle, scale: Double, of partner: FacePoints, keeping kept: KeptPart? = nil
    ) throws(VisionError) {
        let softness = 0.2 * partner.axes.across.length
        let skin = try levels(in: part, scale: scale, softness: softness, isInside: true)
        if let kept {
            FrameImage(skin.image).polygon(
                kept.corners.map { partner.headAxes.point($0.x, $0.y) }, softness: softness, color: .white)
        }
        multiply(weights: weights, by: skin.image)
        withExtendedLifetime(skin) {}
    }

    /// Returns the silhouette in a part of the scaled image, with a soft edge.
    /// - Parameters:
    ///   - softness: the standard deviation of a Gaussian, in pixels of the result.
    ///   - isInside: true for an edge inside of the silhouette, so that no pixel of the background has a weight.
    func levels(
        in part: Rectangle, scale: Double, softness: Double, isInside: Bool = false
    ) throws(VisionError) -> OwnedImage {
        let output = OwnedImage(.gray8, width: part.width, height: part.height)
        let (across, down) = (
            Double(mask.width) / Double(area.width) / scale, Double(mask.height) / Double(area.height) / scale
        )
        // The resolution of the mask limits the sharpness of its edge.
        var soft = try mask.blurred(sigma: max(0.7, softness * across))
        if isInside {
            for y in 0..<soft.height {
                let row = soft.mutableRow(y)
                for x in 0..<soft.width { row[x] = UInt8(max(0, 2 * Int(row[x]) - 255)) }
            }
        }
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

/// The shapes with which the segmentation of a head starts, in `FacePoints.headAxes`. Everything else is background.
struct HeadSeeds {
    /// GrabCut's labels.
    enum Label: UInt8 {
        case background = 0, foreground, perhapsBackground, perhapsForeground
    }

    /// Later shapes cover earlier shapes.
    let shapes: [(corners: [Point], label: Label)]
    /// Half of the width and the height of the searched part, as a multiple of the distance between the eyes.
    let reach: Double

    init(_ species: Species) {
        switch species {
        case .cat: (shapes, reach) = (Self.cat, 3.2)
        case .human: (shapes, reach) = (Self.human, 2.4)
        }
    }

    private static func ellipse(_ outline: HeadShape.Outline, width: Double, height: Double) -> [Point] {
        HeadShape.directions.map {
            Point(width * outline.halfWidth * $0.x, outline.middle + height * outline.halfHeight * $0.y)
        }
    }

    private static let cat: [(corners: [Point], label: Label)] = {
        func ellipse(_ factor: Double) -> [Point] { Self.ellipse(.cat, width: factor, height: 1.25 * factor) }
        let around = [
            Point(-3.2, 0), Point(-3.5, -3.9), Point(-1.2, -3.9), Point(0, -1.5), Point(1.2, -3.9), Point(3.5, -3.9),
            Point(3.2, 0),
        ]
        let ears = [-1.0, 1.0].map { [Point(1.9 * $0, -0.9), Point(2 * $0, -2.6), Point(0.4 * $0, -1.4)] }
        return [(ellipse(1.9), .perhapsBackground), (around, .perhapsBackground)]
            + ears.map { ($0, .perhapsForeground) }
            + [(ellipse(1.05), .perhapsForeground), (ellipse(0.75), .foreground)]
    }()

    /// The neck is only possible background, because it has the colour of skin. The part with eyes, nose and mouth is
    /// certain foreground.
    private static let human: [(corners: [Point], label: Label)] = {
        func ellipse(_ factor: Double) -> [Point] { Self.ellipse(.human, width: factor, height: factor) }
        let neck = Self.ellipse(HeadShape.Outline(halfWidth: 2.2, top: 0, bottom: 3.5), width: 1, height: 1)
        let inner = [
            Point(-1.5, -0.12), Point(1.5, -0.12), Point(1.1, 0.7), Point(0.6, 1.1), Point(-0.6, 1.1), Point(-1.1, 0.7),
        ]
        return [
            (ellipse(1.35), .perhapsBackground), (neck, .perhapsBackground), (ellipse(0.95), .perhapsForeground),
            (inner, .foreground),
        ]
    }()
}

extension SVCVPixel {
    /// The pixel that contains a point. Coordinates are limited to ±10⁶.
    fileprivate init(_ point: Point) {
        func whole(_ value: Double) -> Int32 { Int32(min(1e6, max(-1e6, value.isFinite ? value : 0))) }
        self.init(x: whole(point.x), y: whole(point.y))
    }
}

extension Matrix<UInt8> {
    /// Returns the number of elements for which `condition` is true.
    fileprivate func count(where condition: (UInt8) -> Bool) -> Int {
        (0..<height).reduce(0) { count, y in
            let row = row(y)
            return count + (0..<width).count { condition(row[$0]) }
        }
    }
}
