// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Assigns track IDs to the boxes of consecutive frames. The tracker compares only positions and sizes of boxes. A box
/// continues the track with the largest overlap. If no track overlaps the box, the box continues a nearby track of
/// similar size. Otherwise the box starts a new track.
package struct BoxTracker {
    /// Maximum number of consecutive frames in which a track gets no box. The track ends after more such frames.
    package let patience: Int
    private let nextID: () -> Int
    private var tracks: [BoxTrack] = []
    private var lastFrame: Int?

    private struct BoxTrack {
        let id: Int
        var path: MovingBox
        var lastFrame: Int
    }

    /// - Parameters:
    ///   - patience: the maximum number of consecutive frames in which a track gets no box.
    ///   - nextID: returns an ID for a new track.
    package init(patience: Int = 10, nextID: @escaping () -> Int) {
        self.patience = max(0, min(1 << 30, patience))
        self.nextID = nextID
    }

    /// Removes all tracks, for example after a seek.
    package mutating func reset() {
        tracks.removeAll()
        lastFrame = nil
    }

    /// Returns the track ID of each box.
    /// - Parameters:
    ///   - boxes: the boxes of the frame, in pixels.
    ///   - frame: the frame's index. Frames may be skipped. If the index is not greater than the previous index, the
    ///     tracker removes all tracks.
    package mutating func ids(of boxes: [Box], frame: Int) -> [Int] {
        if let lastFrame, frame <= lastFrame { reset() }
        lastFrame = frame
        tracks.removeAll { track in
            let (age, overflow) = frame.subtractingReportingOverflow(track.lastFrame)
            return overflow || age > patience + 1
        }

        var pairs: [(track: Int, box: Int, score: Double)] = []
        for (t, track) in tracks.enumerated() {
            let expected = track.path.expected(after: frame &- track.lastFrame)
            for (b, box) in boxes.enumerated() {
                let score = max(Self.score(expected, box), Self.score(track.path.box, box))
                if score > 0 { pairs.append((t, b, score)) }
            }
        }
        pairs.sort { ($0.score, $1.track, $1.box) > ($1.score, $0.track, $0.box) }

        var ids = [Int?](repeating: nil, count: boxes.count)
        var isTaken = [Bool](repeating: false, count: tracks.count)
        for pair in pairs where ids[pair.box] == nil && !isTaken[pair.track] {
            ids[pair.box] = tracks[pair.track].id
            isTaken[pair.track] = true
            tracks[pair.track].path.move(to: boxes[pair.box], after: max(1, frame &- tracks[pair.track].lastFrame))
            tracks[pair.track].lastFrame = frame
        }
        return zip(boxes, ids).map { box, id in
            if let id { return id }
            let id = nextID()
            tracks.append(BoxTrack(id: id, path: MovingBox(box), lastFrame: frame))
            return id
        }
    }

    /// Returns a score for a box that may continue a track. If the intersection over union of the track's expected box
    /// and the new box is above 0.1, the score is 1 plus this value. If the boxes are only near each other and have
    /// similar sizes, the score is 0…1. Otherwise the score is 0.
    static func score(_ expected: Box, _ box: Box) -> Double {
        let overlap = expected.intersectionOverUnion(box)
        if overlap > 0.1 { return 1 + overlap }
        let sizes = (expected.area.squareRoot(), box.area.squareRoot())
        let reach = 0.75 * max(sizes.0, sizes.1)
        let distance = (expected.center - box.center).length
        guard distance < reach, min(sizes.0, sizes.1) > 0.6 * max(sizes.0, sizes.1) else { return 0 }
        return 1 - distance / reach
    }
}
