// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization

/// Pushes the sound of a clip into an appsrc. The sound at a position in the file has the same running time as the
/// frame at this position.
///
/// svclip outputs a frame only when the sound of this frame and of the next 300 ms is decoded. The sound of the frame
/// is pushed before the frame. The later sound is pushed when the appsrc requests it. This prevents a deadlock: a video
/// sink can block the frame until the audio sink has enough sound.
final class ClipSound: Sendable {
    /// The position of a frame: the open file, the number of the pass (one playback of the file), and the time in the
    /// file.
    struct Source: Sendable {
        let clip: OpenClip
        let pass: Int
        let position: ClockTime
    }

    /// The sound of a frame. `time` and `end` are running times.
    struct Span: Sendable {
        /// Nil for silence.
        let source: Source?
        let time: ClockTime
        fileprivate(set) var end: ClockTime

        init(_ source: Source?, at time: ClockTime, lasting duration: ClockTime) {
            (self.source, self.time, end) = (source, time, time + duration)
        }
    }

    /// Before svclip outputs a frame, it decodes the sound of this duration. A sound card has a buffer of 200 ms, which
    /// must not become empty while a sink waits for the time to display the frame.
    static let lead = ClockTime(nanoseconds: 300_000_000)

    private let host: Host<Clip.Settings>
    private let name: String
    private let content = Mutex(Content())
    private let hasWarned = Atomic(false)

    /// - Returns: nil after a warning, if the pipeline has no appsrc with this name.
    init?(_ host: Host<Clip.Settings>, _ name: String) {
        (self.host, self.name) = (host, name)
        let isFound = host.warning {
            let input = try host.soundInput(name) { [weak self] in self?.more() }
            content.withLock { $0.input = input }
        }
        guard isFound else { return nil }
    }

    /// Pushes the sound of a frame.
    /// - Parameter planned: the expected sound of the next frames. A later call can replace it.
    func play(_ span: Span, then planned: [Span]) {
        let isFull = content.withLock { content in
            content.replace(span, planned)
            let isFull = content.write(until: ClipSoundStore.number(span.end))
            if content.isStarving { content.writeNext() }
            return isFull
        }
        guard isFull, !hasWarned.exchange(true, ordering: .relaxed) else { return }
        host.post(
            warning: ElementError(
                .failed,
                "sound=\"\(name)\": the appsrc is full, so svclip drops sound. Link the appsrc to an element that takes "
                    + "the sound."))
    }

    /// Called when the appsrc requests more sound.
    private func more() {
        content.withLock { content in
            content.isStarving = true
            content.writeNext()
        }
    }

    /// Drops the planned sound.
    /// - Returns: the end of the pushed sound; nil before the first frame.
    func cut() -> ClockTime? { content.withLock { $0.cut() } }

    /// Ends the sound.
    func end() { content.withLock { $0.input }?.end() }

    fileprivate struct Content: Sendable {
        var input: SoundInput?
        /// The sound that is not pushed yet.
        private var spans: [Span] = []
        /// The number of the next sample to push, counted from running time 0; nil before the first frame.
        private var next: Int?
        /// True if there is a gap before the next sample.
        private var isDiscontinuous = true
        /// True if the appsrc waits for sound.
        var isStarving = false
    }
}

extension ClipSound.Content {
    mutating func cut() -> ClockTime? {
        spans = []
        return next.map { Self.time($0) }
    }

    /// Replaces the planned sound from the time of `span` on by `span` and `planned`.
    mutating func replace(_ span: ClipSound.Span, _ planned: [ClipSound.Span]) {
        spans.removeAll { $0.time >= span.time }
        if let last = spans.last, last.end > span.time { spans[spans.count - 1].end = span.time }
        // Limit the memory, in case the appsrc never takes sound.
        if spans.count > 100 { spans.removeFirst() }
        spans.append(span)
        spans += planned
    }

    /// Pushes the next 20 ms of the planned sound.
    mutating func writeNext() {
        if let next { _ = write(until: next + SoundPacket.rate / 50) }
    }

    /// Pushes the planned sound before the sample with the number `limit`.
    /// - Returns: true if the appsrc has dropped sound because it is full.
    mutating func write(until limit: Int) -> Bool {
        var isFull = false
        while let span = spans.first {
            let (start, end) = (ClipSoundStore.number(span.time), ClipSoundStore.number(span.end))
            // Skip a gap of more than 1 s, for example after the downstream mixer has hidden the clip. Fill a shorter
            // gap with silence.
            if next.map({ start > $0 + SoundPacket.rate }) ?? true { (next, isDiscontinuous) = (start, true) }
            guard let now = next, now < limit else { break }
            guard now < end else {
                spans.removeFirst()
                continue
            }
            let (packet, range) = span.part(now, min(end, limit) - now)
            guard let packet = packet ?? SoundPacket(silence: range.count) else { break }
            let time = Self.time(now)
            let outcome = input?.push(
                packet, range, at: time, lasting: Self.time(now + range.count).since(time) ?? .zero,
                isDiscontinuous: isDiscontinuous)
            switch outcome {
            case .sent: (isDiscontinuous, isStarving) = (false, false)
            case .full: (isDiscontinuous, isFull) = (true, true)
            case .refused, nil: return isFull
            }
            next = now + range.count
        }
        return isFull
    }

    private static func time(_ sample: Int) -> ClockTime {
        ClockTime(nearest: Double(sample) * 1e9 / Double(SoundPacket.rate))
    }
}

extension ClipSound.Span {
    /// Returns up to `length` samples. The packet is nil for silence.
    /// - Parameter sample: the number of the first sample, counted from running time 0.
    fileprivate func part(_ sample: Int, _ length: Int) -> (packet: SoundPacket?, range: Range<Int>) {
        let start = ClipSoundStore.number(time)
        guard sample >= start else { return (nil, 0..<min(length, start - sample)) }
        guard let source else { return (nil, 0..<length) }
        // All frames of a pass have the same difference between running time and position. Only this difference is
        // rounded, so that no sample is lost or repeated between frames.
        let difference = Int64(clamping: time.nanoseconds) - Int64(clamping: source.position.nanoseconds)
        let moved = Int((Double(difference) * Double(SoundPacket.rate) / 1e9).rounded())
        return source.clip.sound(ofPass: source.pass, from: sample - moved, length: length)
    }
}
