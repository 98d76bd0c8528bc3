// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging
internal import KernelTypes

/// Two pictures, and the frame that shows something of both.
struct Scene {
    let old, new, output: FrameImage
    let planes: [(old: PlaneView, new: PlaneView, output: PlaneView)]

    init(old: FrameImage, new: FrameImage, output: FrameImage) {
        (self.old, self.new, self.output) = (old, new, output)
        planes = zip(zip(old.views, new.views), output.views).map { ($0.0.0, $0.0.1, $0.1) }
    }

    /// Shares bands of rows among the blender's threads.
    func forEachBand(_ blender: Blender, _ body: (Range<Int>) -> Void) {
        blender.share(0..<output.height, width: output.width) { band, _ in body(band) }
    }

    /// Shares units of work among the blender's threads.
    func forEachUnit(_ count: Int, _ blender: Blender, _ body: (Int) -> Void) {
        guard count > 0 else { return }
        let height = Blender.bandHeight
        let width = max(1, output.width * output.height / (count * height))
        blender.share(0..<count * height, width: width) { band, _ in
            for unit in band.lowerBound / height..<(band.upperBound + height - 1) / height { body(unit) }
        }
    }

    func copy(_ side: TransitionSide, with blender: Blender) {
        forEachBand(blender) { band in
            for plane in planes {
                for row in plane.output.rows(of: band) {
                    plane.output.row(row).update(
                        from: (side == .old ? plane.old : plane.new).row(row), count: plane.output.rowBytes)
                }
            }
        }
    }

    /// Mixes all pixels with one weight.
    func mix(weight: UInt8, with blender: Blender) {
        forEachBand(blender) { band in
            let mixer = RowMixer(width: 0, kernels: output.kernels)
            for plane in planes {
                for row in plane.output.rows(of: band) {
                    mixer.mix(
                        plane.old.row(row), plane.new.row(row), weight: weight, into: plane.output.row(row),
                        count: plane.output.rowBytes)
                }
            }
        }
    }

    func mix(by map: ThresholdMap, at moment: ThresholdMap.Moment, with blender: Blender) {
        forEachBand(blender) { band in
            let mixer = RowMixer(width: output.width, kernels: output.kernels)
            for plane in planes {
                mixer.mix(
                    plane.old, plane.new, by: map, at: moment, into: plane.output, rows: plane.output.rows(of: band))
            }
        }
    }

    /// Mixes one of the pictures with a colour.
    /// - Parameter share: that of the colour.
    func fade(through color: Color, share: Double, shows side: TransitionSide, _ blender: Blender) {
        let weight = byte(255 * share)
        let rows = planes.map {
            Array(repeating: self.samples(of: color, $0.output), count: $0.output.units).flatMap(\.self)
        }
        forEachBand(blender) { band in
            let mixer = RowMixer(width: 0, kernels: output.kernels)
            for (plane, color) in zip(planes, rows) {
                color.withUnsafeBufferPointer { color in
                    guard let color = color.baseAddress else { return }
                    for row in plane.output.rows(of: band) {
                        mixer.mix(
                            (side == .old ? plane.old : plane.new).row(row), color, weight: weight,
                            into: plane.output.row(row), count: plane.output.rowBytes)
                    }
                }
            }
        }
    }

    /// The samples of a colour in a unit of a plane.
    func samples(of color: Color, _ plane: PlaneView) -> [UInt8] {
        let unit = output.format.unit(of: plane.layout, color, output.colorimetry)
        return (0..<min(4, plane.layout.unitBytes)).map { unit[$0] }
    }

    // MARK: - Motion

    func move(_ motion: Motion, with blender: Blender) {
        forEachBand(blender) { band in
            for plane in planes {
                let layout = plane.output.layout
                for row in plane.output.rows(of: band) {
                    for side in [TransitionSide.old, .new] {
                        let offset = motion.offset(of: side)
                        let seen = motion.seen(of: side, in: output.bounds)
                        // Sides of what is seen are those of the frame, or lie where chroma begins.
                        let (top, bottom) = (seen.y / layout.rows, layout.unitRows(height: seen.y + seen.height))
                        guard top..<max(top, bottom) ~= row else { continue }
                        let (left, right) = (seen.x / layout.columns, layout.units(width: seen.x + seen.width))
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

/// Where two pictures are that move, as a whole, along a side of the frame.
struct Motion {
    /// The way that the new picture has gone, in pixels.
    private let way: (x: Int, y: Int)
    private let size: (width: Int, height: Int)
    private let pushes: Bool
    private let direction: (x: Int, y: Int)

    /// Whole steps of chroma, so that samples are copied.
    init(_ transition: Transition, at progress: Double, in frame: FrameImage) {
        let chroma = frame.format.planes.last
        let (columns, rows) = (chroma?.columns ?? 1, chroma?.rows ?? 1)
        size = ((frame.width + columns - 1) / columns * columns, (frame.height + rows - 1) / rows * rows)
        switch transition {
        case .slideLeft, .pushLeft: direction = (-1, 0)
        case .slideRight, .pushRight: direction = (1, 0)
        case .slideUp, .pushUp: direction = (0, -1)
        default: direction = (0, 1)
        }
        switch transition {
        case .pushLeft, .pushRight, .pushUp, .pushDown: pushes = true
        default: pushes = false
        }
        func steps(_ length: Int, _ step: Int) -> Int { Int((progress * Double(length / step)).rounded()) * step }
        way = (direction.x * steps(size.width, columns), direction.y * steps(size.height, rows))
    }

    /// How far a picture's left and top edges are from the frame's.
    func offset(of side: TransitionSide) -> (x: Int, y: Int) {
        switch side {
        case .new: (way.x - direction.x * size.width, way.y - direction.y * size.height)
        case .old: pushes ? way : (0, 0)
        }
    }

    /// The part of the frame that shows a picture.
    func seen(of side: TransitionSide, in bounds: Rectangle) -> Rectangle {
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
