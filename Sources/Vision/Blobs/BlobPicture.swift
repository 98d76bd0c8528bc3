// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A copy of the part of a frame that shows a blob, for classification or learning in any thread.
package struct BlobPicture: Sendable {
    package let width: Int
    package let height: Int
    /// Pixel format: BGR, or grey if the frame is grey.
    package let format: PixelFormat
    /// The pixels, row by row, without padding.
    package private(set) var pixels: [UInt8]
    /// Box of the blob, in pixels of this image.
    package let box: Rectangle
    /// Outline of the blob, in pixels of this image; nil if the outline is unknown.
    package let outline: [Point]?
    /// Height of the frame or photo from which this image was cut out, in pixels of this image; nil if this image is
    /// not a part of a larger image.
    package let frameHeight: Double?
    /// True if the object's size in the frame can be compared with sizes in other frames. False for photos, because the
    /// distance between camera and object varies from photo to photo.
    let isSizeKnown: Bool

    /// The image includes some background on each side of the blob's box. This value is the width of this background,
    /// as a fraction of the box's longer side.
    private static let margin = 0.15
    /// Maximum number of pixels of an image. Larger images are reduced.
    static let largestArea = 1_000_000.0

    /// Cuts a blob out of a frame.
    package init(_ blob: Blob, in frame: FrameImage, isSizeKnown: Bool = true) throws(VisionError) {
        let margin = Self.margin * max(blob.box.width, blob.box.height)
        let part = frame.bounds.intersection(Rectangle(covering: blob.box.grown(by: margin)))
        var box = frame.bounds.intersection(Rectangle(covering: blob.box))
        (box.x, box.y) = (box.x - part.x, box.y - part.y)
        // Ignore invalid outlines, whose corners are far outside of any frame.
        let isSound = blob.outline.allSatisfy { abs($0.x) < 1e6 && abs($0.y) < 1e6 }
        let outline = blob.outline.map { $0 - part.corner }
        try self.init(
            frame.cropped(to: part), box: box, outline: isSound ? outline : nil, frameHeight: Double(frame.height),
            isSizeKnown: isSizeKnown)
    }

    /// Cuts the object out of a photo of a single object. The object is the largest blob that `BlobDetector` finds with
    /// its default settings. If the detector finds no blob, or if the photo has an alpha channel, calls
    /// `init(_:hasAlpha:)` instead.
    /// - Parameter hasAlpha: false to ignore the alpha channel.
    package init(photo image: Image, hasAlpha: Bool = true) throws(VisionError) {
        let frame = FrameImage(image)
        if !(hasAlpha && image.format.alpha != nil),
            let blob = try BlobDetector(settings: BlobSettings()).blobs(in: frame).first, blob.outline.enclosedArea >= 1
        {
            try self.init(blob, in: frame, isSizeKnown: false)
        } else {
            try self.init(image, hasAlpha: hasAlpha)
        }
    }

    /// Creates a picture from an image of a single object, such as a training image. If the image has transparent
    /// pixels, the object is the largest opaque part.
    /// - Parameter hasAlpha: false to ignore the alpha channel.
    package init(_ image: Image, hasAlpha: Bool = true) throws(VisionError) {
        guard hasAlpha, let cutout = try Cutout(image) else {
            try self.init(FrameImage(image), box: image.bounds, outline: nil)
            return
        }
        try self.init(FrameImage(cutout.colors.image), box: cutout.box, outline: cutout.outline)
    }

    var corners: [Point] {
        let (width, height) = (Double(width), Double(height))
        return [Point(0, 0), Point(width, 0), Point(width, height), Point(0, height)]
    }

    /// Returns a copy for storage as a training image, with at most 400,000 pixels.
    package func forKeeping() throws(VisionError) -> BlobPicture { try reduced(toArea: 400_000) }

    /// Returns a copy with at most `area` pixels.
    package func reduced(toArea area: Double) throws(VisionError) -> BlobPicture {
        guard Double(width) * Double(height) > area else { return self }
        return try withImage { image throws(VisionError) in
            try BlobPicture(
                FrameImage(image), box: box, outline: outline, frameHeight: frameHeight, isSizeKnown: isSizeKnown,
                largestArea: area)
        }
    }

    private init(
        _ frame: FrameImage, box: Rectangle, outline: [Point]?, frameHeight: Double? = nil, isSizeKnown: Bool = false,
        largestArea: Double = largestArea
    ) throws(VisionError) {
        let scale = min(1, (largestArea / max(1, Double(frame.width) * Double(frame.height))).squareRoot())
        width = reducedLength(frame.width, scale)
        height = reducedLength(frame.height, scale)
        format = frame.format.isGray ? .gray8 : .bgr
        guard width > 0, height > 0 else { throw VisionError(description: "the image is empty") }
        func scaled(_ length: Int) -> Int { Int((Double(length) * scale).rounded()) }
        self.box = Rectangle(
            x: scaled(box.x), y: scaled(box.y), width: scaled(box.width), height: scaled(box.height)
        ).intersection(Rectangle(width: width, height: height))
        self.outline = outline?.map { $0 * scale }
        self.frameHeight = frameHeight.map { $0 * scale }
        self.isSizeKnown = isSizeKnown
        let plane = ColorPlane()
        try plane.fill(frame, reducedBy: scale)
        let image = plane.image
        guard image.width == width, image.height == height else {
            throw VisionError(description: "the image is too large")
        }
        pixels = withExtendedLifetime(plane) { image.bytes }
    }

    /// Calls `body` with the pixels as a read-only image.
    package func withImage<Result, Failure: Error>(
        _ body: (Image) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try pixels.withImage(width: width, height: height, format: format, body)
    }
}

/// An image with transparent pixels, blended over a light background. Also contains the outline and the box of the
/// largest opaque part.
private struct Cutout {
    let colors: OwnedImage
    let outline: [Point]
    let box: Rectangle

    /// Level of the light background: about the level of white paper in a photo.
    private static let white: UInt32 = 224
    private static let mostCorners = 256

    /// Creates a cutout from an image with transparent pixels; nil if the image is completely opaque or completely
    /// transparent, or has no alpha channel.
    init?(_ image: Image) throws(VisionError) {
        guard let alpha = image.format.alpha else { return nil }
        let mask = OwnedImage(.gray8, width: image.width, height: image.height)
        colors = OwnedImage(image.format, width: image.width, height: image.height)
        guard !mask.image.isEmpty, !colors.image.isEmpty else { return nil }
        var isOpaque = true
        let size = image.format.bytesPerPixel
        for y in 0..<image.height {
            let (from, to, cover) = (image.row(y), colors.image.row(y), mask.image.row(y))
            for x in 0..<image.width {
                let opacity = UInt32(from[size &* x &+ alpha])
                cover[x] = UInt8(truncatingIfNeeded: opacity)
                isOpaque = isOpaque && opacity == 255
                for byte in size &* x..<size &* x &+ size {
                    let sum = UInt32(from[byte]) &* opacity &+ Self.white &* (255 &- opacity) &+ 127
                    to[byte] = UInt8(truncatingIfNeeded: sum / 255)
                }
            }
        }
        guard !isOpaque else { return nil }
        let contours = try (Matrix(mask.image) > 127).contours()
        guard let largest = contours.max(by: { $0.area < $1.area }) else { return nil }
        var precision = SegmentationTuning.precision
        var corners = try largest.outline(precision: precision)
        while corners.count > Self.mostCorners {
            precision *= 1.5
            corners = try largest.outline(precision: precision)
        }
        guard corners.count > 2 else { return nil }
        (outline, box) = (corners, largest.box)
    }
}
