import ElementKit
import Pixels
import Synchronization

/// Labels to be learned, requested by actions and keys from any thread.
final class LessonDesk: Sendable {
    private struct Content {
        var labels: [String] = []
        var hasBlob = false
    }

    private let content = Mutex(Content())

    /// Asks for the largest blob to be learned in the next frame.
    /// - Returns: true if there was one in the last frame.
    func ask(for label: String) -> Bool {
        content.withLock { content in
            guard content.hasBlob, !label.isEmpty else { return false }
            if !content.labels.contains(label) { content.labels.append(label) }
            return true
        }
    }

    func clear() { content.withLock { $0 = Content() } }

    /// Takes the requests since the last frame with a blob; for the streaming thread.
    func take(hasBlob: Bool) -> [String] {
        content.withLock { content in
            content.hasBlob = hasBlob
            guard hasBlob else { return [] }
            defer { content.labels = [] }
            return content.labels
        }
    }
}

/// Notices when the largest blob stands still.
struct Stillness {
    private var box = Rectangle(width: 0, height: 0)
    private var start: (frame: Int, time: ClockTime?) = (0, nil)

    /// Half a second, or the number of frames below if frames have no time.
    private static let duration = ClockTime.second / 2
    private static let frames = 15

    mutating func reset() { box = Rectangle(width: 0, height: 0) }

    /// Returns whether a blob has been where it is for a while.
    /// - Parameter reach: the number of pixels by which its edges may move.
    mutating func isStill(_ box: Rectangle, reach: Int, frame: Int, at time: ClockTime?) -> Bool {
        func edges(_ box: Rectangle) -> [Int] { [box.x, box.y, box.x + box.width, box.y + box.height] }
        let hasMoved = self.box.isEmpty || zip(edges(box), edges(self.box)).contains { abs($0 - $1) > reach }
        if hasMoved || time == nil && start.time != nil {
            self.box = box
            start = (frame, time)
            return false
        }
        guard let time, let began = start.time else { return frame - start.frame >= Self.frames }
        return time.since(began).map { $0 >= Self.duration } ?? false
    }
}
