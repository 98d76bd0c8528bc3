// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// Draws a group of transitions. `Transition.definition` selects the effect and its parameters for each transition.
protocol TransitionEffect: Sendable {
    /// Prepares data before each frame of a transition. This method is also called for the first and the last frame,
    /// which are copies of an image, so `draw` is not called for them. So slow preparation happens in the first frame.
    func prepare(_ scene: Scene)

    /// Fills the scene's output. The progress is greater than 0 and less than 1.
    func draw(_ scene: Scene)

    /// Returns true if any part of the image `side` is visible at this progress.
    func isVisible(_ side: TransitionSide, at progress: Double) -> Bool

    /// Returns the visible part of the rectangle `box` in the image `side`. Returns nil if this rectangle is hidden.
    /// The progress in `view` is greater than 0 and less than 1.
    func sight(of box: Rectangle, in side: TransitionSide, _ view: TransitionView) -> TransitionPainter.Sight?
}

extension TransitionEffect {
    func prepare(_ scene: Scene) {}

    func isVisible(_ side: TransitionSide, at progress: Double) -> Bool { true }

    func sight(of box: Rectangle, in side: TransitionSide, _ view: TransitionView) -> TransitionPainter.Sight? {
        isVisible(side, at: view.moment.progress) ? .init(box: box) : nil
    }
}

struct TransitionView {
    let moment: TransitionPainter.Moment
    let frame: FrameImage
    let room: TransitionRoom
}

/// Data that a transition painter reuses for later frames.
final class TransitionRoom {
    struct MapKey: Equatable {
        var transition: Transition
        var width, height: Int
        var seed: UInt64
        /// The number of the mask (see `TransitionPainter.Moment`) from which the threshold map was computed.
        var mask: Int?
    }

    var map: (key: MapKey, map: ThresholdMap)?
    var blurs: [BlurRoom] = []
}

extension Rectangle {
    /// Returns the bounding box of the visible parts of this rectangle. Calls `isVisible` for up to 16 × 16 positions
    /// in the rectangle. Returns nil if all these positions are hidden.
    func visiblePart(_ isVisible: (_ x: Double, _ y: Double) -> Bool) -> Rectangle? {
        guard !isEmpty else { return nil }
        let (columns, rows) = (min(16, width), min(16, height))
        var (left, right, top, bottom) = (columns, -1, rows, -1)
        for row in 0..<rows {
            for column in 0..<columns {
                let x = Double(self.x) + (Double(column) + 0.5) * Double(width) / Double(columns)
                let y = Double(self.y) + (Double(row) + 0.5) * Double(height) / Double(rows)
                guard isVisible(x, y) else { continue }
                (left, right, top, bottom) = (min(left, column), max(right, column), min(top, row), max(bottom, row))
            }
        }
        guard right >= 0 else { return nil }
        let (x, y) = (left * width / columns, top * height / rows)
        return Rectangle(
            x: self.x + x, y: self.y + y, width: ((right + 1) * width + columns - 1) / columns - x,
            height: ((bottom + 1) * height + rows - 1) / rows - y
        ).intersection(self)
    }
}
