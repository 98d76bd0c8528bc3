// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The exact outline of an object in an image, and the view (a scaled part of the image) from which the outline was
/// computed.
struct CutOut: Sendable {
    let outline: Outline
    private let view: ObjectView

    /// - Parameters:
    ///   - coarse: the approximate outline of the object, in pixels of the image.
    ///   - ignoresNarrowShadow: true to treat a possible narrow shadow along the outline as background.
    init(_ picture: BlobPicture, coarse: [Point], ignoresNarrowShadow: Bool = false) throws(VisionError) {
        // Round coordinates to single precision, so that 8.9999999 becomes 9.
        let coarse = coarse.map { Point(Double(Float($0.x)), Double(Float($0.y))) }
        // The error of a coarse outline is `coarsePixel` in a frame with 240 rows. By default, detectors reduce larger
        // frames to 240 rows. So the error is proportional to the height of larger frames.
        let height = picture.frameHeight ?? Double(min(picture.width, picture.height))
        let precision = OutlineTuning.coarsePixel * max(1, height / 240)
        guard var view = try picture.withImage({ image throws(VisionError) in try ObjectView(image, coarse) }) else {
            throw VisionError(description: "the outline is outside the image")
        }
        guard
            let outline = try Outline(
                Silhouette(&view, coarse: coarse, precision: precision, ignoresNarrowShadow: ignoresNarrowShadow))
        else { throw VisionError(description: "the outline has no extent") }
        (self.outline, self.view) = (outline, view)
    }

    /// Returns the faint parts of the object, such as the teeth of a comb; nil if there are none.
    func faintParts() throws(VisionError) -> FaintParts? { try FaintParts(of: outline.silhouette, in: view) }
}
