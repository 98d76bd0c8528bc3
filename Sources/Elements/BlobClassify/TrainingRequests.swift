// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// The requests from actions, key presses and clicks to the streaming thread. Any thread can add requests.
struct TrainingRequests: Mail {
    var labels: [String] = []
    /// Position of the last click, in pixels of the frame.
    var click: Point?
}

struct TrainingStatus: Mail {
    var hasBlob = false
    /// Boxes of the blobs in the last frame.
    var boxes: [Rectangle] = []
}

extension Mailbox<TrainingRequests, TrainingStatus> {
    /// Requests the selection of the blob at a position.
    /// - Parameter label: the label under which the blob is learned immediately; nil to only select the blob.
    /// - Returns: true if the last frame has a blob at the position.
    func click(_ place: Point, _ label: String?) -> Bool {
        request { requests, status in
            guard status.boxes.contains(where: { $0.contains(place) }) else { return false }
            requests.click = place
            if let label, !requests.labels.contains(label) { requests.labels.append(label) }
            return true
        }
    }

    /// Requests that the element learns the selected blob in the next frame with blobs. If no blob is selected, the
    /// element learns the largest blob.
    /// - Returns: true if the last frame has a blob, and the label is not empty.
    func learn(_ label: String) -> Bool {
        request { requests, status in
            guard status.hasBlob, !label.isEmpty else { return false }
            if !requests.labels.contains(label) { requests.labels.append(label) }
            return true
        }
    }
}

/// Detects whether a blob has stopped moving.
struct Stillness {
    private var box = Rectangle(width: 0, height: 0)
    private var start = ClockTime.zero

    private static let duration = ClockTime.second / 2

    mutating func reset() { box = Rectangle(width: 0, height: 0) }

    /// Returns true if a box has not moved for at least 0.5 s.
    /// - Parameters:
    ///   - reach: the movement of an edge, in pixels, up to which the box counts as not moved.
    ///   - time: the `elapsed` time of the frame.
    mutating func isStill(_ box: Rectangle, reach: Int, at time: ClockTime) -> Bool {
        func edges(_ box: Rectangle) -> [Int] { [box.x, box.y, box.x + box.width, box.y + box.height] }
        let hasMoved = self.box.isEmpty || zip(edges(box), edges(self.box)).contains { abs($0 - $1) > reach }
        guard !hasMoved else {
            (self.box, start) = (box, time)
            return false
        }
        return time.since(start).map { $0 >= Self.duration } ?? false
    }
}
