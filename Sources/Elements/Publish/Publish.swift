// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Publishing
import Waiting

/// `svpublish` publishes detections as JSON to other programs and machines: in a file, or through MQTT or Kafka.
///
///     gst-launch-1.0 v4l2src ! svfacedetect ! svpublish method=mqtt address=tcp://broker:1883 topic=cam1 ! autovideosink
final class Publish: VideoFilter {
    typealias Settings = PublishSettings

    static let metadata = ElementMetadata(
        name: "svpublish", longName: "Detection Publisher", category: .analyzer,
        description: "Publishes detections to files, MQTT or Kafka")

    private let host: Host<Settings>

    init(host: Host<Settings>) { self.host = host }

    struct State {
        let publisher: Publisher
        /// Reports errors of the pipeline to the publisher, so that an error does not look like the normal end of the
        /// stream.
        let errors: ErrorWatch
        var message: FrameMessage
        /// The state of the device in Home Assistant; nil if no device is announced.
        var device: DeviceTracker?
        /// The metrics of the pipeline; nil without a file for metrics.
        let metrics: PipelineMetrics?
        /// True after the warning that a label in `ha-labels` is hidden.
        var warnsAboutHiddenLabel = false
        /// True after the warning that the broker has not answered the messages for Home Assistant.
        var warnsAboutAnnouncement = false
        var history = ObjectHistory()
        /// True if the last message contained objects.
        var showsObjects = false
        var timer = Timer()
        var frames: UInt64 = 0
        /// The time of the last update of `stats`.
        var statsTime = ClockTime.zero
    }

    func start(_ settings: Settings) throws -> State {
        let host = host
        let message = try FrameMessage(settings)
        let homeAssistant = try settings.homeAssistant(version: host.pluginVersion ?? "")
        let destination = try settings.destination(homeAssistant)
        let device = DeviceTracker(homeAssistant, showsNames: settings.discoversNames)
        var publisherSettings = settings.publisher
        publisherSettings.expectsFrames = host.isMeantToPlay
        let writesMetrics = settings.statsFormat == .prometheus && settings.statsFile != nil
        let metrics = writesMetrics ? PipelineMetrics(host, source: settings.sourceName) : nil
        if let metrics {
            publisherSettings.statusText = { status in
                metrics.text(try? JSONValue(reading: status, limits: ParsingLimits(depth: 4, values: 200)))
            }
        }
        let publisher: Publisher
        do {
            publisher = try Publisher(to: destination, publisherSettings) { event in
                // A receiver of the message may stop the pipeline, which must not happen on the thread of the
                // publisher.
                host.worker.run { Self.report(event, host) }
            }
        } catch {
            metrics?.stop()
            throw error
        }
        if let device { publisher.setDeviceState(device.message) }
        if let exposure = destination.exposure { host.post(warning: ElementError(.settings, exposure)) }
        let errors = ErrorWatch(host) { publisher.failStream() }
        return State(publisher: publisher, errors: errors, message: message, device: device, metrics: metrics)
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        state.publisher.countFrame(rate: frame.rate)
        if state.metrics != nil || state.device != nil { observe(&state, frame) }
        publish(&state, settings, frame)
        state.publisher.releaseFrame()
        state.frames &+= 1
        let now = ClockTime.now
        if now >= state.statsTime + .second {
            state.statsTime = now
            setStats(state)
        }
        return .passThrough
    }

    /// Never called, because `prepare` always returns `.passThrough`.
    func transform(_ state: inout State, _ settings: Settings, frame: Frame) {}

    /// Updates the metrics, and the state of the device in Home Assistant.
    private func observe(_ state: inout State, _ frame: borrowing InputFrame) {
        let detections = frame.detections
        state.metrics?.countFrame(detections.map(\.publicLabel))
        if let device = state.device?.update(detections, frame.zones) { state.publisher.setDeviceState(device) }
        if !state.warnsAboutHiddenLabel, let label = state.device?.hiddenLabel {
            state.warnsAboutHiddenLabel = true
            host.post(
                warning: ElementError(
                    .settings,
                    "the binary sensor of the label \"\(label)\" in ha-labels stays off, because ha-names=false hides "
                        + "names and labels. Set ha-names=true, or delete the label from ha-labels."))
        }
    }

    private func publish(_ state: inout State, _ settings: Settings, _ frame: borrowing InputFrame) {
        // Only messages with the schema `dlstreamer` can contain events.
        let zones = frame.zones
        let events = settings.schema == .dlstreamer ? zones.events : []
        if settings.when == .interval {
            // Each event belongs to one frame only, so a frame with events must not be skipped.
            let isDue = state.timer.isDue(at: frame.time.elapsed, every: settings.interval)
            guard isDue || !events.isEmpty else { return }
        }
        let detections = frame.detections
        switch settings.when {
        // Send one message without objects after the last object, so that receivers do not assume that the objects are
        // still present.
        case .objects: guard !detections.isEmpty || state.showsObjects || !events.isEmpty else { return }
        case .onChange:
            let isNew = state.history.change(to: detections)
            guard isNew || !events.isEmpty else { return }
        case .interval, .everyFrame: break
        }
        state.showsObjects = !detections.isEmpty
        let bytes = state.message.bytes(
            detections, at: frame.time, size: frame.visibleSize, number: state.frames, zones: zones)
        // This call blocks only with overflow=block.
        state.publisher.publish(bytes, unless: host.interruption)
    }

    func discontinuity(_ state: inout State) { state.timer.reset() }

    func endOfStream(_ state: inout State) {
        state.publisher.endStream()
        let timeout = host.settings.flushTimeout
        let deadline = Deadline.after(nanoseconds: timeout.nanoseconds)
        let isDrained = state.publisher.drain(until: deadline, unless: host.interruption)
        let isAnnounced = state.publisher.waitForAnnouncement(until: deadline, unless: host.interruption)
        setStats(state)
        if !isAnnounced, !host.interruption.isSet { warnAboutAnnouncement(&state) }
        guard !isDrained, !host.interruption.isSet, !state.publisher.isSpooled else { return }
        let count = state.publisher.counts.waiting
        host.post(
            warning: ElementError(
                .write,
                "svpublish did not send \(count) messages within flush-timeout=\(timeout.nanoseconds) at the end of "
                    + "the stream. Messages are lost if svpublish stops before the broker accepts the messages. To "
                    + "save unsent messages, set queue-file.")
        )
    }

    func stop(_ state: inout State) {
        state.errors.stop()
        let (left, areKept) = state.publisher.stop()
        state.metrics?.stop()
        setStats(state)
        if state.publisher.isAnnouncementPending { warnAboutAnnouncement(&state) }
        guard left > 0 else { return }
        if areKept {
            host.log(
                .warning, "svpublish stopped before sending \(left) messages. The messages stay in queue-file.")
        } else {
            host.post(
                warning: ElementError(
                    .write,
                    "\(left) messages are lost: svpublish stopped before sending all messages. To save unsent "
                        + "messages, set queue-file."
                ))
        }
        host.post(event: areKept ? "kept" : "lost-messages") { $0.set("count", UInt64(left)) }
    }

    private func warnAboutAnnouncement(_ state: inout State) {
        guard !state.warnsAboutAnnouncement else { return }
        state.warnsAboutAnnouncement = true
        host.post(
            warning: ElementError(
                .write,
                "the broker has not answered all messages for Home Assistant, so the device may be incomplete. Check "
                    + "the connection, and start the pipeline again. flush-timeout is the maximum time to wait at the "
                    + "end of the stream."))
    }

    private func setStats(_ state: State) {
        host.set(\.stats, to: String(decoding: state.publisher.status, as: UTF8.self))
    }

    // MARK: - Messages

    private static func report(_ event: PublisherEvent, _ host: Host<Settings>) {
        switch event {
        case .connected:
            host.log(.info, "connected")
            host.post(event: "connected")
        case .lost(let reason, let isNew):
            if isNew {
                host.post(
                    warning: ElementError(.write, "cannot deliver messages, so messages wait in the queue: \(reason)"))
            } else {
                host.log(.warning, "still cannot deliver messages: \(reason)")
            }
            host.post(event: "lost") { $0.set("reason", reason) }
        case .dropped(let count):
            host.log(
                .warning,
                "dropped \(count) messages: the queue is full. To keep more messages, increase queue-size and "
                    + "queue-bytes.")
            host.post(event: "dropped") { $0.set("count", count) }
        case .refused(let count, let bytes, let reason):
            let text = "the broker refused a message of \(bytes) bytes (\(count) messages refused so far): \(reason)"
            host.post(warning: ElementError(.write, text))
            host.post(event: "refused") {
                $0.set("count", count)
                $0.set("bytes", UInt64(bytes))
                $0.set("reason", reason)
            }
        case .limited(let reason): host.post(warning: ElementError(.failed, reason))
        case .spoolFailed(let reason):
            host.post(warning: ElementError(.write, "\(reason). svpublish stores messages only in memory."))
        case .spoolRestored:
            host.log(.info, "svpublish can write the queue file again. The file contains all unsent messages.")
            host.post(event: "queue-file-restored")
        case .spoolDamaged(let damage):
            let copy = damage.copy.map { ". A copy of the damaged file is \"\($0)\"." } ?? ""
            let text = "the queue file \"\(damage.path)\" is damaged: \(damage.count) messages are lost\(copy)"
            host.post(warning: ElementError(.read, text))
            host.post(event: "queue-file-damaged") {
                $0.set("count", UInt64(damage.count))
                if let copy = damage.copy { $0.set("copy", copy) }
            }
        case .announcementRefused(let reason):
            host.post(
                warning: ElementError(.write, "cannot store the messages for Home Assistant on the broker: \(reason)"))
            host.post(event: "discovery-refused") { $0.set("reason", reason) }
        case .statusFailed(let reason): host.post(warning: ElementError(.write, reason))
        }
    }
}
