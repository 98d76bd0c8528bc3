// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Glibc
import Waiting

final class Stream {
    /// The state after the runner has begun to end the stream.
    private struct Ending {
        /// The runner waits for the end-of-stream message until this time.
        var deadline: Deadline
        /// True after the runner has sent the end-of-stream event.
        var isSent = false
    }

    private static let endAfterError: UInt64 = 3

    private let pipeline: Pipeline
    private let options: Options
    private let log: Log
    private let signals: Signals
    private let streamKeys: [String]
    private let progress = Progress()
    private var keepalive: Keepalive
    private var silentCameras = SilentCameras([])
    /// The state after the runner has begun to end the stream; nil while the stream plays.
    private var ending: Ending?
    private var status: Int32 = 0
    private var isLive = false
    private var waitingSources: Set<String> = []

    init(_ pipeline: Pipeline, _ options: Options, _ log: Log, _ signals: Signals) {
        (self.pipeline, self.options, self.log, self.signals) = (pipeline, options, log, signals)
        streamKeys = options.description.streamKeys
        keepalive = Keepalive(feedsWatchdog: !pipeline.feedsWatchdog)
        pipeline.forEachSink(progress.watch)
        if options.isVerbose { gst_element_add_property_deep_notify_watch(pipeline.element, nil, 1) }
    }

    /// Runs the stream, and returns the exit status of the process.
    func run() -> Int32 {
        let paused = pipeline.set(GST_STATE_PAUSED)
        isLive = paused == GST_STATE_CHANGE_NO_PREROLL
        if paused == GST_STATE_CHANGE_FAILURE || pipeline.set(GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE {
            status = 1
        } else {
            // A camera may deliver its first frame late. So a live stream has started even if no frame has arrived yet.
            if isLive {
                keepalive.started()
                silentCameras = SilentCameras(pipeline.liveCameras)
            }
            play()
        }
        keepalive.stopping()
        Signals.endProcess(after: 4)
        // Elements report lost data when they stop. The state NULL would discard these reports and other messages on
        // the bus.
        pipeline.set(GST_STATE_READY)
        while let message = pipeline.nextMessage() { report(message) }
        pipeline.set(GST_STATE_NULL)
        return status
    }

    private func play() {
        while true {
            wait()
            if signals.hasCome(), ending == nil {
                end(within: progress.count > 0 ? options.stopTimeout : Self.endAfterError)
            }
            while let message = pipeline.nextMessage() {
                guard handle(message) else { return }
            }
            // Send the end-of-stream event only when the pipeline plays. Before that, the sinks block the sources, so
            // sending the event would block this thread, and the pipeline could never start.
            if ending?.isSent == false, !pipeline.isChangingState {
                ending?.isSent = true
                pipeline.sendEndOfStream()
            }
            if ending?.deadline.hasPassed == true {
                if progress.count > 0, status == 0 {
                    log.write(.warning, "the stream did not end in time, so recorded files may be incomplete")
                    status = 1
                }
                return
            }
            keepalive.look(count: progress.count, isWaiting: !waitingSources.isEmpty)
            for warning in silentCameras.look() where ending == nil { log.write(.warning, warning) }
        }
    }

    /// Waits for a message, a signal, or the next deadline.
    private func wait() {
        let deadline = min(keepalive.next, silentCameras.next, ending?.deadline ?? .never)
        var files = [signals.file, pipeline.messageFile].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&files, nfds_t(files.count), deadline == .never ? -1 : deadline.milliseconds)
    }

    /// Ends the stream with an end-of-stream event, so that recorded files are complete.
    private func end(within seconds: UInt64) {
        keepalive.stopping()
        ending = Ending(deadline: .after(milliseconds: seconds * 1000))
        // The following calls may block in an element, so end the process after a maximum time.
        Signals.endProcess(after: UInt32(clamping: seconds + Self.endAfterError))
        // A paused pipeline does not pass data on, so its sinks would never receive the end of the stream.
        pipeline.set(GST_STATE_PLAYING)
    }

    private func masked(_ text: String) -> String { text.withoutSecrets.hiding(streamKeys) }

    private func report(_ message: Message) {
        switch message {
        case .error(let text): log.write(.error, masked(text))
        case .warning(let text): log.write(.warning, masked(text))
        // Do not mask the URI in info messages: svwebsink posts the address of its page, and the user needs the key in
        // it.
        case .info(let text): log.write(.info, text.hiding(streamKeys))
        case .report(let priority, let text): log.write(priority, masked(text))
        case .source(let name, isWaiting: false): log.write(.notice, "\(name): frames arrive again")
        case .propertyChanged(let text): log.print(text)
        case .endOfStream, .isPlaying, .clockLost, .latencyChanged, .stateRequested, .buffering, .source, .other: break
        }
    }

    /// Handles a message. Returns false if the stream has ended.
    private func handle(_ message: Message) -> Bool {
        report(message)
        switch message {
        case .error:
            let isFirst = status == 0
            status = 1
            if ending == nil {
                guard progress.count > 0 else { return false }
                end(within: Self.endAfterError)
            } else if isFirst {
                ending?.deadline = .after(milliseconds: Self.endAfterError * 1000)
            }
        case .endOfStream: return false
        case .isPlaying: keepalive.started()
        case .clockLost:
            pipeline.set(GST_STATE_PAUSED)
            pipeline.set(GST_STATE_PLAYING)
        case .latencyChanged: gst_bin_recalculate_latency(pipeline.element.cast())
        case .stateRequested(let state): pipeline.set(state)
        case .buffering(let percent):
            // Only pipelines without live sources pause while they buffer.
            if !isLive, ending == nil { pipeline.set(percent < 100 ? GST_STATE_PAUSED : GST_STATE_PLAYING) }
        case .source(let name, let isWaiting):
            if isWaiting { waitingSources.insert(name) } else { waitingSources.remove(name) }
        case .warning, .info, .report, .propertyChanged, .other: break
        }
        return true
    }
}
