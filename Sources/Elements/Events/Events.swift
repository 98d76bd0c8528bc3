// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Synchronization
import Waiting

/// `svevents` records clips of events, with the time before each event.
///
///     gst-launch-1.0 v4l2src ! svfacedetect ! svevents location=face-%H%M%S.mkv trigger=label=face ! autovideosink
final class Events: StreamTap {
    static let metadata = ElementMetadata(
        name: "svevents", longName: "Event Recorder", category: .analyzer,
        description: "Records clips of events, including the seconds before each event")

    static let encodedCaps = [
        "video/x-h264", "video/x-h265", "video/x-vp8", "video/x-vp9",
        "image/jpeg, width = (int) [ 1, 65535 ], height = (int) [ 1, 65535 ]",
    ]
    static let audioCaps = [
        "audio/x-raw", "audio/mpeg, mpegversion = (int) { 2, 4 }",
        "audio/mpeg, mpegversion = (int) 1, layer = (int) [ 1, 3 ], parsed = (boolean) true", "audio/x-opus",
    ]

    private let host: Host<Settings>
    private let shared = Mutex(Shared())
    /// The progress of the video. The audio thread waits for it.
    private let progress = Monitor(Progress())

    /// The data that the streaming thread shares with other threads.
    private struct Shared: Sendable {
        var recorder: ClipRecorder?
        var reporter: ClipReporter?
        var container: ClipContainer?
        var rule: TriggerRule?
        /// The encoder of the audio, and the caps of the audio stream.
        var sound: PacketSource?
        var soundCaps: StreamCaps?
        /// False if the stream cannot be encoded, or after the end of the stream.
        var canRecord = true
    }

    private struct Progress: Sendable {
        /// The running time of the last frame.
        var time: Int64?
        var isLive = false
        /// True if the audio no longer waits for the video: the video has ended, or has made no progress for 2 s.
        var isOver = false
    }

    struct State {
        let recorder: ClipRecorder?
        let lapse: TimeLapse?
        let watch: MessageWatch
        let reporter: ClipReporter
        let plan: ClipPlan?
        let lapseInterval: ClockTime
        var trigger: String?
        var source: PacketSource?
        var caps: StreamCaps?
        var time: Int64?
        var privacy = Timer()
        var warnsAboutHiding = true
        var isFinished = false
    }

    init(host: Host<Settings>) { self.host = host }

    // MARK: - The stream

    func start(_ settings: Settings) throws -> State {
        try host.lines.open(settings.messageLocation)
        let plan = try settings.plan()
        let rule = try settings.rule()
        let limits = ClipStore.Limits(bytes: settings.maxDiskSpace, age: settings.maxAge)
        let reporter = ClipReporter(host, plan.map { ClipStore($0.name, limits) })
        let recorder = plan.map { ClipRecorder($0) { reporter.report($0) } }
        let lapse = try lapse(settings, reporter)
        shared.withLock {
            $0 = Shared(recorder: recorder, reporter: reporter, container: plan?.name.container, rule: rule)
        }
        progress.change { $0 = Progress() }
        let watch = MessageWatch(host) { [weak self] message in self?.take(message) }
        return State(
            recorder: recorder, lapse: lapse, watch: watch, reporter: reporter, plan: plan,
            lapseInterval: settings.timeLapse, trigger: settings.trigger)
    }

    private func lapse(_ settings: Settings, _ reporter: ClipReporter) throws(ElementError) -> TimeLapse? {
        guard settings.timeLapse > .zero else { return nil }
        guard let location = settings.timeLapseLocation else {
            throw ElementError(.settings, "time-lapse needs time-lapse-location. Set time-lapse-location.")
        }
        let name = try ClipName(location, of: "time-lapse-location")
        return TimeLapse(
            name, every: Int64(clamping: settings.timeLapse.nanoseconds), atMost: Int(clamping: settings.maxMemory)
        ) { reporter.report($0) }
    }

    func see(_ state: inout State, _ settings: Settings, _ packet: StreamPacket) {
        host.lines.follow(settings.messageLocation, host)
        follow(&state, settings)
        guard state.recorder != nil || state.lapse != nil else { return }
        let isRaw = packet.caps.isRaw
        let frame = Int64(1e9 / max(1, packet.caps.frameRate ?? 25))
        let now = packet.time ?? state.time.map { $0.addingReportingOverflow(frame).partialValue } ?? 0
        if state.isFinished { shared.withLock { $0.canRecord = true } }
        let isFirst = state.time == nil
        (state.time, state.isFinished) = (now, false)
        let isLive = isFirst ? host.isSourceLive : nil
        progress.change { progress in
            progress.time = now
            progress.isOver = false
            if let isLive { progress.isLive = isLive }
        }
        warnAboutHiding(&state, at: now)
        let timed = packet.presentation == nil ? packet.moved(to: now) : packet
        if isRaw { state.lapse?.see(timed, at: now, bitrate: settings.bitrate, unless: host.interruption) }
        state.recorder?.see(packet, at: now, isRaw: isRaw)
        // The time lapse encodes raw frames itself, but gets the packets of encoded streams from `source`.
        guard state.recorder != nil || !isRaw else { return }
        if state.caps != packet.caps {
            state.caps = packet.caps
            state.source?.drain(until: .after(milliseconds: 1000), unless: host.interruption)
            state.source = makeSource(state, packet.caps, settings)
        }
        state.source?.push(timed, unless: host.interruption)
    }

    private func makeSource(_ state: State, _ caps: StreamCaps, _ settings: Settings) -> PacketSource? {
        let (recorder, lapse, reporter) = (state.recorder, caps.isRaw ? nil : state.lapse, state.reporter)
        shared.withLock { $0.canRecord = true }
        let interruption = host.interruption
        let container = state.plan?.name.container ?? lapse?.container ?? .matroska
        do throws(ElementError) {
            return try PacketSource(
                video: caps, for: container, bitrate: settings.bitrate,
                packet: { packet in
                    recorder?.add(packet)
                    if let lapse, packet.isKey, let time = packet.time {
                        lapse.see(packet, at: time, bitrate: 0, unless: interruption)
                    }
                },
                failed: { [weak self] reason in
                    let error = ElementError(.streamFailed, "svevents cannot record: \(reason)")
                    self?.shared.withLock { $0.canRecord = false }
                    reporter.report(.warning(error))
                    recorder?.fail(error)
                })
        } catch {
            host.post(warning: error)
            shared.withLock { $0.canRecord = false }
            recorder?.fail(error)
            return nil
        }
    }

    /// Applies a new value of `trigger`. If the value is malformed, the previous trigger stays active.
    private func follow(_ state: inout State, _ settings: Settings) {
        guard settings.trigger != state.trigger else { return }
        state.trigger = settings.trigger
        host.warning {
            let rule = try settings.rule()
            shared.withLock { $0.rule = rule }
        }
    }

    /// Warns once if an svoverlay that is not upstream hides regions, because the clips show these regions.
    private func warnAboutHiding(_ state: inout State, at time: Int64) {
        guard state.warnsAboutHiding,
            state.privacy.isDue(at: ClockTime(nanoseconds: UInt64(clamping: time)), every: 2 * .second),
            let overlay = host.elementBesides("svoverlay", with: ["hide", "blur-faces", "pixelate-faces"])
        else { return }
        state.warnsAboutHiding = false
        host.post(
            warning: ElementError(
                .settings,
                "the clips of \(host.objectName) show the regions that \(overlay) hides. To hide regions in clips, put "
                    + "svoverlay before svevents."))
    }

    func flush(_ state: inout State) {
        shared.withLock { $0.canRecord = true }
        state.source?.abandon()
        (state.source, state.caps, state.time) = (nil, nil, nil)
        state.recorder?.interrupt()
    }

    func endOfStream(_ state: inout State) {
        finish(&state, .never, .never)
    }

    func stop(_ state: inout State) {
        state.watch.stop()
        if !state.isFinished { finish(&state, .after(milliseconds: 250), .after(milliseconds: 600)) }
        state.reporter.close()
        shared.withLock { $0 = Shared() }
    }

    /// Completes all files.
    /// - Parameters:
    ///   - drained: the time at which to stop waiting for the encoders.
    ///   - written: the time at which to stop waiting for the disk.
    private func finish(_ state: inout State, _ drained: Deadline, _ written: Deadline) {
        progress.change { $0.isOver = true }
        shared.withLock { $0.canRecord = false }
        // When the element stops, its interruption is already set and would end each wait at once. So only the
        // deadlines limit the waits.
        let interruption = drained == .never ? host.interruption : nil
        let sound = shared.withLock { shared in
            shared.soundCaps = nil
            return shared.sound.take()
        }
        for source in [state.source, sound].compactMap({ $0 }) {
            if !source.drain(until: drained, unless: interruption) { source.abandon() }
        }
        (state.source, state.caps) = (nil, nil)
        if let recorder = state.recorder, !recorder.finish(until: written, unless: interruption) {
            recorder.abandon()
            recorder.finish(until: .after(milliseconds: 300))
        }
        state.lapse?.finish(until: written, unless: interruption)
        state.reporter.waitForDisk(until: written, unless: interruption)
        if let interruption { state.reporter.waitForMessages(unless: interruption) }
        state.isFinished = interruption?.isSet != true
    }

    // MARK: - Audio

    /// Maximum time by which the audio may be ahead of the video, in nanoseconds.
    private static let lead: Int64 = 1_000_000_000

    func hear(_ packet: StreamPacket, unless interruption: Interruption) {
        guard
            let (recorder, reporter, container) = shared.withLock({ shared in
                shared.recorder.flatMap { recorder in
                    shared.reporter.flatMap { reporter in shared.container.map { (recorder, reporter, $0) } }
                }
            })
        else { return }
        if let time = packet.time { waitForVideo(time, unless: interruption) }
        let (source, isKnown) = shared.withLock { ($0.sound, $0.soundCaps == packet.caps) }
        if isKnown {
            source?.push(packet, unless: interruption)
            return
        }
        do throws(ElementError) {
            let new = try PacketSource(
                audio: packet.caps, for: container, packet: { recorder.addSound($0) },
                failed: { reason in
                    reporter.report(.warning(ElementError(.streamFailed, "cannot record the audio: \(reason)")))
                })
            let old = shared.withLock { shared in
                defer { (shared.sound, shared.soundCaps) = (new, packet.caps) }
                return shared.sound
            }
            old?.drain(until: .after(milliseconds: 500), unless: interruption)
            new.push(packet, unless: interruption)
        } catch {
            shared.withLock { ($0.sound, $0.soundCaps) = (nil, packet.caps) }
            host.post(warning: error)
        }
    }

    /// Waits until the video is at most `lead` before a running time, so that audio from a file does not run far ahead.
    /// Does not wait if the source is live.
    private func waitForVideo(_ time: Int64, unless interruption: Interruption) {
        let isReached = progress.wait(until: .after(milliseconds: 2000), unless: interruption) { progress in
            progress.isLive || progress.isOver || (progress.time ?? 0) >= time - Self.lead
        }
        // If the video does not progress, the audio must not block the rest of the pipeline.
        if !isReached { progress.change { $0.isOver = true } }
    }

    func flushAudio() {
        let (sound, recorder) = takeSound()
        sound?.abandon()
        recorder?.flushSound()
    }

    /// Removes and returns the encoder of the audio, with the recorder.
    private func takeSound() -> (PacketSource?, ClipRecorder?) {
        shared.withLock { shared in
            defer { (shared.sound, shared.soundCaps) = (nil, nil) }
            return (shared.sound, shared.recorder)
        }
    }

    func audioEnded() {
        let (sound, recorder) = takeSound()
        sound?.drain(until: .after(milliseconds: 500))
        recorder?.endSound()
    }

    // MARK: - Triggers

    /// Handles a message of another element, in the thread that posts the message.
    private func take(_ message: ElementMessage) {
        let (rule, recorder) = shared.withLock { ($0.rule, $0.recorder) }
        guard let rule, let recorder, let match = rule.match(message) else { return }
        recorder.note(match, at: message.runningTime.map { Int64(clamping: $0.nanoseconds) })
    }

    /// Records a clip now.
    /// - Returns: false if the stream has ended or cannot be encoded, or if `location` is not set.
    private func record(_ label: String) -> Bool {
        guard let recorder = shared.withLock({ $0.canRecord ? $0.recorder : nil }) else { return false }
        recorder.note(TriggerRule.Match(label: label.isEmpty ? "manual" : label, event: "record"), at: nil)
        return true
    }

    func keyPressed(_ key: String) {
        guard key == "e" else { return }
        host.tell(record("") ? "records a clip" : "cannot record a clip")
    }

    static let actions: [Action<Events>] = [
        Action(
            "record",
            "Record a clip with this label, as for an event in the next frame. Returns false if location is not set, "
                + "or if the stream has ended or cannot be encoded", ActionArgument("label", .words)
        ) { (events: Events, label: String) in
            events.record(label)
        }
    ]
}
