import COpenCV
import Pixels

/// An error in a template's picture.
package struct TemplateError: Error, CustomStringConvertible, Hashable {
    package let description: String
}

/// A logo that was learned from a picture: its largest maximally stable extremal region (MSER). To be used in any thread.
package struct LogoTemplate: Sendable {
    /// Name of the logo.
    package let name: String
    package let features: ShapeFeatures
    private let views: ShapeViews
    /// Pixels of the square, for keypoints.
    let gray: [UInt8]

    /// Length in pixels of the longer side to which larger pictures are reduced.
    private static let length = 300.0

    /// - Parameters:
    ///   - image: the logo with a little of the plain background around it, or on a transparent one.
    ///   - name: the logo's name.
    /// - Throws: `TemplateError` if no region is stable; `VisionError`.
    package init(_ image: Image, name: String) throws {
        let ground = try Self.grounded(image)
        let scale = min(1, Self.length / Double(max(1, ground.image.width, ground.image.height)))
        let finder = try RegionFinder()
        let search = SVCVRegionSearch(
            delta: 5, scale: scale, minArea: 0.01, maxArea: 0.9, maxVariation: 0.25, skipsEdge: 1,
            leastRectangleRatio: 0, mostRectangleRatio: 2,
            leastHullRatio: 0, mostHullRatio: 2, leastContourRatio: 0, mostContourRatio: 2)
        let regions = try finder.regions(in: ground.image, search)
        let square = ShapeSquare(hasGray: true)
        guard let largest = regions.indices.max(by: { regions[$0].area < regions[$1].area }),
            try finder.fill(square, with: largest), var features = try square.measure()
        else {
            throw TemplateError(
                description: "there is no stable region in this picture to know the logo by; take one of a plain logo, "
                    + "clearly darker or brighter than the ground that it stands on")
        }
        features.skeletonRatio = square.skeletonRatio
        self.name = name
        self.features = features
        views = ShapeViews(square.mask.image)
        gray = square.grayPixels
    }

    /// Returns how well a shape fits the template in the view where it fits best, 0…1.
    func likeness(_ pattern: ShapePattern) -> Double { views.likeness(pattern) }

    /// Returns the picture's grey with a margin, so that a logo may fill its picture: the margin continues the
    /// background if most of the picture's edge is background; else each row and column. A transparent background gets
    /// the level that differs most from the opaque part.
    private static func grounded(_ image: Image) throws -> GrayPlane {
        let (gray, result) = (GrayPlane(), GrayPlane())
        try gray.fill(grayOf: image)
        let picture = gray.image
        guard !picture.isEmpty else { return result }
        let level = image.format.alpha.flatMap { fillTransparency(of: picture, image, $0) } ?? ground(of: picture)
        let margin = max(8, max(picture.width, picture.height) / 8)
        result.resize(width: picture.width + 2 * margin, height: picture.height + 2 * margin)
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

    /// Returns the median level of a picture's edge, if most of the edge is about as bright.
    private static func ground(of picture: Image) -> UInt8? {
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

    /// - Returns: the background's level; nil if nothing is transparent.
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
        let ground = weights > 0 && sum / weights > 127 ? 0 : 255
        for y in 0..<gray.height {
            let (levels, pixels) = (gray.row(y), image.row(y))
            for x in 0..<gray.width {
                let weight = Int(pixels[x * size + alpha])
                levels[x] = UInt8(truncatingIfNeeded: (Int(levels[x]) * weight + ground * (255 - weight) + 127) / 255)
            }
        }
        return UInt8(ground)
    }
}

extension ShapeSquare {
    /// Pixels row by row.
    var grayPixels: [UInt8] {
        (0..<gray.image.height).flatMap { UnsafeBufferPointer(start: gray.image.row($0), count: gray.image.width) }
    }
}

/// Finds maximally stable extremal regions. One thread at a time may use it.
final class RegionFinder: Owned {
    init() throws(VisionError) {
        try super.init(free: sv_cv_region_finder_free) { sv_cv_region_finder_create($0) }
    }

    func regions(in plane: Image, _ search: SVCVRegionSearch) throws(VisionError) -> [SVCVRegion] {
        var regions: UnsafePointer<SVCVRegion>?
        var count: Int32 = 0
        guard !plane.isEmpty else { return [] }
        try check { sv_cv_region_finder_find(handle, plane.openCV, search, &regions, &count, $0) }
        return Array(UnsafeBufferPointer(start: regions, count: Int(count)))
    }

    /// Fills the square with a region of the last search.
    /// - Returns: false if the region cannot be mapped to a square.
    func fill(_ square: ShapeSquare, with index: Int) throws(VisionError) -> Bool {
        var isSquare: Int32 = 0
        try check {
            sv_cv_region_square(
                handle, Int32(clamping: index), Int32(ShapeSquare.margin), square.mask.image.openCV,
                square.gray.image.openCV, &isSquare, $0)
        }
        return isSquare != 0
    }
}

/// ORB keypoints of a square. One thread at a time may use them.
final class SquareKeypoints: Owned {
    init(_ image: Image) throws(VisionError) {
        try super.init(free: sv_cv_keypoints_free) { sv_cv_keypoints_create(image.openCV, $0) }
    }

    /// Minimum number of distinct keypoints. With fewer, hardly any view is recognised: similar corners are confused.
    static let least = 12

    /// Number of keypoints that are unlike all others.
    var distinctCount: Int {
        get throws(VisionError) {
            var (agreeing, count): (Int32, Int32) = (0, 0)
            try check { sv_cv_keypoints_match(handle, handle, &agreeing, &count, $0) }
            return Int(agreeing)
        }
    }

    /// Returns the share of keypoints of `seen` that agree with these on the logo's place, 0…1: one third of these is
    /// the best that can be expected, and counts as 1.
    func likeness(_ seen: SquareKeypoints) throws(VisionError) -> Double {
        var (agreeing, count): (Int32, Int32) = (0, 0)
        try check { sv_cv_keypoints_match(seen.handle, handle, &agreeing, &count, $0) }
        return count > 0 ? min(1, 3 * Double(agreeing) / Double(count)) : 0
    }
}
