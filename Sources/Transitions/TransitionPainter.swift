// SPDX-License-Identifier: LGPL-2.1-or-later
package import Blending
package import Imaging

/// Draws the frames of a transition between two images. Only one thread may use a painter.
///
/// All effects use the samples of the frames directly. Each output sample is a weighted mean of samples of both images,
/// black and white. So the result is the same in YUV and RGB.
package final class TransitionPainter {
    private let room = TransitionRoom()

    package init() {}

    /// The state of a transition at a time.
    package struct Moment {
        package var transition: Transition
        /// 0 shows the old image, and 1 shows the new image.
        package var progress: Double
        package var seed: UInt64
        /// The mask for the transition `disintegrate`, in the size of the frame; nil for no mask. Different masks must
        /// have different numbers.
        package var mask: (image: Image, number: Int)?

        package init(_ transition: Transition, at progress: Double, seed: UInt64 = 0, mask: (Image, number: Int)? = nil)
        {
            self.transition = transition
            self.progress = progress > 0 ? min(1, progress) : 0
            self.seed = seed
            self.mask = mask.map { ($0.0, $0.number) }
        }
    }

    /// Draws a frame of a transition. Does nothing if the formats or sizes of the frames differ (see `isAlike`).
    package func draw(
        _ moment: Moment, from old: FrameImage, to new: FrameImage, into output: FrameImage, with blender: Blender
    ) {
        guard old.isAlike(output), new.isAlike(output), !output.isEmpty else { return }
        let effect = moment.transition.definition.effect
        let scene = Scene(old: old, new: new, output: output, at: moment, room, with: blender)
        effect.prepare(scene)
        if moment.progress <= 0 {
            scene.copy(.old)
        } else if moment.progress >= 1 {
            scene.copy(.new)
        } else {
            effect.draw(scene)
        }
    }

    /// The visible part of a rectangle in an image, and the conversion from positions in this image to positions in the
    /// frame.
    package struct Sight {
        package var box: Rectangle
        /// The point with the coordinate x in the image is visible at `scale` · x + `offset` in the frame.
        package var scale = 1.0
        package var offset = Point(0, 0)
    }

    /// Returns the part of the rectangle `box` in the image `side` that is visible in the last drawn frame. Returns nil
    /// if the rectangle is hidden. A pixel that is a mixture of both images counts as visible.
    package func sight(of box: Rectangle, in side: TransitionSide, at moment: Moment, frame: FrameImage) -> Sight? {
        let p = moment.progress
        if p <= 0 || p >= 1 { return (p <= 0) == (side == .old) ? Sight(box: box) : nil }
        let view = TransitionView(moment: moment, frame: frame, room: room)
        return moment.transition.definition.effect.sight(of: box, in: side, view)
    }
}
