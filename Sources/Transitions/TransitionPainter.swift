// SPDX-License-Identifier: LGPL-2.1-or-later
package import Blending
package import Imaging
internal import KernelTypes

/// Draws the pictures between two others. It belongs to one thread.
///
/// Everything is computed in the samples of the frames, whatever they mean: each sample of the result is a weighted mean of
/// samples of the two, of black and of white, which is the same in YUV and RGB.
package final class TransitionPainter {
    private var map: (key: MapKey, map: ThresholdMap?)?
    private var rooms: [BlurRoom] = []

    /// What a map follows from.
    private struct MapKey: Equatable {
        var transition: Transition
        var width, height: Int
        var seed: UInt64
        /// Address and number of the mask.
        var mask: Int?
    }

    package init() {}

    /// A moment of a transition.
    package struct Moment {
        package var transition: Transition
        /// 0: the old picture; 1: the new one.
        package var progress: Double
        package var seed: UInt64
        /// The picture for `disintegrate`, if there is one, in the frame's size; its number changes with it.
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
        // Made with the first frame, which costs nothing else.
        let map = map(for: moment, output, blender)
        let scene = Scene(old: old, new: new, output: output)
        if moment.progress <= 0 { return scene.copy(.old, with: blender) }
        if moment.progress >= 1 { return scene.copy(.new, with: blender) }
        let p = moment.progress
        switch moment.transition {
        case .dissolve, .random: scene.mix(weight: byte(255 * p), with: blender)
        case .fadeBlack: scene.fade(through: .black, share: 1 - abs(2 * p - 1), shows: p < 0.5 ? .old : .new, blender)
        case .fadeWhite: scene.fade(through: .white, share: 1 - abs(2 * p - 1), shows: p < 0.5 ? .old : .new, blender)
        case .flash:
            let share = p < Self.flashPeak ? p / Self.flashPeak : (1 - p) / (1 - Self.flashPeak)
            scene.fade(
                through: .white, share: p < Self.flashPeak ? share : share * share,
                shows: p < Self.flashPeak ? .old : .new, blender)
        case .slideLeft, .slideRight, .slideUp, .slideDown, .pushLeft, .pushRight, .pushUp, .pushDown:
            scene.move(Motion(moment.transition, at: p, in: output), with: blender)
        case .ripple: scene.warp(Ripple(at: p, width: output.width, height: output.height), with: blender)
        case .zoom: scene.magnify(Zoom(at: p, width: output.width, height: output.height), with: blender)
        case .pageCurl: scene.warp(PageCurl(at: p, width: output.width, height: output.height), with: blender)
        case .pixelize:
            scene.pixelize(side: Self.blockSide(at: p, height: output.height), weight: Self.middleWeight(p), blender)
        case .blur:
            scene.blur(radius: Self.blurRadius(at: p, output.width), weight: Self.middleWeight(p), &rooms, blender)
        default:
            guard let map else { return scene.mix(weight: byte(255 * p), with: blender) }
            scene.mix(by: map, at: map.moment(at: p), with: blender)
        }
    }

    /// The moment at which a flash is brightest.
    private static let flashPeak = 0.1

    /// The new picture's share where the change is hidden: none before 0.25, all after 0.75.
    static func middleWeight(_ p: Double) -> UInt8 {
        let t = min(1, max(0, 2 * p - 0.5))
        return byte(255 * t * t * (3 - 2 * t))
    }

    /// The side of a block of pixels: even, up to a tenth of the height.
    static func blockSide(at p: Double, height: Int) -> Int {
        2 * Int((0.05 * Double(height) * (1 - abs(2 * p - 1))).rounded()) + 2
    }

    /// The reach of each of two means: up to a fiftieth of the width.
    static func blurRadius(at p: Double, _ width: Int) -> Int {
        Int((0.02 * Double(width) * (1 - abs(2 * p - 1))).rounded())
    }

    private func map(for moment: Moment, _ output: FrameImage, _ blender: Blender) -> ThresholdMap? {
        let usesSeed = moment.transition == .disintegrate
        let key = MapKey(
            transition: moment.transition, width: output.width, height: output.height, seed: usesSeed ? moment.seed : 0,
            mask: usesSeed ? moment.mask?.number : nil)
        if let map, map.key == key { return map.map }
        let new = ThresholdMap.map(
            of: moment.transition, width: output.width, height: output.height, seed: moment.seed,
            mask: moment.mask?.image, with: blender)
        map = (key, new)
        return new
    }

    // MARK: - Where things are

    /// What is seen of a box of one of the pictures: where, and how its points move.
    package struct Sight {
        package var box: Rectangle
        /// A point x of the picture is seen at scale · x + offset.
        package var scale = 1.0
        package var offset = Point(0, 0)
    }

    /// Returns what is seen of a box at a moment that was drawn last; nil if nothing is. What is seen in part counts.
    package func sight(of box: Rectangle, in side: TransitionSide, at moment: Moment, frame: FrameImage) -> Sight? {
        let p = moment.progress
        if p <= 0 || p >= 1 { return (p <= 0) == (side == .old) ? Sight(box: box) : nil }
        let (width, height) = (frame.width, frame.height)
        func part(_ box: Rectangle, _ isSeen: (Double, Double) -> Bool) -> Sight? {
            seenPart(of: box, isSeen).map { Sight(box: $0) }
        }
        switch moment.transition {
        case .dissolve, .random: return Sight(box: box)
        case .fadeBlack, .fadeWhite: return (p < 0.5) == (side == .old) ? Sight(box: box) : nil
        case .flash: return (p < Self.flashPeak) == (side == .old) ? Sight(box: box) : nil
        case .pixelize, .blur:
            let weight = Self.middleWeight(p)
            return (side == .old ? weight < 255 : weight > 0) ? Sight(box: box) : nil
        case .slideLeft, .slideRight, .slideUp, .slideDown, .pushLeft, .pushRight, .pushUp, .pushDown:
            let motion = Motion(moment.transition, at: p, in: frame)
            let offset = motion.offset(of: side)
            let moved = Rectangle(x: box.x + offset.x, y: box.y + offset.y, width: box.width, height: box.height)
            let seen = moved.intersection(motion.seen(of: side, in: frame.bounds))
            return seen.isEmpty ? nil : Sight(box: seen, offset: Point(Double(offset.x), Double(offset.y)))
        case .zoom where side == .old:
            let zoom = Zoom(at: p, width: width, height: height)
            return zoom.isOldSeen ? zoom.sight(of: box, in: frame.bounds) : nil
        case .zoom: return Zoom(at: p, width: width, height: height).isNewSeen ? Sight(box: box) : nil
        case .ripple:
            let ripple = Ripple(at: p, width: width, height: height)
            return part(box) { ripple.isSeen(side, $0, $1) }
        case .pageCurl:
            let curl = PageCurl(at: p, width: width, height: height)
            return part(box) { curl.isSeen(side, $0, $1) }
        default:
            guard let map = map?.map, map.width == width, map.height == height else { return Sight(box: box) }
            let now = map.moment(at: p)
            return part(box) {
                let weight = map.weight(Int($0), Int($1), at: now)
                return side == .old ? weight < 255 : weight > 0
            }
        }
    }

    /// Returns the smallest box around the seen ones of 16 x 16 places.
    private func seenPart(of box: Rectangle, _ isSeen: (Double, Double) -> Bool) -> Rectangle? {
        guard !box.isEmpty else { return nil }
        let (columns, rows) = (min(16, box.width), min(16, box.height))
        var (left, right, top, bottom) = (columns, -1, rows, -1)
        for row in 0..<rows {
            for column in 0..<columns {
                let x = Double(box.x) + (Double(column) + 0.5) * Double(box.width) / Double(columns)
                let y = Double(box.y) + (Double(row) + 0.5) * Double(box.height) / Double(rows)
                guard isSeen(x, y) else { continue }
                (left, right, top, bottom) = (min(left, column), max(right, column), min(top, row), max(bottom, row))
            }
        }
        guard right >= 0 else { return nil }
        let (x, y) = (left * box.width / columns, top * box.height / rows)
        return Rectangle(
            x: box.x + x, y: box.y + y, width: ((right + 1) * box.width + columns - 1) / columns - x,
            height: ((bottom + 1) * box.height + rows - 1) / rows - y
        ).intersection(box)
    }
}
