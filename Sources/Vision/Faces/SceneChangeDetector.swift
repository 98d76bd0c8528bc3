// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Detects unchanged pictures and cuts in a stream by comparing small versions of the frames.
final class SceneChangeDetector {
    enum Change {
        /// No visible change since the last frame that was not still.
        case still
        case moved
        /// A picture that has little in common with the one before.
        case cut
    }

    /// Number of pixels of the small version along the longer side.
    private static let cells = 64.0
    private var last = OwnedImage(.gray8)
    private var current = OwnedImage(.gray8)
    private var hasLast = false

    /// Small versions of the frames in which each species was last searched.
    private var searched: [Species: OwnedImage] = [:]

    /// Forgets all frames.
    func reset() {
        hasLast = false
        searched.removeAll()
    }

    /// Makes everything count as news for every species.
    func forgetSearches() {
        searched.removeAll()
    }

    /// Returns the box around everything outside `boxes` that has changed by more than `levels` since `species` was last
    /// searched there, in the full frame; nil if nothing has. That box of the frame of the last `change` then counts as
    /// searched.
    func changedArea(
        for species: Species, beside boxes: [Box], by levels: Int, in planes: FramePlanes
    ) -> Box? {
        let image = last.image
        let bounds = planes.bounds
        guard !image.isEmpty else { return bounds }
        guard let before = searched[species]?.image, before.width == image.width, before.height == image.height else {
            let plane = searched[species] ?? OwnedImage(.gray8)
            plane.copy(image)
            searched[species] = plane
            return bounds
        }
        let scale = Double(image.width) / bounds.width
        let known = boxes.map { box in
            // A face moves its surroundings: hair, shoulders, shadows.
            Box(
                x: (box.x - 0.3 * box.width - bounds.x) * scale, y: (box.y - 0.4 * box.height - bounds.y) * scale,
                width: 1.6 * box.width * scale, height: 1.8 * box.height * scale)
        }
        var (left, right, top, bottom) = (Int.max, -1, Int.max, -1)
        for y in 0..<image.height {
            let (rowA, rowB) = (image.row(y), before.row(y))
            for x in 0..<image.width where abs(Int(rowA[x]) &- Int(rowB[x])) > levels {
                let (cellX, cellY) = (Double(x) + 0.5, Double(y) + 0.5)
                let isKnown = known.contains {
                    cellX > $0.x && cellY > $0.y && cellX < $0.x + $0.width && cellY < $0.y + $0.height
                }
                guard !isKnown else {
                    rowB[x] = rowA[x]
                    continue
                }
                (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
            }
        }
        guard right >= left, bottom >= top else { return nil }
        // Beside it, what changes slowly adds up until it is searched.
        let part = Rectangle(x: left, y: top, width: right + 1 - left, height: bottom + 1 - top)
        before.cropped(to: part).copy(from: image.cropped(to: part))
        return Box(
            x: bounds.x + Double(left) / scale, y: bounds.y + Double(top) / scale,
            width: Double(part.width) / scale, height: Double(part.height) / scale)
    }

    /// Returns the change that comes with this frame. Another size is a cut, as is the first frame.
    func change(_ plane: Image) throws(VisionError) -> Change {
        let longer = Double(max(plane.width, plane.height))
        if longer <= Self.cells {
            current.copy(plane)
        } else {
            // Integer factors are averaged much faster.
            try current.reduce(plane, by: 1 / (longer / Self.cells).rounded(.up))
        }
        let (a, b) = (current.image, last.image)
        guard hasLast, a.width == b.width, a.height == b.height, !a.isEmpty else {
            accept()
            return .cut
        }
        let (most, correlation) = compare(a, b)
        guard most > 2 else { return .still }
        accept()
        return correlation < 0.4 && most > 40 ? .cut : .moved
    }

    private func accept() {
        swap(&last, &current)
        hasLast = true
    }

    /// Returns the largest difference between two pixels, and the correlation of the pictures.
    private func compare(_ a: Image, _ b: Image) -> (most: Int, correlation: Double) {
        var (most, pairs) = (0, PixelCorrelation())
        for y in 0..<a.height {
            let (rowA, rowB) = (a.row(y), b.row(y))
            for x in 0..<a.width {
                let (p, q) = (Int(rowA[x]), Int(rowB[x]))
                most = max(most, abs(p &- q))
                pairs.add(p, q)
            }
        }
        // A picture of a single level has nothing in common with any other.
        return (most, pairs.value(noise: 1))
    }
}
