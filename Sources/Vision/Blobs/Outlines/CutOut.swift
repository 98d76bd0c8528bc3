// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// An object that was cut out of an image, and the view it was cut out of.
struct CutOut: Sendable {
    let outline: Outline
    private let view: ObjectView

    /// - Parameters:
    ///   - coarse: about where the object's outline is.
    ///   - ignoresNarrowShadow: whether what may be a narrow shadow along the outline counts as ground.
    init(_ picture: BlobPicture, coarse: [Point], ignoresNarrowShadow: Bool = false) throws(VisionError) {
        // As precise as floats, so that 8.9999999 is 9.
        let coarse = coarse.map { Point(Double(Float($0.x)), Double(Float($0.y))) }
        // Detectors see 240 rows or more.
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

    /// Finds the faint parts of the object; nil if there are none.
    func faintParts() throws(VisionError) -> FaintParts? { try FaintParts(of: outline.silhouette, in: view) }
}
