// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging

/// The new image slides over the old image, or pushes the old image out.
struct Motion: TransitionEffect {
    enum Direction {
        case left, right, up, down

        /// The direction as a vector of one pixel.
        var step: (x: Int, y: Int) {
            switch self {
            case .left: (-1, 0)
            case .right: (1, 0)
            case .up: (0, -1)
            case .down: (0, 1)
            }
        }
    }

    let direction: Direction
    let pushes: Bool

    init(_ direction: Direction, pushes: Bool = false) { (self.direction, self.pushes) = (direction, pushes) }

    func draw(_ scene: Scene) {
        scene.move(MovingImages(self, at: scene.progress, in: scene.output))
    }

    func sight(of box: Rectangle, in side: TransitionSide, _ view: TransitionView) -> TransitionPainter.Sight? {
        let images = MovingImages(self, at: view.moment.progress, in: view.frame)
        let offset = images.offset(of: side)
        let moved = Rectangle(x: box.x + offset.x, y: box.y + offset.y, width: box.width, height: box.height)
        let visible = moved.intersection(images.visible(of: side, in: view.frame.bounds))
        return visible.isEmpty ? nil : .init(box: visible, offset: Point(Double(offset.x), Double(offset.y)))
    }
}

/// The positions of both images in the frame. The images move horizontally or vertically without distortion.
struct MovingImages {
    /// The distance by which the new image has moved since the start, in pixels.
    private let travel: (x: Int, y: Int)
    private let size: (width: Int, height: Int)
    private let pushes: Bool
    private let direction: (x: Int, y: Int)

    /// Computes the positions of both images. The positions are rounded to whole chroma samples, so that samples can be
    /// copied.
    init(_ motion: Motion, at progress: Double, in frame: FrameImage) {
        let chroma = frame.format.planes.last
        let (columns, rows) = (chroma?.columns ?? 1, chroma?.rows ?? 1)
        size = ((frame.width + columns - 1) / columns * columns, (frame.height + rows - 1) / rows * rows)
        (pushes, direction) = (motion.pushes, motion.direction.step)
        func steps(_ length: Int, _ step: Int) -> Int { Int((progress * Double(length / step)).rounded()) * step }
        travel = (direction.x * steps(size.width, columns), direction.y * steps(size.height, rows))
    }

    /// Returns the position of an image's top left corner in the frame.
    func offset(of side: TransitionSide) -> (x: Int, y: Int) {
        switch side {
        case .new: (travel.x - direction.x * size.width, travel.y - direction.y * size.height)
        case .old: pushes ? travel : (0, 0)
        }
    }

    /// Returns the part of the frame in which the image `side` is visible.
    func visible(of side: TransitionSide, in bounds: Rectangle) -> Rectangle {
        let new = offset(of: .new)
        let ofNew = Rectangle(x: new.x, y: new.y, width: size.width, height: size.height).intersection(bounds)
        guard side == .old else { return ofNew }
        guard !ofNew.isEmpty else { return bounds }
        if direction.x != 0 {
            let x = direction.x < 0 ? 0 : ofNew.width
            return Rectangle(x: x, y: 0, width: bounds.width - ofNew.width, height: bounds.height)
        }
        let y = direction.y < 0 ? 0 : ofNew.height
        return Rectangle(x: 0, y: y, width: bounds.width, height: bounds.height - ofNew.height)
    }
}

extension Scene {
    func move(_ motion: MovingImages) {
        forEachBand { band in
            for plane in planes {
                let layout = plane.output.layout
                for row in plane.output.rows(of: band) {
                    for side in [TransitionSide.old, .new] {
                        let offset = motion.offset(of: side)
                        let visible = motion.visible(of: side, in: output.bounds)
                        // The visible part begins and ends at edges of the frame or of chroma samples, so the positions
                        // in the plane are exact.
                        let (top, bottom) = (
                            visible.y / layout.rows, layout.unitRows(height: visible.y + visible.height)
                        )
                        guard top..<max(top, bottom) ~= row else { continue }
                        let (left, right) = (visible.x / layout.columns, layout.units(width: visible.x + visible.width))
                        let from = side == .old ? plane.old : plane.new
                        let source = row - offset.y / layout.rows
                        let first = left - offset.x / layout.columns
                        guard right > left, 0..<from.rows ~= source, first >= 0, first + right - left <= from.units
                        else { continue }
                        (plane.output.row(row) + left * layout.unitBytes).update(
                            from: from.row(source) + first * layout.unitBytes, count: (right - left) * layout.unitBytes)
                    }
                }
            }
        }
    }
}
