// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Imaging

/// Finds what differs from a plain background. One thread at a time may use it.
///
/// The frame is reduced, its background estimated (`BlobSettings.Model`), and what differs becomes a mask, whose connected
/// parts are the blobs. With `frameMean` the steps are BeanCounter's: the foreground is what is not within the mean
/// ± standard deviations of every channel; the contours of the mask's edges (Canny, 191 and 255) become boxes. It reports
/// the inner and the outer contour of one thing; here a box within another is left out.
package final class BlobDetector {
    /// The settings; call `reset` after changing the model.
    package var settings: BlobSettings
    private var finder: OpenCVObject
    private let plane = ColorPlane()
    private let closePlane = ColorPlane()
    /// Foreground (255) of the last frame's search, reduced; valid until the next search, while the detector lives.
    package private(set) var mask: Image

    package init(settings: BlobSettings) throws(VisionError) {
        self.settings = settings
        finder = try OpenCVObject { sv_cv_blob_finder_create($0) }
        mask = plane.image
    }

    /// Forgets what was learned of the background, as after a seek.
    package func reset() throws(VisionError) {
        finder = try OpenCVObject { sv_cv_blob_finder_create($0) }
        clearMask()
    }

    private func clearMask() {
        mask = Image(base: mask.base, width: 0, height: 0, stride: 0, format: .gray8)
    }

    /// Returns the blobs of a frame of any format, the largest first; none if the frame is too small to be reduced.
    package func blobs(in frame: FrameImage) throws(VisionError) -> [Blob] {
        let scale = settings.scale(width: frame.width, height: frame.height)
        try plane.fill(frame, reducedBy: scale)
        guard !plane.image.isEmpty else {
            clearMask()
            return []
        }
        var found = SVCVImage()
        let search = search(frame, scale)
        let blobs: UnsafeBufferPointer<SVCVBlob> = try lent {
            sv_cv_blob_finder_find(finder.handle, plane.image.openCV, search, &found, $0, $1, $2)
        }
        if let data = found.data {
            mask = Image(
                base: data, width: Int(found.width), height: Int(found.height), stride: found.stride, format: .gray8)
        }
        let all = blobs.map { (blob: Blob($0, scale: scale, in: frame), found: $0) }
        var budget = Self.closePixels
        var shadedBudget = Self.shadedPixels
        var shaded: Set<Int32> = []
        var refined: [Blob] = []
        for (index, one) in all.enumerated() {
            if one.found.shaded != 0 {
                guard !shaded.contains(one.found.shaded) else { continue }
                let place = surroundings(of: one.found.region, scale, in: frame)
                let gain = Self.gain(place, Self.shadedSide) / scale
                if gain > Self.leastGain, !place.isEmpty, shadedBudget > 0 {
                    shadedBudget -= min(place.width, Self.shadedSide) * min(place.height, Self.shadedSide)
                    let found = try self.refined(index, place, in: frame, search, side: Self.shadedSide)
                    if !found.isEmpty {
                        shaded.insert(one.found.shaded)
                        refined += found
                        continue
                    }
                }
                refined.append(one.blob)
                continue
            }
            let place = surroundings(of: one.found.box, scale, in: frame)
            guard scale < Self.closeScale, one.found.canBeRefined != 0, !place.isEmpty,
                max(one.found.box.width, one.found.box.height) < Self.smallSide, budget > 0
            else {
                refined.append(one.blob)
                continue
            }
            budget -= min(place.width, Self.closeSide) * min(place.height, Self.closeSide)
            refined += try self.refined(index, place, in: frame, search, side: Self.closeSide)
        }
        // Closer views may have parted some.
        return Array(
            refined.sorted { ($1.area, $0.box.y, $0.box.x) < ($0.area, $1.box.y, $1.box.x) }.prefix(
                max(0, settings.maxBlobs)))
    }

    // MARK: - Small things

    /// Longer side in pixels of the reduced frame below which a blob is looked at more closely, if the frame was reduced by
    /// at least this factor; the longer side of what is looked at, and the number of pixels after which there is an end.
    private static let smallSide: Int32 = 40
    private static let closeScale = 0.75
    private static let closeSide = 144
    private static let closePixels = 60_000
    /// The same for things with hard shadows, and the gain in size that a closer look is worth.
    private static let shadedSide = 320
    private static let shadedPixels = 300_000
    private static let leastGain = 1.25

    /// Returns the factor by which a part of the frame is reduced.
    private static func gain(_ place: Rectangle, _ side: Int) -> Double {
        min(1, Double(side) / Double(max(1, place.width, place.height)))
    }

    /// Returns the part of the frame that shows a blob and the ground around it.
    private func surroundings(of box: SVCVBox, _ scale: Double, in frame: FrameImage) -> Rectangle {
        let margin = max(3, 0.2 * Double(max(box.width, box.height)))
        func full(_ position: Int32, _ margin: Double) -> Double { (Double(position) + margin) / scale }
        func pixel(_ position: Double) -> Int { Int(max(-1e6, min(1e6, position.isFinite ? position : 0))) }
        let left = pixel(full(box.x, -margin).rounded(.down))
        let top = pixel(full(box.y, -margin).rounded(.down))
        let right = pixel(full(box.x &+ box.width, margin).rounded(.up))
        let bottom = pixel(full(box.y &+ box.height, margin).rounded(.up))
        return frame.bounds.intersection(Rectangle(x: left, y: top, width: right - left, height: bottom - top))
    }

    /// Returns what a closer view shows of a blob of the last search.
    private func refined(
        _ index: Int, _ place: Rectangle, in frame: FrameImage, _ search: SVCVBlobSearch, side: Int
    ) throws(VisionError) -> [Blob] {
        let scale = Self.gain(place, side)
        try closePlane.fill(frame.cropped(to: place), reducedBy: scale)
        guard !closePlane.image.isEmpty else { return [] }
        let box = SVCVBox(
            x: Int32(clamping: place.x), y: Int32(clamping: place.y), width: Int32(clamping: place.width),
            height: Int32(clamping: place.height))
        let blobs: UnsafeBufferPointer<SVCVBlob> = try lent {
            sv_cv_blob_finder_refine(
                finder.handle, Int32(clamping: index), closePlane.image.openCV, box, search, $0, $1, $2)
        }
        return blobs.map { Blob($0, in: place, size: closePlane.image) }
    }

    private func search(_ frame: FrameImage, _ scale: Double) -> SVCVBlobSearch {
        let shorter = Double(min(frame.width, frame.height))
        func pixels(_ share: Double, of length: Double) -> Int32 {
            Int32(max(0, min(1e6, (length * share).isFinite ? length * share : 0)))
        }
        return SVCVBlobSearch(
            model: settings.model.openCV, threshold: settings.threshold,
            kernel: pixels(settings.erodeKernel, of: Double(min(plane.image.width, plane.image.height))),
            iterations: Int32(clamping: min(1000, max(0, settings.erodeIterations))),
            history: Int32(clamping: max(1, settings.history)), scale: scale,
            minSide: pixels(settings.smallest, of: shorter), maxSide: pixels(settings.maxSize, of: shorter),
            maxBlobs: Int32(clamping: max(0, settings.maxBlobs)), uneven: settings.ground == .uneven ? 1 : 0,
            removeShadows: settings.shadows == .remove ? 1 : 0)
    }
}

extension Blob {
    /// Converts what was found in the reduced frame to full size. Edges are rounded down to pixels, as BeanCounter
    /// does, and clipped to the frame.
    fileprivate init(_ found: SVCVBlob, scale: Double, in frame: FrameImage) {
        func full(_ length: Int32) -> Double { (Double(length) / scale).rounded(.down) }
        let x = min(full(found.box.x), Double(frame.width))
        let y = min(full(found.box.y), Double(frame.height))
        box = Box(
            x: x, y: y, width: min(full(found.box.width), Double(frame.width) - x),
            height: min(full(found.box.height), Double(frame.height) - y))
        outline = UnsafeBufferPointer(start: found.outline, count: Int(found.corners)).map {
            Point($0.x / scale, $0.y / scale)
        }
        area = found.area / (scale * scale)
        color = Color(found.red, found.green, found.blue).rounded
    }

    /// Converts what was found in a close view of a part of the frame.
    fileprivate init(_ found: SVCVBlob, in place: Rectangle, size: Image) {
        let across = Double(place.width) / Double(max(1, size.width))
        let down = Double(place.height) / Double(max(1, size.height))
        box = Box(
            x: Double(place.x) + Double(found.box.x) * across, y: Double(place.y) + Double(found.box.y) * down,
            width: Double(found.box.width) * across, height: Double(found.box.height) * down)
        outline = UnsafeBufferPointer(start: found.outline, count: Int(found.corners)).map {
            Point(Double(place.x) + $0.x * across, Double(place.y) + $0.y * down)
        }
        area = found.area * across * down
        color = Color(found.red, found.green, found.blue).rounded
    }
}
