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
        return blobs.map { Blob($0, scale: scale, in: frame) }
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
            minSide: pixels(settings.minSize, of: shorter), maxSide: pixels(settings.maxSize, of: shorter),
            maxBlobs: Int32(clamping: max(0, settings.maxBlobs)))
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
}
