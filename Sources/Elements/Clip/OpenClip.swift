// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Waiting

/// The data that the streaming thread shares with the threads of the files, the actions and the mixer.
struct OpenClips: Sendable {
    enum Item: Sendable {
        case frame(StreamFrame)
        /// The last frame of a pass was before this item.
        case passed
    }

    /// The decoded frames of an open file.
    struct Queue: Sendable {
        var items: [Item] = []
        /// The number of further passes that the file plays without a gap.
        var repeats = 0
        var duration: ClockTime?
        var failure: StreamFailure?
        /// True if the file returns to its beginning, and still delivers frames from before.
        var isRewinding = false

        var hasRoom: Bool { items.count < 4 || isRewinding }
        /// True if the first frame is ready, or if there will be no frame.
        var isReady: Bool { !items.isEmpty || failure != nil }
        var hasFrame: Bool { if case .frame? = items.first { true } else { false } }

        mutating func add(_ item: Item) {
            if !isRewinding { items.append(item) }
        }
    }

    /// The queues of the open files.
    var queues: [Int: Queue] = [:]
    private var lastID = 0
    /// True between the start and the stop of the element.
    var isStarted = false
    /// A request to play the current file from the beginning.
    var mustRestart = false
    /// A request to play this file after the current pass.
    var next: String?
    /// The last message of a mixer.
    private(set) var shown: InputVisibility?
    /// The messages of a mixer that the streaming thread has not handled: at most one that shows the clip, and one that
    /// hides it. The thread can be busy while a mixer hides the clip and shows it again.
    private var unhandled: [InputVisibility] = []
    /// True if the current file is played again at its end.
    var loops = false
    /// Counts the changes that may end a wait of the streaming thread.
    var changes: UInt64 = 0
    /// The number of files that are closing.
    var closing = 0

    /// Prepares for a start of the element.
    mutating func start() {
        (isStarted, mustRestart, next, shown, unhandled) = (true, false, nil, nil, [])
    }

    mutating func add(_ visibility: InputVisibility) {
        shown = visibility
        if unhandled.last?.isShown == visibility.isShown { unhandled.removeLast() }
        if unhandled.count == 2 { unhandled.removeFirst() }
        unhandled.append(visibility)
    }

    mutating func takeVisibilities() -> [InputVisibility] {
        defer { unhandled = [] }
        return unhandled
    }

    /// Adds a queue, and returns its number.
    mutating func addQueue() -> Int {
        lastID &+= 1
        queues[lastID] = Queue()
        return lastID
    }
}

/// An open file.
final class OpenClip: Sendable {
    let path: String
    private let start: ClockTime
    private let caps: StreamCaps
    private let stamp: FileStamp?
    private let id: Int
    private let desk: Monitor<OpenClips>
    private let stream: ClipStream

    init(_ path: String, from start: ClockTime, as caps: StreamCaps, _ desk: Monitor<OpenClips>) {
        let id = desk.withLock { $0.addQueue() }
        (self.id, self.path, self.start, self.caps, self.desk) = (id, path, start, caps, desk)
        stamp = FileStamp(path)
        @Sendable func change(_ body: (inout OpenClips.Queue) -> Void) {
            desk.change { desk in
                guard var queue = desk.queues.removeValue(forKey: id) else { return }
                body(&queue)
                desk.queues[id] = queue
                desk.changes &+= 1
            }
        }
        stream = ClipStream(
            ClipStream.Request(path: path, start: start, caps: caps),
            ClipStream.Events(
                frame: { frame in
                    desk.wait { $0.queues[id]?.hasRoom != false }
                    change { $0.add(.frame(frame)) }
                },
                passed: { change { $0.add(.passed) } },
                repeats: {
                    desk.withLock { desk in
                        // The limit ends a loop over a file that has lost its frames.
                        guard desk.loops, let queue = desk.queues[id], !queue.isRewinding, queue.repeats < 64 else {
                            return false
                        }
                        desk.queues[id]?.repeats += 1
                        return true
                    }
                },
                flushed: { change { ($0.items, $0.repeats, $0.isRewinding) = ([], 0, false) } },
                duration: { duration in change { $0.duration = duration } },
                failed: { failure in change { $0.failure = failure } },
                closed: { desk.change { $0.closing -= 1 } }))
        stream.open()
    }

    /// Plays the file from the beginning again. This is faster than opening the file again, and needs less memory.
    /// - Returns: false if an error, or a change of the file, the start position or the caps requires opening the file
    ///   again, or if the file supports no seek.
    func rewind(from start: ClockTime, as caps: StreamCaps) -> Bool {
        guard queue.failure == nil, stream.canRewind, start == self.start, caps == self.caps, let stamp,
            stamp == FileStamp(path)
        else { return false }
        desk.change { desk in
            desk.queues[id]?.items = []
            desk.queues[id]?.isRewinding = true
        }
        stream.rewind()
        return true
    }

    /// Closes the file in the background.
    func close() {
        desk.change { desk in
            desk.queues[id] = nil
            desk.closing += 1
        }
        stream.close()
    }

    var queue: OpenClips.Queue { desk.withLock { $0.queues[id] } ?? OpenClips.Queue() }

    /// Removes the next frame or mark from the queue; nil if the queue is empty.
    func take() -> OpenClips.Item? {
        desk.change { desk in
            guard desk.queues[id]?.items.isEmpty == false else { return nil }
            return desk.queues[id]?.items.removeFirst()
        }
    }

    /// Returns true if the file has started another pass.
    func takeRepeat() -> Bool {
        desk.withLock { desk in
            guard let queue = desk.queues[id], queue.repeats > 0 else { return false }
            desk.queues[id]?.repeats -= 1
            return true
        }
    }
}
