// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

/// The look of transitions of one family. `Transition.definition` says which effect a transition has, and with which parameters.
protocol TransitionEffect: Sendable {
    /// Called before each frame, also the first and the last one: for what takes time with the first frame.
    func prepare(_ scene: Scene)

    /// Fills the scene's output. The progress is above 0 and below 1.
    func draw(_ scene: Scene)

    /// Returns whether an image is visible at all.
    func isSeen(_ side: TransitionSide, at progress: Double) -> Bool

    /// Returns the visible part of a box of an image; nil if nothing of it is visible. The progress is above 0 and below 1.
    func sight(of box: Rectangle, in side: TransitionSide, _ view: TransitionView) -> TransitionPainter.Sight?
}

extension TransitionEffect {
    func prepare(_ scene: Scene) {}

    func isSeen(_ side: TransitionSide, at progress: Double) -> Bool { true }

    func sight(of box: Rectangle, in side: TransitionSide, _ view: TransitionView) -> TransitionPainter.Sight? {
        isSeen(side, at: view.moment.progress) ? .init(box: box) : nil
    }
}

/// A frame that was drawn.
struct TransitionView {
    let moment: TransitionPainter.Moment
    let frame: FrameImage
    let room: TransitionRoom
}

/// What a painter keeps from frame to frame.
final class TransitionRoom {
    /// What a map follows from.
    struct MapKey: Equatable {
        var transition: Transition
        var width, height: Int
        var seed: UInt64
        /// Number of the mask.
        var mask: Int?
    }

    var map: (key: MapKey, map: ThresholdMap)?
    var blurs: [BlurRoom] = []
}

extension Rectangle {
    /// Returns the smallest part around those of 16 x 16 places that are visible; nil if none is.
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
