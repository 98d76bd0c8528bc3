// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Finds blobs: connected areas that differ from a plain background. Only one thread at a time may use a detector.
///
/// The detector reduces the frame's size, and estimates the background (`BlobSettings.Model`). Then it computes a mask
/// of the pixels that differ from the background. The connected parts of the mask are the blobs.
///
/// The model `frameMean` is the algorithm of the app BeanCounter. A pixel is foreground if at least one channel differs
/// from the frame's mean by more than `BlobSettings.threshold` standard deviations. The Canny algorithm (thresholds 191
/// and 255) finds the edges of the mask. The bounding boxes of the edges' contours are the blobs. BeanCounter reports
/// both the inner and the outer contour of an object. This detector ignores boxes inside of other boxes.
package final class BlobDetector {
    /// The settings. If you change the background model, call `reset`.
    package var settings: BlobSettings
    private(set) var finder = BlobFinder()
    /// Factor by which the last search multiplied the width and height of the frame.
    private(set) var scale = 1.0
    /// Durations of the stages of the last search.
    package private(set) var times = StageTimes()
    private let plane = ColorPlane()
    private let closePlane = ColorPlane()

    package init(settings: BlobSettings) { self.settings = settings }

    /// The foreground mask (0 or 255) of the last search, in the size of the reduced frame. Valid until the next
    /// search, or until the detector is released.
    package var mask: Image { finder.mask.image }

    /// Discards the learned background, for example after a seek.
    package func reset() { finder = BlobFinder() }

    /// Returns the blobs of a frame, sorted by decreasing area. The frame may have any pixel format. If the reduced
    /// frame would have no pixels, the result is empty.
    /// - Parameter record: receives the decisions of the detector.
    package func blobs(in frame: FrameImage, record: DecisionRecord? = nil) throws(VisionError) -> [Blob] {
        let start = StageTimes.now
        scale = settings.scale(width: frame.width, height: frame.height)
        try plane.fill(frame, reducedBy: scale)
        guard !plane.image.isEmpty else {
            finder.clear()
            return []
        }
        let picture = Matrix(plane.image)
        var search = search(frame, scale)
        let recorder = DecisionRecorder(record, .reduced, pixel: Point(1 / scale, 1 / scale))
        search.recorder = recorder
        let reduction = StageTimes.now - start
        let candidates = try finder.find(picture, search)
        times = finder.times
        times.reduction = reduction
        let end = StageTimes.now
        defer { times.closerViews = StageTimes.now - end }
        var (budget, shadedBudget) = (Self.closePixels, Self.shadedPixels)
        var shaded: Set<Int> = []
        var blobs: [Blob] = []
        for candidate in candidates {
            if let component = candidate.refinable?.shaded {
                guard !shaded.contains(component) else {
                    recorder?.add(.closerViewUsed, candidate.box, area: candidate.area)
                    continue
                }
                let place = surroundings(of: candidate.refinable?.box ?? candidate.box, scale, in: frame)
                if Self.gain(place, Self.shadedSide) / scale > Self.leastGain, !place.isEmpty, shadedBudget > 0 {
                    shadedBudget -= min(place.width, Self.shadedSide) * min(place.height, Self.shadedSide)
                    let refined = try refined(candidate, place, in: frame, search, side: Self.shadedSide, record)
                    if !refined.isEmpty {
                        recorder?.add(.closerViewUsed, candidate.box, area: candidate.area)
                        shaded.insert(component)
                        blobs += refined
                        continue
                    }
                }
            } else if scale < Self.closeScale, candidate.refinable != nil, budget > 0,
                max(candidate.box.width, candidate.box.height) < Self.smallSide
            {
                let place = surroundings(of: candidate.box, scale, in: frame)
                if !place.isEmpty {
                    budget -= min(place.width, Self.closeSide) * min(place.height, Self.closeSide)
                    let refined = try refined(candidate, place, in: frame, search, side: Self.closeSide, record)
                    let outcome: Decision.Outcome = refined.isEmpty ? .closerViewEmpty : .closerViewUsed
                    recorder?.add(outcome, candidate.box, area: candidate.area)
                    blobs += refined
                    continue
                }
            }
            blobs.append(try Blob(candidate, in: picture, scale: scale, frame))
        }
        // A search in a closer view can split a candidate into several blobs. So apply the maximum number of blobs
        // again.
        let sorted = blobs.sorted { ($1.area, $0.box.y, $0.box.x) < ($0.area, $1.box.y, $1.box.x) }
        let kept = Array(sorted.prefix(max(0, settings.maxBlobs)))
        if let record {
            for (index, blob) in sorted.enumerated() {
                let fits = Check(.maxBlobs, Double(index + 1), atMost: Double(settings.maxBlobs))
                record.add(
                    Decision(
                        view: .frame, outcome: fits.isMet ? .kept : .tooMany, box: blob.box, area: blob.area,
                        check: fits.isMet ? nil : fits, level: nil))
            }
        }
        return kept
    }

    // MARK: - Small things

    /// A blob gets a closer view (a search in higher resolution) if two conditions are met. The longer side of the
    /// blob's bounding box is below `smallSide` pixels of the reduced frame, and the frame was reduced by a factor
    /// below `closeScale`. `closeSide`: maximum side of a closer view, in pixels. `closePixels`: approximate maximum
    /// number of pixels in all these closer views of a frame.
    private static let smallSide = 40
    private static let closeScale = 0.75
    private static let closeSide = 144
    private static let closePixels = 60_000
    /// Limits for closer views (searches in higher resolution) of blobs with hard shadows. `shadedSide`: maximum side
    /// of a closer view, in pixels. `shadedPixels`: approximate maximum number of pixels in all these views of a frame.
    /// `leastGain`: a closer view must increase the resolution by more than this factor.
    private static let shadedSide = 320
    private static let shadedPixels = 300_000
    private static let leastGain = 1.25

    /// Returns the factor, at most 1, that reduces a part of the frame so that its longer side is at most `side`
    /// pixels.
    private static func gain(_ place: Rectangle, _ side: Int) -> Double {
        min(1, Double(side) / Double(max(1, place.width, place.height)))
    }

    /// Returns the part of the frame that shows a blob and some background around the blob.
    private func surroundings(of box: Rectangle, _ scale: Double, in frame: FrameImage) -> Rectangle {
        let wide = Box(box).grown(by: max(3, 0.2 * Double(max(box.width, box.height))))
        let part = Box(x: wide.x / scale, y: wide.y / scale, width: wide.width / scale, height: wide.height / scale)
        return frame.bounds.intersection(Rectangle(covering: part))
    }

    /// Searches a candidate of the last search again, in higher resolution, and returns the blobs.
    private func refined(
        _ candidate: Candidate, _ place: Rectangle, in frame: FrameImage, _ search: BlobSearch, side: Int,
        _ record: DecisionRecord?
    ) throws(VisionError) -> [Blob] {
        try closePlane.fill(frame.cropped(to: place), reducedBy: Self.gain(place, side))
        guard !closePlane.image.isEmpty else { return [] }
        let part = Matrix(closePlane.image)
        var search = search
        search.recorder = DecisionRecorder(
            record, .closer, origin: place.corner,
            pixel: Point(
                Double(place.width) / Double(part.width), Double(place.height) / Double(part.height)))
        var blobs: [Blob] = []
        for candidate in try finder.refine(candidate, part, place, search) {
            blobs.append(try Blob(candidate, in: part, place))
        }
        return blobs
    }

    private func search(_ frame: FrameImage, _ scale: Double) -> BlobSearch {
        let shorter = Double(min(frame.width, frame.height))
        func pixels(_ fraction: Double, of length: Double) -> Int {
            Int(max(0, min(1e6, (length * fraction).isFinite ? length * fraction : 0)))
        }
        return BlobSearch(
            model: settings.model, threshold: settings.threshold,
            kernel: pixels(settings.erodeKernel, of: Double(min(plane.image.width, plane.image.height))),
            iterations: min(1000, max(0, settings.erodeIterations)), history: max(1, settings.history), scale: scale,
            minSide: pixels(settings.smallest, of: shorter), maxSide: pixels(settings.maxSize, of: shorter),
            maxBlobs: max(0, settings.maxBlobs), isUneven: settings.ground == .uneven,
            removesShadows: settings.shadows == .remove)
    }
}

extension Blob {
    /// Creates a blob from a candidate of the reduced frame, in pixels of the full frame. As in BeanCounter, the box is
    /// rounded down to whole pixels and clipped to the frame.
    fileprivate init(
        _ found: Candidate, in picture: Matrix<UInt8>, scale: Double, _ frame: FrameImage
    ) throws(VisionError) {
        func full(_ length: Int) -> Double { (Double(length) / scale).rounded(.down) }
        let x = min(full(found.box.x), Double(frame.width))
        let y = min(full(found.box.y), Double(frame.height))
        box = Box(
            x: x, y: y, width: min(full(found.box.width), Double(frame.width) - x),
            height: min(full(found.box.height), Double(frame.height) - y))
        outline = try found.outline.map { Point($0.x / scale, $0.y / scale) }
        area = found.area / (scale * scale)
        color = try found.color(in: picture)
    }

    /// Creates a blob from a candidate of a closer view, in pixels of the full frame.
    fileprivate init(_ found: Candidate, in view: Matrix<UInt8>, _ place: Rectangle) throws(VisionError) {
        let across = Double(place.width) / Double(max(1, view.width))
        let down = Double(place.height) / Double(max(1, view.height))
        box = Box(
            x: Double(place.x) + Double(found.box.x) * across, y: Double(place.y) + Double(found.box.y) * down,
            width: Double(found.box.width) * across, height: Double(found.box.height) * down)
        outline = try found.outline.map { Point(Double(place.x) + $0.x * across, Double(place.y) + $0.y * down) }
        area = found.area * across * down
        color = try found.color(in: view)
    }
}
