// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Waiting

/// The data that the streaming thread shares with the threads of the files, the actions and the mixer.
struct OpenClips: Sendable {
    enum Item: Sendable {
        case frame(StreamFrame)
        /// The end of a pass (one playback of the file).
        case passed
    }

    /// The decoded frames of an open file.
    struct Queue: Sendable {
        var items: [Item] = []
        /// The number of the pass (one playback of the file) to which the first item belongs.
        var pass = 0
        /// The number of passes that the decoder has started, and from which svclip has not output a frame yet.
        var repeats = 0
        var duration: ClockTime?
        var failure: StreamFailure?
        /// True while the file returns to its beginning. Frames that arrive in this time are outdated.
        var isRewinding = false
        /// The sound; nil if the clip plays without sound.
        var sound: ClipSoundStore?
        /// The time of the last frame or sound from the decoder.
        private var lastArrival = ClockTime.now

        var hasRoom: Bool { items.count < 4 || isRewinding || !isComplete && !isFull }

        /// True if the queue has its maximum number of frames. These frames usually last longer than `ClipSound.lead`,
        /// so that the decoder also reaches sound that the file stores behind its frames.
        private var isFull: Bool { items.count >= 24 }

        /// False if svclip must wait for more frames or sound before it outputs the next frame.
        var isComplete: Bool {
            guard let sound, failure == nil else { return true }
            var (pass, length, last) = (pass, ClockTime.zero, (end: ClockTime, pass: Int)?.none)
            for item in items {
                switch item {
                case .passed: pass += 1
                case .frame(let frame):
                    length = length + frame.length
                    if let position = frame.time { last = (position + frame.length, pass) }
                }
            }
            guard length >= ClipSound.lead || pass - self.pass > repeats || isFull else { return false }
            return last.map { sound.covers($0.end, ofPass: $0.pass) } ?? true
        }

        /// True if the first frame is ready, or if there will be no frame.
        var isReady: Bool { !items.isEmpty || failure != nil }
        var hasFrame: Bool { if case .frame? = items.first { true } else { false } }

        mutating func add(_ item: Item) {
            guard !isRewinding else { return }
            items.append(item)
            lastArrival = .now
        }

        mutating func addSound(_ event: ClipStream.SoundEvent) {
            sound?.take(event)
            lastArrival = .now
        }

        /// Lets the decoder continue if the decoder waits for room while svclip waits for frames or sound.
        /// - Returns: true if svclip waits for this file.
        mutating func relieve() -> Bool {
            let (isWaiting, needsSound) = (!isComplete, isFull)
            if isWaiting, sound?.relieve(needsSound: needsSound, since: lastArrival) == true { lastArrival = .now }
            return isWaiting
        }

        mutating func take() -> Item? {
            guard isComplete, !items.isEmpty else { return nil }
            let item = items.removeFirst()
            switch item {
            case .frame(let frame): sound?.forget(before: frame.time, ofPass: pass)
            case .passed: pass += 1
            }
            return item
        }

        mutating func clear() { (items, pass) = ([], 0) }
    }

    /// The queues of the open files.
    var queues: [Int: Queue] = [:]
    private var lastID = 0
    /// True between the start and the stop of the element.
    var isStarted = false
    /// True if the user has requested that the current file plays from its beginning.
    var mustRestart = false
    /// The path of the file that the user has requested to play after the current pass; nil if there is no request.
    var next: String?
    /// The last message of the downstream mixer about the visibility of the clip; nil if there was none.
    private(set) var shown: InputVisibility?
    /// The messages of the downstream mixer that the streaming thread has not handled. The thread can be busy while the
    /// mixer hides the clip and shows it again, so this list has up to one message of each kind.
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

    /// Lets blocked decoders continue; see `Queue.relieve`. Called while svclip waits.
    /// - Returns: true if svclip waits for a file, so that the caller must call this function again soon.
    mutating func relieve() -> Bool {
        var isWaiting = false
        for id in queues.keys where queues[id]?.relieve() == true { isWaiting = true }
        return isWaiting
    }

    /// Adds a queue, and returns its number.
    mutating func addQueue(hasSound: Bool) -> Int {
        lastID &+= 1
        queues[lastID] = Queue()
        if hasSound { queues[lastID]?.sound = ClipSoundStore() }
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

    init(
        _ path: String, from start: ClockTime, as caps: StreamCaps, hasSound: Bool, _ desk: Monitor<OpenClips>
    ) {
        let id = desk.withLock { $0.addQueue(hasSound: hasSound) }
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
            ClipStream.Request(path: path, start: start, caps: caps, hasSound: hasSound),
            ClipStream.Events(
                frame: { frame in
                    desk.wait { $0.queues[id]?.hasRoom != false }
                    change { $0.add(.frame(frame)) }
                },
                passed: { change { $0.add(.passed) } },
                repeats: {
                    desk.withLock { desk in
                        // Start at most 64 passes in advance. The limit ends the loop if the file no longer delivers
                        // frames.
                        guard desk.loops, let queue = desk.queues[id], !queue.isRewinding, queue.repeats < 64 else {
                            return false
                        }
                        desk.queues[id]?.repeats += 1
                        return true
                    }
                },
                flushed: {
                    change {
                        $0.clear()
                        ($0.repeats, $0.isRewinding) = (0, false)
                    }
                },
                duration: { duration in change { $0.duration = duration } },
                failed: { failure in change { $0.failure = failure } },
                closed: { desk.change { $0.closing -= 1 } },
                sound: { event in
                    if case .packet = event { desk.wait { $0.queues[id]?.sound?.hasRoom != false } }
                    change { $0.addSound(event) }
                }))
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
            desk.queues[id]?.clear()
            desk.queues[id]?.isRewinding = true
            desk.queues[id]?.sound?.rewind()
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

    /// Removes and returns the next item of the queue; nil if the queue is empty or svclip must wait for more data.
    func take() -> OpenClips.Item? {
        desk.change { desk in
            guard var queue = desk.queues.removeValue(forKey: id) else { return nil }
            defer { desk.queues[id] = queue }
            return queue.take()
        }
    }

    /// The sound at a position of the current pass; nil if the position is unknown.
    func source(at position: ClockTime?) -> ClipSound.Source? {
        position.map { ClipSound.Source(clip: self, pass: queue.pass, position: $0) }
    }

    /// Returns the decoded sound of the frames in the queue.
    func plannedSound(after timeline: ClipTimeline) -> [ClipSound.Span] {
        let queue = queue
        var (timeline, pass, spans) = (timeline, queue.pass, [ClipSound.Span]())
        for item in queue.items {
            guard case .frame(let frame) = item else {
                timeline.beginPass()
                pass += 1
                continue
            }
            // Stop at the first frame whose sound is not decoded yet. This frame has arrived after the last call of
            // `take`.
            if let position = frame.time, queue.sound?.covers(position + frame.length, ofPass: pass) != true { break }
            let source = frame.time.map { ClipSound.Source(clip: self, pass: pass, position: $0) }
            let time = timeline.place(frame.time, lasting: frame.length)
            spans.append(ClipSound.Span(source, at: time, lasting: frame.length))
        }
        return spans
    }

    /// Returns up to `length` samples of a pass, from a sample on. The packet is nil for silence.
    func sound(ofPass pass: Int, from sample: Int, length: Int) -> (packet: SoundPacket?, range: Range<Int>) {
        queue.sound?.part(ofPass: pass, from: sample, length: length) ?? (nil, 0..<length)
    }

    /// Returns true if the decoder has started another pass. Each call counts one of these passes as begun.
    func takeRepeat() -> Bool {
        desk.withLock { desk in
            guard let queue = desk.queues[id], queue.repeats > 0 else { return false }
            desk.queues[id]?.repeats -= 1
            return true
        }
    }
}
