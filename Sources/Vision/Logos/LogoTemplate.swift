// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// An error in a template's image.
package struct TemplateError: Error, CustomStringConvertible, Hashable {
    package let description: String
}

/// A logo that was learned from an image: the largest maximally stable extremal region (MSER). Any thread may use a
/// template.
package struct LogoTemplate: Sendable {
    /// Name of the logo.
    package let name: String
    package let features: ShapeFeatures
    private let views: ShapeViews
    /// Maps pixels of the shape's square (`ShapeSquare`) to coordinates of the template (see `LogoRaster`).
    private let squareToTemplate: AffineMap
    /// ORB keypoints of the shape's square.
    let square: SquareKeypoints
    let look: LogoLook
    let keypoints: LogoKeypoints
    package let quality: TemplateQuality

    /// Maximum length of the image's longer side, in pixels. Larger images are reduced.
    private static let length = 300.0

    /// Learns a logo.
    /// - Parameters:
    ///   - image: the logo with a margin of plain or transparent background.
    ///   - name: the name of the logo.
    /// - Throws: `TemplateError` if the image has no stable region; `VisionError` if OpenCV fails.
    package init(_ image: Image, name: String) throws {
        let (background, margin) = try Self.withBackground(image)
        let scale = min(1, Self.length / Double(max(1, background.image.width, background.image.height)))
        let finder = RegionFinder()
        let search = RegionSearch(
            delta: 5, maxVariation: 0.25, scale: scale, area: Limits(minimum: 0.01, maximum: 0.9), skipsEdge: true)
        let regions = try finder.regions(in: background.image, search)
        let square = ShapeSquare(hasGray: true)
        let picture = TemplateImage(image), content = picture.content
        guard let largest = regions.indices.max(by: { regions[$0].area < regions[$1].area }),
            try finder.fill(square, with: largest), var features = try square.measure(),
            let map = finder.map(of: largest), !content.isEmpty
        else {
            throw TemplateError(
                description:
                    "the image has no stable region. Use a plain logo that is clearly darker or brighter than its "
                    + "background.")
        }
        features.skeletonRatio = square.skeletonRatio
        self.name = name
        self.features = features
        views = ShapeViews(square.mask.image)
        self.square = try SquareKeypoints(square.gray.image)
        // The origin of the coordinates is the centre of the opaque part; the unit is its longer side.
        let side = Double(max(content.width, content.height))
        let middle = Point(
            Double(content.x) + Double(content.width) / 2, Double(content.y) + Double(content.height) / 2)
        squareToTemplate =
            AffineMap(
                scaleX: 1 / side, scaleY: 1 / side, shiftX: (0.5 - Double(margin) - middle.x) / side,
                shiftY: (0.5 - Double(margin) - middle.y) / side) * map.inverse
        var look = LogoLook(picture, content: content)
        keypoints = try LogoKeypoints(picture, content: content)
        quality = try TemplateQuality(&look, keypoints: keypoints.count, distinctCount: self.square.distinctCount)
        self.look = look
        withExtendedLifetime((background, square)) {}
    }

    /// Returns the likeness of a shape to the template in the view with the best match, 0…1, and the template's pose.
    /// - Parameter squareToFrame: maps pixels of the shape's square to pixels of the frame. The centre of the first
    ///   pixel is at (0, 0).
    func likeness(_ pattern: ShapePattern, squareToFrame: AffineMap) -> (likeness: Double, pose: Homography)? {
        guard let (likeness, front) = views.best(pattern) else { return nil }
        let toFrame =
            squareToFrame * pattern.placement * front.placement.inverse * squareToTemplate.inverse
        return (likeness, Homography(toFrame).shifted(by: Point(0.5, 0.5)))
    }

    /// Returns the reason why the template does not suit a verification, with the fix; nil if it does.
    package func problem(with verification: LogoSettings.Verification) -> String? {
        guard verification == .orb, quality.distinctKeypoints < SquareKeypoints.minCount else { return nil }
        return "\(name): verify=orb needs at least \(SquareKeypoints.minCount) distinct keypoints, but this logo has "
            + "\(quality.distinctKeypoints). Use verify=shape."
    }

    /// Returns the box of the template in a pose.
    func box(_ pose: Homography) -> Box {
        let points = look.edges.prefix(look.outlineCount).map { pose($0.position) }
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else {
            return Box(x: 0, y: 0, width: 0, height: 0)
        }
        return Box(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Returns the grey image with an additional margin, because a logo may fill its image. If the image is
    /// transparent, or if most of its edge has about the same level, the margin has the level of the background.
    /// Otherwise, the margin repeats the pixels along the edge. Transparent background becomes black or white,
    /// whichever differs more from the opaque part. The result
    /// also contains the width of the margin.
    private static func withBackground(_ image: Image) throws -> (image: OwnedImage, margin: Int) {
        let gray = OwnedImage(.gray8)
        try gray.fill(grayOf: image)
        let picture = gray.image
        guard !picture.isEmpty else { return (gray, 0) }
        let level = image.format.alpha.flatMap { fillTransparency(of: picture, image, $0) } ?? background(of: picture)
        let margin = max(8, max(picture.width, picture.height) / 8)
        let result = OwnedImage(.gray8, width: picture.width + 2 * margin, height: picture.height + 2 * margin)
        for y in 0..<result.image.height {
            let row = result.image.row(y)
            let from = picture.row(min(picture.height - 1, max(0, y - margin)))
            if let level {
                row.update(repeating: level, count: result.image.width)
                guard y >= margin, y < margin + picture.height else { continue }
            } else {
                row.update(repeating: from[0], count: margin)
                (row + margin + picture.width).update(repeating: from[picture.width - 1], count: margin)
            }
            (row + margin).update(from: from, count: picture.width)
        }
        withExtendedLifetime(gray) {}
        return (result, margin)
    }

    /// Returns the median level of an image's edge; nil if less than 60 % of the edge has about this level.
    private static func background(of picture: Image) -> UInt8? {
        var edge: [UInt8] = []
        for y in 0..<picture.height {
            let row = picture.row(y)
            if y == 0 || y == picture.height - 1 {
                edge += UnsafeBufferPointer(start: row, count: picture.width)
            } else {
                edge += [row[0], row[picture.width - 1]]
            }
        }
        edge.sort()
        let level = edge[edge.count / 2]
        let same = edge.count { abs(Int($0) - Int(level)) <= 24 }
        return same * 10 >= edge.count * 6 ? level : nil
    }

    /// Fills the transparent part of a grey image with black or white.
    /// - Parameters:
    ///   - gray: the grey image to fill.
    ///   - image: the original image.
    ///   - alpha: the position of the alpha channel in the original image's pixels.
    /// - Returns: the level of the background; nil if the image is opaque.
    private static func fillTransparency(of gray: Image, _ image: Image, _ alpha: Int) -> UInt8? {
        let size = image.format.bytesPerPixel
        var (sum, weights) = (0, 0)
        for y in 0..<gray.height {
            let (levels, pixels) = (gray.row(y), image.row(y))
            for x in 0..<gray.width {
                let weight = Int(pixels[x * size + alpha])
                sum &+= weight &* Int(levels[x])
                weights &+= weight
            }
        }
        guard weights < 255 &* gray.width &* gray.height else { return nil }
        let background = weights > 0 && sum / weights > 127 ? 0 : 255
        for y in 0..<gray.height {
            let (levels, pixels) = (gray.row(y), image.row(y))
            for x in 0..<gray.width {
                let weight = Int(pixels[x * size + alpha])
                levels[x] = UInt8(
                    truncatingIfNeeded: (Int(levels[x]) * weight + background * (255 - weight) + 127) / 255)
            }
        }
        return UInt8(background)
    }
}
