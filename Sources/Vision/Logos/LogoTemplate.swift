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
    /// Grey pixels of the square, for keypoints.
    let gray: [UInt8]

    /// Maximum length of the image's longer side, in pixels. Larger images are reduced.
    private static let length = 300.0

    /// Learns a logo.
    /// - Parameters:
    ///   - image: the logo with a margin of plain or transparent background.
    ///   - name: the name of the logo.
    /// - Throws: `TemplateError` if the image has no stable region; `VisionError` if OpenCV fails.
    package init(_ image: Image, name: String) throws {
        let background = try Self.withBackground(image)
        let scale = min(1, Self.length / Double(max(1, background.image.width, background.image.height)))
        let finder = RegionFinder()
        let search = RegionSearch(
            delta: 5, maxVariation: 0.25, scale: scale, area: Limits(minimum: 0.01, maximum: 0.9), skipsEdge: true)
        let regions = try finder.regions(in: background.image, search)
        let square = ShapeSquare(hasGray: true)
        guard let largest = regions.indices.max(by: { regions[$0].area < regions[$1].area }),
            try finder.fill(square, with: largest), var features = try square.measure()
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
        gray = square.gray.image.bytes
    }

    /// Returns the likeness of a shape to the template in the view with the best match, 0…1.
    func likeness(_ pattern: ShapePattern) -> Double { views.likeness(pattern) }

    /// Returns the grey image with an additional margin, because a logo may fill its image. If the image is
    /// transparent, or if most of its edge has about the same level, the margin has the level of the background.
    /// Otherwise, the margin repeats the pixels along the edge. Transparent background becomes black or white,
    /// whichever differs more from the opaque part.
    private static func withBackground(_ image: Image) throws -> OwnedImage {
        let gray = OwnedImage(.gray8)
        try gray.fill(grayOf: image)
        let picture = gray.image
        guard !picture.isEmpty else { return gray }
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
        return result
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
