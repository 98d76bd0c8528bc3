// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// Labels to be learned, requested by actions and keys from any thread.
struct TrainingRequests: Mail {
    var labels: [String] = []
    /// The place that was clicked last.
    var click: Point?
}

struct TrainingStatus: Mail {
    var hasBlob = false
    /// The blobs' boxes.
    var boxes: [Rectangle] = []
}

extension Mailbox<TrainingRequests, TrainingStatus> {
    /// Asks for the blob at a place to be the one that is learned.
    /// - Parameter label: the name to learn it by at once; nil for none.
    /// - Returns: true if there was one in the last frame.
    func click(_ place: Point, _ label: String?) -> Bool {
        request { requests, status in
            guard status.boxes.contains(where: { $0.contains(place) }) else { return false }
            requests.click = place
            if let label, !requests.labels.contains(label) { requests.labels.append(label) }
            return true
        }
    }

    /// Asks for the chosen blob, else the largest, to be learned in the next frame with one.
    /// - Returns: true if there was one in the last frame.
    func learn(_ label: String) -> Bool {
        request { requests, status in
            guard status.hasBlob, !label.isEmpty else { return false }
            if !requests.labels.contains(label) { requests.labels.append(label) }
            return true
        }
    }
}

/// Notices when the largest blob stands still.
struct Stillness {
    private var box = Rectangle(width: 0, height: 0)
    private var start = ClockTime.zero

    private static let duration = ClockTime.second / 2

    mutating func reset() { box = Rectangle(width: 0, height: 0) }

    /// Returns whether a blob has been where it is for a while.
    /// - Parameters:
    ///   - reach: the number of pixels by which its edges may move.
    ///   - time: the frame's `elapsed`.
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
