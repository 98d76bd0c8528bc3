// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc

/// The data of a `ClipRecorder`: the last seconds of the stream, and the clips in progress.
final class ClipDesk: @unchecked Sendable {
    // The class is `@unchecked Sendable`, because its data is mutable. Only the jobs of one worker use the data.
    private let plan: ClipPlan
    private let report: @Sendable (ClipReport) -> Void
    /// Runs a job on the thread of this object.
    private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let snapshots: ClipSnapshots

    private var video = PacketRing<StreamPacket>()
    private var sound = PacketRing<StreamPacket>()
    private var caps, soundCaps: StreamCaps?
    /// The clip to which new video packets are added.
    private var clip: Clip?
    /// The clips whose video is complete. The audio may arrive later.
    private var closing: [Clip] = []
    /// The files that are not complete yet.
    private var files: [Int: Clip] = [:]
    private var lastNumber = 0
    private var idle: [@Sendable () -> Void] = []
    private var hasWarned: Set<String> = []
    /// The events whose packets have not arrived yet, because the encoder is behind the stream.
    private var early: [ClipEvent] = []
    private var isSoundOver = false
    /// The time of the newest audio packet; nil if no audio is expected. After a restart of the stream, the time of the
    /// first video packet until audio arrives.
    private var soundTime: Int64?
    /// True if audio is expected after a restart of the stream.
    private var expectsSound = false
    /// The reason why the stream cannot be encoded; nil if packets arrive.
    private var failure: ElementError?
    private var isAbandoned = false
    /// The event of a clip that was interrupted by new caps. A new file continues this clip at the next keyframe.
    private var continuation: ClipEvent?

    /// The maximum number of events whose packets have not arrived yet.
    private static let maxEarly = 100
    /// If a message arrives at most this time (in nanoseconds) after the frame of its event, the clip still has its
    /// complete pre-roll.
    private static let lateness: Int64 = 1_000_000_000
    /// If the timestamps go back by more than this time, in nanoseconds, the stream counts as restarted.
    static let disorder: Int64 = 1_000_000_000
    /// If the audio is later than the video by more than this time, in nanoseconds, the audio counts as missing.
    private static let soundDelay: Int64 = 3_000_000_000

    init(
        _ plan: ClipPlan, report: @escaping @Sendable (ClipReport) -> Void,
        run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        (self.plan, self.report, self.run) = (plan, report, run)
        snapshots = ClipSnapshots(report)
    }

    // MARK: - Packets

    func add(_ packet: StreamPacket) {
        guard let time = packet.time else { return }
        let restarts = video.latest.map { $0.subtractingReportingOverflow(time).partialValue > Self.disorder } ?? false
        if restarts { interrupt() }
        if let caps, caps != packet.caps {
            let last = clip.map { (match: $0.match, end: $0.end) }
            interrupt(keepsSound: true)
            // A file can contain only one format, so record the rest of the clip to another file.
            if let last, time < last.end {
                continuation = ClipEvent(match: last.match, time: max(0, last.end - plan.postRoll))
            }
        }
        (caps, failure) = (packet.caps, nil)
        if expectsSound {
            (expectsSound, soundTime) = (false, sound.latest ?? time)
        }
        let isWhole = video.append(packet, keeping: plan.preRoll + Self.lateness, atMost: plan.maxMemory)
        // Warn only if the pre-roll itself is incomplete. `video` also keeps the second before the pre-roll, which may
        // be incomplete.
        if !isWhole, (video.earliest ?? .max) > time - plan.preRoll {
            warn(
                "memory",
                ElementError(
                    .settings,
                    "the pre-roll of clips is too short: the packets of a complete pre-roll need more than "
                        + "max-memory=\(plan.maxMemory) bytes. Increase max-memory or reduce the bit rate."))
        }
        if let earliest = video.earliest { sound.drop(before: earliest) }
        if let continuation, packet.isKey {
            self.continuation = nil
            open(continuation, from: time)
        } else if let clip {
            // First handle the events up to this packet, because they can extend the clip.
            takeEarly(until: min(time, clip.end))
            if clip.contains(packet, at: time) {
                clip.add(packet)
                takeSnapshot(of: clip, at: time)
            } else {
                close(clip)
            }
        }
        takeEarly(until: time)
        checkSound(at: time)
    }

    func addSound(_ packet: StreamPacket) {
        guard let time = packet.time else { return }
        let restarts = sound.latest.map { $0 - time > Self.disorder } ?? false
        if restarts || soundCaps != packet.caps { flushSound() }
        (soundCaps, soundTime, isSoundOver, expectsSound) = (packet.caps, max(soundTime ?? time, time), false, false)
        _ = sound.append(packet, keeping: .max, atMost: plan.maxMemory)
        if let earliest = video.earliest { sound.drop(before: earliest) }
        for clip in closing + (clip.map { [$0] } ?? []) { fillSound(of: clip) }
        endCompleteSound()
    }

    /// Adds the stored audio to a clip, up to the end of the clip. A later event can have moved this end after the
    /// audio had arrived.
    private func fillSound(of clip: Clip) {
        guard clip.hasSound else { return }
        for packet in sound.items(from: clip.soundTime) {
            guard let time = packet.time, time > clip.soundTime, time <= clip.soundEnd else { continue }
            clip.writer.addSound(packet)
            clip.soundTime = time
        }
    }

    /// Ends the audio of closing clips whose audio is complete.
    private func endCompleteSound() {
        let latest = isSoundExpected ? soundTime ?? .min : .max
        for clip in closing where !clip.hasSound || latest > clip.soundEnd { clip.endSound() }
        closing.removeAll { !$0.hasSound }
    }

    /// Ends the audio of clips if the audio does not arrive, because muxers wait for the audio.
    private func checkSound(at time: Int64) {
        guard !isSoundOver, let soundTime, time - soundTime > Self.soundDelay else { return }
        let waiting = closing + (clip.map { [$0] } ?? [])
        guard waiting.contains(where: \.hasSound) else { return }
        for clip in waiting { clip.endSound() }
        closing = []
        warn(
            "sound",
            ElementError(.streamFailed, "the audio has stopped or is late, so the end of the clip has no audio"))
    }

    /// True if clips wait for more audio.
    private var isSoundExpected: Bool { !isSoundOver && (soundTime != nil || expectsSound) }

    /// Returns true if a clip that begins at the running time `start` gets audio.
    private func hasSound(from start: Int64) -> Bool {
        if isSoundOver { return sound.latest.map { $0 > start } ?? false }
        guard let soundTime else { return false }
        return (video.latest ?? start) - soundTime < Self.soundDelay
    }

    /// Discards the audio after a flush of the audio stream. The audio of the current clips ends, because the
    /// timestamps can go back.
    func flushSound() {
        let isExpected = isSoundExpected
        endSound()
        sound.removeAll()
        (isSoundOver, soundTime, expectsSound) = (false, nil, isExpected)
    }

    func endSound() {
        for clip in closing + (clip.map { [$0] } ?? []) { clip.endSound() }
        closing = []
        (isSoundOver, expectsSound) = (true, false)
    }

    /// Writes the snapshot of a clip if the packets of the event's frame have arrived.
    private func takeSnapshot(of clip: Clip, at time: Int64) {
        guard let event = clip.snapshot, event.frame != nil || time > event.time else { return }
        clip.snapshot = nil
        snapshots.take(event, video.items(from: event.time), of: clip.number, beside: clip.writer.path)
    }

    // MARK: - Events

    func take(_ event: ClipEvent) {
        if let failure {
            report(.failed(ClipInfo(match: event.match), failure))
        } else if early.isEmpty, video.earliest != nil, let latest = video.latest, event.time <= latest {
            takeNow(event)
        } else if early.count < Self.maxEarly {
            early.append(event)
        } else {
            let text =
                "cannot record a clip: \(Self.maxEarly) earlier events already wait for video from the encoder. Check "
                + "that video arrives."
            report(.failed(ClipInfo(match: event.match), ElementError(.busy, text)))
        }
    }

    /// Handles the events whose packets have arrived. While no packets are stored, the events wait.
    private func takeEarly(until time: Int64) {
        guard !early.isEmpty, video.earliest != nil else { return }
        let events = early.filter { $0.time <= time }
        early.removeAll { $0.time <= time }
        for event in events { takeNow(event) }
    }

    private func takeNow(_ event: ClipEvent) {
        if let clip {
            clip.events += 1
            let end = event.time.addingReportingOverflow(plan.postRoll).partialValue
            clip.end = max(clip.end, min(end, clip.latestEnd))
            if end > clip.latestEnd { clip.rest = event }
        } else {
            open(event, from: event.time - plan.preRoll)
        }
    }

    /// Ends all clips, because the stream cannot be encoded. New events are reported as failed until a packet arrives.
    func fail(_ error: ElementError) {
        failEarly(error)
        interrupt()
        failure = error
    }

    private func failEarly(_ error: ElementError) {
        for event in early { report(.failed(ClipInfo(match: event.match), error)) }
        early = []
    }

    /// Handles an event after the last frame. The event gets the time of the newest packet.
    func takeLast(_ match: TriggerRule.Match) {
        if let latest = video.latest { take(ClipEvent(match: match, time: latest)) }
    }

    private func open(_ event: ClipEvent, from start: Int64) {
        let packets = video.items(from: start)
        guard let first = packets.first, let time = first.time, let caps else { return }
        lastNumber += 1
        let number = lastNumber
        var info = ClipInfo(match: event.match)
        do {
            let (folder, stem) = try place(for: event.match)
            info.path = "\(folder)/\(stem).\(plan.name.container.rawValue)"
            let run = run
            let writer = try ClipWriter(
                in: folder, stem, plan.name.container, from: min(time, first.presentation ?? time),
                hasSound: hasSound(from: time), atMost: plan.maxMemory, frameRate: caps.frameRate
            ) { [weak self] in
                run { [weak self] in self?.fileEnded(number) }
            }
            // The maximum duration counts from the first packet. If the stored packets are already longer, it counts
            // from the newest packet, because the file would otherwise end before the event.
            let limit = time + plan.maxDuration
            let latest = video.latest ?? time
            let end = event.time + plan.postRoll
            let clip = Clip(
                number, writer, event, end: end, latestEnd: limit > latest ? limit : latest + plan.maxDuration)
            if end > clip.latestEnd { clip.rest = event }
            files[number] = clip
            self.clip = clip
            info.path = writer.path
            report(.started(info))
            for packet in packets { clip.add(packet) }
            fillSound(of: clip)
            if isSoundOver { clip.endSound() }
            clip.snapshot = plan.takesSnapshots ? event : nil
            takeSnapshot(of: clip, at: video.latest ?? time)
        } catch {
            report(.failed(info, ElementError(error)))
        }
    }

    /// Returns the folder and the file name without its ending for a new clip. Creates the subfolders whose names
    /// depend on the time or on placeholders.
    private func place(for match: TriggerRule.Match) throws(ElementError) -> (folder: String, stem: String) {
        let (folders, stem) = plan.name.path(for: match, at: time(nil))
        // Do not create the folder itself: if it is the mount point of a disk that is not mounted, the clips would fill
        // another disk.
        guard Folder.exists(plan.name.folder) else {
            throw ElementError(
                .notFound, "cannot write clips: the folder \"\(plan.name.folder)\" does not exist. Create the folder.")
        }
        let folder = ([plan.name.folder] + folders).joined(separator: "/")
        try Folder.make(folder)
        return (folder, stem)
    }

    private func close(_ clip: Clip) {
        self.clip = nil
        takeSnapshot(of: clip, at: .max)
        clip.writer.end()
        fillSound(of: clip)
        closing.append(clip)
        endCompleteSound()
        let latest = video.latest ?? clip.end
        if let rest = clip.rest, rest.time + plan.postRoll >= latest { open(rest, from: latest) }
    }

    /// Ends the current clip, and discards the stored packets.
    /// - Parameter keepsSound: true to keep the stored audio, because only the format of the video changes.
    func interrupt(keepsSound: Bool = false) {
        if let clip {
            clip.rest = nil
            // End the audio at the last video packet, too.
            clip.end = min(clip.end, video.latest ?? clip.end)
            close(clip)
        }
        video.removeAll()
        (caps, continuation) = (nil, nil)
        guard !keepsSound else { return }
        failEarly(
            ElementError(
                .streamFailed, "cannot record a clip: the stream was interrupted before the frame of the event arrived")
        )
        for clip in closing { clip.endSound() }
        closing = []
        sound.removeAll()
        (expectsSound, soundTime) = (isSoundExpected, nil)
    }

    /// Ends all clips at the end of the stream.
    func finish() {
        takeEarly(until: .max)
        failEarly(ElementError(.streamFailed, "cannot record a clip: the stream has ended before the first keyframe"))
        interrupt()
    }

    // MARK: - Files

    private func fileEnded(_ number: Int) {
        guard let clip = files[number] else { return }
        clip.isWritten = true
        if self.clip === clip { self.clip = nil }
        closing.removeAll { $0 === clip }
        guard !isAbandoned else { return reportEnd(of: clip) }
        let run = run
        // Wait for the snapshot, because the report of the clip contains the path of the snapshot.
        snapshots.whenIdle { [weak self] in run { [weak self] in self?.reportEnd(of: number) } }
    }

    private func reportEnd(of number: Int) { if let clip = files[number] { reportEnd(of: clip) } }

    private func reportEnd(of clip: Clip) {
        files[clip.number] = nil
        let content = clip.writer.content
        var info = ClipInfo(match: clip.match, path: clip.writer.path, bytes: content.bytes)
        (info.duration, info.events) = (content.span ?? .zero, clip.events)
        info.snapshot = snapshots.path(of: clip.number)
        if let problem = clip.writer.problem ?? (content.bytes == 0 ? "the file has no frames" : nil) {
            let text = "cannot write the clip \"\(info.path)\": \(problem)"
            report(.failed(info, ElementError(.write, text)))
        } else {
            report(.finished(info))
        }
        callIdle()
    }

    /// Calls a closure as soon as all files and snapshots are complete.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        idle.append(body)
        callIdle()
    }

    private func callIdle() {
        guard files.isEmpty else { return }
        let bodies = idle
        idle = []
        for body in bodies { snapshots.whenIdle(body) }
    }

    /// Ends all files without waiting. The reports of the clips omit snapshots that are not complete.
    func abandon() {
        isAbandoned = true
        for clip in Array(files.values) {
            if clip.isWritten { reportEnd(of: clip) } else { clip.writer.abandon() }
        }
    }

    private func warn(_ topic: String, _ warning: ElementError) {
        if hasWarned.insert(topic).inserted { report(.warning(warning)) }
    }
}
