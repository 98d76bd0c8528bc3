// SPDX-License-Identifier: LGPL-2.1-or-later
package import Blending
package import Imaging

/// Draws the frames between two images. It belongs to one thread.
///
/// Everything is computed in the samples of the frames, whatever they mean: each sample of the result is a weighted mean of
/// samples of the two, of black and of white, which is the same in YUV and RGB.
package final class TransitionPainter {
    private let room = TransitionRoom()

    package init() {}

    /// A moment of a transition.
    package struct Moment {
        package var transition: Transition
        /// 0: the old image; 1: the new one.
        package var progress: Double
        package var seed: UInt64
        /// The image for `disintegrate`, if there is one, in the frame's size; its number changes with it.
        package var mask: (image: Image, number: Int)?

        package init(_ transition: Transition, at progress: Double, seed: UInt64 = 0, mask: (Image, number: Int)? = nil)
        {
            self.transition = transition
            self.progress = progress > 0 ? min(1, progress) : 0
            self.seed = seed
            self.mask = mask.map { ($0.0, $0.number) }
        }
    }

    /// Fills the output. Nothing happens unless `isAlike` is true of each two of the frames.
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

    /// The visible part of a box of one of the images: its place, and how its points move.
    package struct Sight {
        package var box: Rectangle
        /// A point x of the image is seen at scale · x + offset.
        package var scale = 1.0
        package var offset = Point(0, 0)
    }

    /// Returns the visible part of a box at the moment that was drawn last; nil if nothing of it is visible. Pixels that are mixed with
    /// those of the other image count as visible.
    package func sight(of box: Rectangle, in side: TransitionSide, at moment: Moment, frame: FrameImage) -> Sight? {
        let p = moment.progress
        if p <= 0 || p >= 1 { return (p <= 0) == (side == .old) ? Sight(box: box) : nil }
        let view = TransitionView(moment: moment, frame: frame, room: room)
        return moment.transition.definition.effect.sight(of: box, in: side, view)
    }
}
