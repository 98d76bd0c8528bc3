// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Glibc
import Waiting

/// `svclip` plays the video and the sound of a file, in a loop or with other files after it.
///
///     gst-launch-1.0 svclip location=clip.mp4 at-end=loop ! videoconvert ! autovideosink
final class Clip: VideoSource {
    static let metadata = ElementMetadata(
        name: "svclip", longName: "Clip Source", category: .source,
        description: "Plays the video of a file, with gapless loops, for svswitch and svmixer")
    static let isLive = false

    private let host: Host<Settings>
    private let desk = Monitor(OpenClips())

    struct State {
        var timeline: ClipTimeline
        /// The last value of the property `location` that was handled.
        var location: String
        /// The path of the file that plays, or that will play when its first frame is ready.
        var path: String
        /// The file that plays; nil before the first frame and after an error.
        var current: OpenClip?
        /// The file that replaces `current` when its first frame is ready.
        var incoming: OpenClip?
        /// True if `incoming` is opened to continue a loop, because the file supports no seek or has failed.
        var isReopening = false
        /// True while the clip waits for its first frame after a return to the beginning. The frame comes from
        /// `incoming`, or from `current` if there is no `incoming`.
        var isRestarting = false
        /// The file that plays after `current`.
        var queued: OpenClip?
        /// The duration of `current`.
        var duration: ClockTime?
        /// The number of frames since `current` was opened or has returned to its beginning.
        var frames = 0
        /// The number of frames in the current pass (one playback of the file).
        var framesOfPass = 0
        var passes: UInt64 = 0
        /// True if `current` has ended.
        var isOver = false
        /// After an error: the time of the next attempt to play the file. In a loop, svclip repeats the last frame
        /// until then.
        var retryTime: ClockTime?
        /// A copy of the last output frame; nil if svclip will not repeat this frame.
        var held: StreamFrame?
        /// True if the next output is the first frame again, from `held`, because the downstream mixer shows the clip
        /// from its beginning.
        var repeatsFirst = false
        /// True if the downstream mixer shows the clip, according to its last message; nil before the first message.
        var isShown: Bool?
        /// The running time of the clip's end that was last reported to the downstream mixer; nil if no end was
        /// reported.
        var announcedEnd: ClockTime?
        /// The sound; nil if the clip plays without sound.
        var sound: ClipSound?
        /// The sound of `held`, if `held` is the first frame.
        var firstSound: ClipSound.Source?
    }

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings) throws -> State {
        guard let location = settings.location else {
            throw ElementError(.settings, "location is not set. Set location to the path of a video file.")
        }
        try check(location)
        desk.withLock { $0.start() }
        return State(
            timeline: ClipTimeline(from: host.lateRunningTime ?? .zero), location: location, path: location,
            sound: settings.sound.flatMap { $0.isEmpty ? nil : ClipSound(host, $0) })
    }

    func stop(_ state: inout State) {
        desk.withLock { $0.isStarted = false }
        for clip in [state.current, state.incoming, state.queued] { clip?.close() }
        (state.current, state.incoming, state.queued) = (nil, nil, nil)
        state.sound?.end()
        // Wait up to 500 ms. A file that hangs, for example on a network drive, closes later on its own thread.
        desk.wait(until: .after(milliseconds: 500)) { $0.closing == 0 }
    }

    private func check(_ location: String) throws(ElementError) {
        guard access(location, R_OK) == 0 else {
            throw ElementError(
                access(location, F_OK) == 0 ? .openRead : .notFound,
                "cannot read \"\(location)\": \(String(cString: strerror(errno))). Set location to a video file.")
        }
    }

    // MARK: - Any thread

    func restart() { request { $0.mustRestart = true } }

    func playNext(_ location: String) { request { $0.next = location } }

    private func request(_ change: (inout OpenClips) -> Void) {
        desk.change { desk in
            guard desk.isStarted else { return }
            change(&desk)
            desk.changes &+= 1
        }
    }

    func shown(_ visibility: InputVisibility) { request { $0.add(visibility) } }

    // MARK: - The streaming thread

    func next(_ state: inout State, _: Settings) throws -> SourceOutput {
        while !host.interruption.isSet {
            let settings = host.settings
            let (changes, isAwaited) = desk.withLock { ($0.changes, $0.shown?.isAwaited == true) }
            follow(&state, settings)
            try swap(&state)
            let isHidden = state.isShown == false
            if isHidden { announce(nil, &state) }
            if state.isRestarting {
                // Output nothing until the first frame is ready. Another frame would be visible for a moment.
                waitForChange(since: changes, atMost: Self.longestWait)
                continue
            }
            if let held = state.held, repeats(state, settings) {
                // While the downstream mixer hides the clip and does not wait for its frames, output repeated frames in
                // real time. Otherwise, they would fill the queues, and delay the clip when the mixer shows it again.
                let isPaced = isHidden && !isAwaited
                let wait = isPaced ? host.pipelineClock.flatMap { state.timeline.next.since($0.now) } ?? .zero : .zero
                guard wait == .zero, let frame = held.copy() else {
                    waitForChange(since: changes, atMost: wait)
                    continue
                }
                frame.isDiscontinuous = false
                let duration = min(held.duration ?? Self.usualDuration, Self.usualDuration)
                let time = state.timeline.place(nil, lasting: duration)
                (frame.time, frame.duration) = (time, duration)
                play(state.repeatsFirst ? state.firstSound : nil, at: time, lasting: duration, state)
                state.repeatsFirst = false
                return .frame(frame)
            }
            if state.isOver, state.incoming == nil, settings.atEnd == .eos { return .endOfStream }
            switch state.current?.take() {
            case .frame(let frame): return .frame(stamped(frame, &state, settings))
            case .passed: endPass(&state, settings)
            case nil:
                let queue = state.isOver ? nil : state.current?.queue
                if let queue, let failure = queue.failure, !queue.hasFrame {
                    fail(failure, &state)
                } else {
                    // A new value of a property does not end this wait, so wait only for a short time.
                    waitForChange(since: changes, atMost: Self.longestWait)
                }
            }
        }
        return .interrupted
    }

    private static let longestWait = ClockTime(nanoseconds: 200_000_000)

    /// Returns true if the last frame must be repeated.
    private func repeats(_ state: State, _ settings: Settings) -> Bool {
        if state.repeatsFirst || state.isShown == false && settings.offAir != .play { return true }
        guard state.isOver else { return false }
        if state.retryTime != nil, settings.atEnd == .loop { return true }
        guard state.incoming == nil else { return false }
        // The duration of a file can be longer than its video. A mixer expects frames until the end that svclip has
        // reported, so repeat the last frame if less than 1 s is missing.
        let rest = state.isShown == nil ? nil : state.announcedEnd.flatMap { $0.since(state.timeline.next) }
        return settings.atEnd == .hold || rest.map { $0 > .zero && $0 < ClockTime.second } == true
    }

    private func waitForChange(since changes: UInt64, atMost time: ClockTime) {
        let isWaiting = desk.change { $0.relieve() }
        let time = min(time, isWaiting ? Self.longestWait / 4 : Self.longestWait)
        desk.wait(until: .after(nanoseconds: time.nanoseconds), unless: host.interruption) { $0.changes != changes }
    }

    private func open(_ path: String, _ settings: Settings, _ state: State) -> OpenClip? {
        host.allowedCaps.map { OpenClip(path, from: settings.start, as: $0, hasSound: state.sound != nil, desk) }
    }

    /// Handles requests, changes of `location`, and messages of the downstream mixer about the visibility of the clip.
    private func follow(_ state: inout State, _ settings: Settings) {
        let (mustRestart, next, visibilities) = desk.withLock { desk in
            defer { (desk.mustRestart, desk.next) = (false, nil) }
            desk.loops = settings.atEnd == .loop && state.queued == nil && desk.next == nil
            return (desk.mustRestart, desk.next, desk.takeVisibilities())
        }
        if state.current == nil, state.incoming == nil, state.retryTime == nil {
            replace(with: state.path, &state, settings)
        }
        if let location = settings.location, location != state.location {
            state.location = location
            if host.warning({ try check(location) }) { replace(with: location, &state, settings) }
        }
        if mustRestart { replace(with: state.incoming?.path ?? state.path, &state, settings) }
        if let next, host.warning({ try check(next) }) {
            state.queued?.close()
            state.queued = open(next, settings, state)
        }
        if let queued = state.queued, queued.queue.isReady, !queued.queue.hasFrame {
            refuse(queued)
            state.queued = nil
        }
        for visibility in visibilities { follow(visibility, &state, settings) }
        if state.isOver { takeQueued(&state) }
        if state.isOver, state.incoming == nil, settings.atEnd == .loop, state.retryTime.map({ $0 <= .now }) ?? true {
            replace(with: state.path, &state, settings)
            state.isReopening = true
        }
    }

    private func follow(_ visibility: InputVisibility, _ state: inout State, _ settings: Settings) {
        guard visibility.isShown != state.isShown else { return }
        let isFirst = state.isShown == nil
        // If the mixer starts to show the clip only after the frames so far, the mixer has dropped all of these frames.
        let isUnseen = isFirst && visibility.isShown && visibility.time > state.timeline.next
        (state.isShown, state.repeatsFirst) = (visibility.isShown, false)
        if isFirst || visibility.isShown && settings.offAir != .play { state.timeline.skip(to: visibility.time) }
        if !isFirst, visibility.isShown, settings.offAir != .play { waitForSound(&state) }
        let isRestart = settings.offAir == .restart && !(isFirst && visibility.isShown)
        guard isRestart || isUnseen && settings.offAir != .play else { return }
        if state.frames == 1 {
            state.repeatsFirst = visibility.isShown
        } else if state.frames > 1, isUnseen || !visibility.isShown {
            returnToBeginning(&state, settings)
        }
    }

    private func returnToBeginning(_ state: inout State, _ settings: Settings) {
        if state.incoming == nil, let current = state.current, let caps = host.allowedCaps,
            current.rewind(from: settings.start, as: caps)
        {
            state.isRestarting = true
        } else {
            replace(with: state.incoming?.path ?? state.path, &state, settings)
            state.isRestarting = state.incoming != nil
        }
    }

    private func replace(with path: String, _ state: inout State, _ settings: Settings) {
        state.incoming?.close()
        (state.incoming, state.isReopening, state.isRestarting) = (open(path, settings, state), false, false)
    }

    private func takeQueued(_ state: inout State) {
        guard let queued = state.queued.take() else { return }
        state.incoming?.close()
        (state.incoming, state.isReopening, state.isRestarting) = (queued, false, false)
    }

    /// Closes a file that has no frame, and posts a warning.
    private func refuse(_ clip: OpenClip) {
        let failure = clip.queue.failure ?? .noFrame
        clip.close()
        host.post(warning: failure.error(clip.path))
    }

    /// If the first frame is ready: switches to the incoming file, or to the beginning of the current file.
    private func swap(_ state: inout State) throws {
        guard let incoming = state.incoming ?? (state.isRestarting ? state.current : nil) else { return }
        let queue = incoming.queue
        guard queue.isReady else { return }
        let (isReopening, isRewound) = (state.isReopening, state.incoming == nil)
        (state.incoming, state.isReopening, state.isRestarting) = (nil, false, false)
        guard queue.hasFrame else {
            if isRewound { return fail(queue.failure ?? .noFrame, &state) }
            let isFirst = state.current == nil && state.retryTime == nil
            if isFirst || isReopening && state.retryTime != nil {
                // Post no warning here: the first file throws an error below, and a loop has already posted a warning.
                incoming.close()
                if isFirst { throw (queue.failure ?? .noFrame).error(incoming.path) }
            } else {
                refuse(incoming)
            }
            if isReopening { state.retryTime = .now + .second }
            if state.location == incoming.path {
                state.location = state.path
                host.set(\.location, to: state.path, ifStill: incoming.path)
            }
            return
        }
        if !isRewound { state.current?.close() }
        (state.current, state.duration, state.path) = (incoming, queue.duration, incoming.path)
        (state.isOver, state.retryTime, state.frames, state.held, state.repeatsFirst) = (false, nil, 0, nil, false)
        beginPass(&state)
        waitForSound(&state)
        guard !isReopening else { return }
        state.passes = 0
        let old = state.location
        state.location = incoming.path
        host.set(\.location, to: incoming.path, ifStill: old)
        host.post(event: "clip-started") { $0.set("location", incoming.path) }
    }

    private func beginPass(_ state: inout State) {
        state.timeline.beginPass()
        state.framesOfPass = 0
    }

    fileprivate static let usualDuration = ClockTime(nanoseconds: 40_000_000)

    private func stamped(_ frame: StreamFrame, _ state: inout State, _ settings: Settings) -> StreamFrame {
        let (position, duration) = (frame.time, frame.length)
        let time = state.timeline.place(position, lasting: duration)
        (frame.time, frame.duration) = (time, duration)
        if state.sound != nil {
            let source = state.current?.source(at: position)
            state.firstSound = state.frames == 0 ? source : nil
            // A hidden clip outputs its first frame without sound, because the clip does not start to play yet.
            let isHidden = state.isShown == false && settings.offAir != .play
            play(isHidden ? nil : source, at: time, lasting: duration, state)
        }
        frame.isDiscontinuous = state.frames == 0
        state.frames += 1
        state.framesOfPass += 1
        // A copy shares the memory of the frame, so downstream elements cannot change the frame in place. Keep a copy
        // only if svclip may have to repeat the frame.
        let mayRepeatFirst = state.frames == 1 && settings.offAir != .play
        state.held = settings.atEnd == .hold || state.isShown != nil || mayRepeatFirst ? frame.copy() : nil
        if state.frames > 1 {
            let isLast = settings.atEnd != .loop && state.queued == nil && state.isShown != false
            announce(isLast ? state.duration.flatMap { state.timeline.time(of: $0) } : nil, &state)
        }
        return frame
    }

    /// Pushes the sound of a frame, and plans the sound of the next frames. Pushes silence if `source` is nil.
    private func play(
        _ source: ClipSound.Source?, at time: ClockTime, lasting duration: ClockTime, _ state: State
    ) {
        state.sound?.play(
            ClipSound.Span(source, at: time, lasting: duration),
            then: source?.clip.plannedSound(after: state.timeline)
                ?? [ClipSound.Span(nil, at: state.timeline.next, lasting: ClipSound.lead)])
    }

    /// Drops the planned sound. The next frame then begins at the end of the sound that is already pushed.
    private func waitForSound(_ state: inout State) {
        if let end = state.sound?.cut() { state.timeline.skip(to: end) }
    }

    private func announce(_ end: ClockTime?, _ state: inout State) {
        guard end != state.announcedEnd else { return }
        state.announcedEnd = end
        host.announceEnd(end)
    }

    private func endPass(_ state: inout State, _ settings: Settings) {
        guard let current = state.current else { return }
        guard state.framesOfPass > 0 else { return fail(.noFrame, &state) }
        beginPass(&state)
        if !current.takeRepeat() {
            guard settings.atEnd == .loop, state.queued == nil, state.incoming == nil else {
                let (path, isShown) = (state.path, state.isShown != false)
                host.post(event: "clip-ended") { message in
                    message.set("location", path)
                    message.set("on-air", isShown)
                }
                return state.isOver = true
            }
            // The decoder has not started another pass, for example because the file supports no seek. So `follow`
            // opens the file again.
            state.isOver = true
        }
        state.passes += 1
        host.post(event: "clip-looped") { [passes = state.passes] in $0.set("passes", passes) }
    }

    /// Handles a file that delivers no more frames because of an error.
    private func fail(_ failure: StreamFailure, _ state: inout State) {
        state.current?.close()
        (state.current, state.isOver, state.retryTime) = (nil, true, .now + .second)
        host.post(warning: failure.error(state.path))
        let (path, isShown) = (state.path, state.isShown != false)
        host.post(event: "clip-ended") { message in
            message.set("location", path)
            message.set("on-air", isShown)
        }
    }
}

extension StreamFrame {
    /// The duration of the frame. If it is unknown, the duration at the frame rate of the caps, or else 40 ms.
    var length: ClockTime {
        duration ?? caps.format?.frameRate.map { ClockTime(nearest: 1e9 / $0) } ?? Clip.usualDuration
    }
}

extension StreamFailure {
    fileprivate static let noFrame = StreamFailure(kind: .format, text: "no frame at or after the start position")

    /// The failure as an `ElementError` with a text for users.
    fileprivate func error(_ path: String) -> ElementError {
        let (reason, text): (ElementError.Reason, String) =
            switch kind {
            case .missingPlugin: (.missingPlugin, "GStreamer has no decoder for the video. Install a decoder.")
            case .notFound: (.notFound, "the file does not exist. Set location to a video file.")
            case .unauthorized: (.openRead, "no permission. Change the permissions of the file.")
            case .connection, .format, .other, .negotiation, .busy:
                (.wrongType, "the file has no video after the position start, or is damaged. Use another file.")
            }
        return ElementError(reason, "cannot play \"\(path)\": \(text)", details: self.text)
    }
}
