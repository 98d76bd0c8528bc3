// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

extension WarpEdges {
    /// Returns the position in the frame from which `point` gets its colour. Returns nil if the colour is transparent
    /// black. With `clamp`, returns `point` unchanged, because samplers read the nearest pixel of the frame.
    func position(_ point: Point, _ width: Double, _ height: Double) -> Point? {
        switch self {
        case .clamp: point
        case .mirror: Point(folded(point.x, width), folded(point.y, height))
        case .wrap: Point(wrapped(point.x, width), wrapped(point.y, height))
        case .transparent:
            point.x >= 0 && point.y >= 0 && point.x <= width && point.y <= height ? point : nil
        }
    }

    /// Returns an area of a frame from which all points of `area` get their colours. Returns nil if all points are
    /// transparent black.
    func area(_ area: Area, _ width: Double, _ height: Double) -> Area? {
        switch self {
        case .clamp: return area
        case .transparent: return area.clipped(width: width, height: height)
        case .mirror, .wrap:
            let (across, down) = (range(area.left, area.right, width), range(area.top, area.bottom, height))
            return Area(left: across.low, top: down.low, right: across.high, bottom: down.high)
        }
    }

    /// The coordinates from `first` to `last` may be outside of the frame. Returns the range of the frame's coordinates
    /// from which they get their colours.
    private func range(_ first: Double, _ last: Double, _ size: Double) -> (low: Double, high: Double) {
        let (start, end) = ((first / size).rounded(.down), (last / size).rounded(.down))
        let isMirrored = self == .mirror
        guard end > start else {
            // Outside of the frame, copies of the frame are side by side. Here, all coordinates are in the same copy.
            let (a, b) = (first - start * size, last - start * size)
            let isTurned = isMirrored && start.remainder(dividingBy: 2) != 0
            return isTurned ? (size - b, size - a) : (a, b)
        }
        guard isMirrored, end - start == 1 else { return (0, size) }
        // The coordinates are in two adjacent copies of the frame, which mirror each other at `border`. So the range
        // starts at the border, and its length is the larger distance of an end from the border.
        let border = end * size
        let reach = max(border - first, last - border)
        return end.remainder(dividingBy: 2) == 0 ? (0, reach) : (size - reach, size)
    }
}

/// Reflects `value` at all multiples of `size`, so that the result is in 0…`size`.
func folded(_ value: Double, _ size: Double) -> Double { abs(value.remainder(dividingBy: 2 * size)) }

/// Subtracts a multiple of `size`, so that the result is in 0…`size`.
private func wrapped(_ value: Double, _ size: Double) -> Double { value - (value / size).rounded(.down) * size }
