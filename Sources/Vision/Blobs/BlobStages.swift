// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Drawing
import Imaging

extension BlobDetector {
    /// A stage of the search that `draw` can show.
    package enum Stage: Sendable, CaseIterable {
        /// The foreground mask.
        case mask
        /// The background that the detector estimated.
        case background
        /// The foreground mask, and the removed shadows in blue.
        case shadows
        /// The blobs of the reduced frame, before the detector searches small blobs again in a closer view.
        case candidates
        /// The frame with the outlines of the blobs.
        case outlines
    }

    /// Draws a stage of the last search over the searched frame.
    /// - Parameters:
    ///   - blobs: the blobs that `blobs(in:record:)` returned.
    ///   - color: the colour of the outlines.
    package func draw(_ stage: Stage, _ blobs: [Blob], color: Color, on frame: FrameImage) throws(VisionError) {
        guard stage != .outlines else {
            let width = max(1, Double(min(frame.width, frame.height)) / 240)
            for blob in blobs { frame.outline(blob.outline, lineWidth: width, color: color) }
            return
        }
        frame.fill(frame.bounds, color: 0xFF00_0000)
        switch stage {
        case .mask:
            frame.fill(Mask(mask, stretchedTo: frame.bounds), color: 0xFFFF_FFFF)
        case .background:
            if let background = try finder.background {
                let large = try background.resized(width: frame.width, height: frame.height, sv_cv_linear)
                Stamp(premultiplied: large.image).draw(on: frame, x: 0, y: 0)
            }
        case .shadows:
            frame.fill(Mask(mask, stretchedTo: frame.bounds), color: 0xFFFF_FFFF)
            let shadows = finder.found?.shadows ?? Matrix()
            frame.fill(Mask(shadows.image, stretchedTo: frame.bounds), color: 0xFF00_72B2)
        case .candidates:
            for (index, candidate) in (finder.found?.candidates ?? []).enumerated() {
                let outline = try candidate.outline.map { Point($0.x / scale, $0.y / scale) }
                frame.polygon(outline, color: Self.palette[index % Self.palette.count])
            }
        case .outlines: break
        }
    }

    /// Colours that people with any type of colour vision can distinguish (Okabe and Ito, 2008).
    private static let palette: [Color] = [
        0xFFE6_9F00, 0xFF56_B4E9, 0xFF00_9E73, 0xFFF0_E442, 0xFFD5_5E00, 0xFFCC_79A7,
    ]
}
