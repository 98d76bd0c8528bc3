// SPDX-License-Identifier: LGPL-2.1-or-later
import CElements
import CGStreamer
import Files
import Imaging
import Synchronization

/// Sends thumbnails of the inputs of this plugin's mixers, five times per second. `docs/remote-control.md` describes
/// the JSON.
///
/// A thumbnail could show parts of an input that an element downstream of the mixer hides. So no thumbnails are taken
/// while any element in the pipeline hides anything. A thumbnail is sent only if nothing was hidden between the request
/// for the frame and the sending.
package final class InputThumbnails: Sendable {
    private let element: WeakObject
    /// True if thumbnails are also sent while an element hides something.
    private let isForced: Bool
    private let send: @Sendable (_ message: JSONValue, _ mayDrop: Bool) -> Void
    private let warn: @Sendable (String) -> Void
    private let worker = Worker()
    private let state = Mutex(State())
    /// True while a job that requests thumbnails waits in the worker's queue.
    private let isLooking = Atomic(false)

    private struct State: Sendable {
        var ticker: Ticker?
        /// The taps (one per input), keyed by the IDs of the pads.
        var taps: [String: ThumbnailTap] = [:]
        /// The last reported status: true if thumbnails are sent. Nil before the first report.
        var isOpen: Bool?
        /// The functions that will receive the current status.
        var replies: [@Sendable (JSONValue) -> Void] = []
    }

    private static let interval = ClockTime(nanoseconds: 200_000_000)

    /// - Parameters:
    ///   - host: the host of an element in the pipeline.
    ///   - isForced: true to send thumbnails also while an element hides something.
    ///   - send: receives the messages, on another thread. `mayDrop` is true for a thumbnail, which may be dropped if a
    ///     web page reads too slowly.
    package init<Settings>(
        of host: Host<Settings>, isForced: Bool,
        send: @escaping @Sendable (_ message: JSONValue, _ mayDrop: Bool) -> Void
    ) {
        let element = WeakObject(host.element.cast())
        (self.element, self.isForced, self.send) = (element, isForced, send)
        warn = { text in
            // Keeps the element alive during the call, because `host` uses the element.
            guard let held = element.object else { return }
            withExtendedLifetime(held) { host.log(.warning, text) }
        }
    }

    /// Starts to send thumbnails, unless they are sent already. Further calls cause no additional thumbnails, because
    /// they start no second ticker.
    /// - Parameter reply: receives the current status, on another thread.
    package func start(_ reply: @escaping @Sendable (JSONValue) -> Void) {
        let isFirst = state.withLock { state in
            if state.ticker == nil { state.ticker = Ticker(every: Self.interval) { [weak self] in self?.tick() } }
            state.replies.append(reply)
            return state.replies.count == 1
        }
        if isFirst { worker.run { [weak self] in self?.report() } }
    }

    /// Stops sending thumbnails. A thumbnail that is being sent may still arrive. `start` can be called again.
    package func stop() {
        let last = state.withLock { state in
            defer { state = State() }
            return state
        }
        // Releases the ticker and the taps without the lock: the ticker's deinit waits for its thread, and a tap's
        // deinit stops a pipeline. Does not end the worker's thread, because a streaming thread may still pass a frame
        // to the worker. The worker would then start a new thread, and both threads would use the same tap.
        _ = consume last
    }

    private func tick() {
        guard !isLooking.exchange(true, ordering: .relaxed) else { return }
        worker.run { [weak self] in
            self?.isLooking.store(false, ordering: .relaxed)
            self?.look()
        }
    }

    /// Sends the status to the web pages that have requested it, or to all web pages if the status has changed.
    private func report() {
        guard let element = element.object, let top = ControlNode.top(of: element.pointer.cast()) else { return }
        let isOpen = isForced || !HidingStatus(of: top.pointer).isHiding
        let (replies, last) = state.withLock { state in
            let (replies, last) = (state.replies, state.isOpen)
            state.replies = []
            if state.ticker != nil { state.isOpen = isOpen }
            return (replies, last)
        }
        let status = Self.status(isOpen)
        if let last, last != isOpen {
            send(status, false)
        } else {
            for reply in replies { reply(status) }
        }
    }

    /// Adds taps for new inputs, removes taps of removed inputs, and requests a thumbnail from each tap.
    private func look() {
        guard state.withLock({ $0.ticker != nil }) else { return }
        guard let element = element.object, let top = ControlNode.top(of: element.pointer.cast()) else { return }
        let status = HidingStatus(of: top.pointer)
        let isOpen = isForced || !status.isHiding
        let pads = isOpen ? Self.inputs(of: ControlNode.tree(top)) : []
        let old = state.withLock { $0.taps }
        var taps: [String: ThumbnailTap] = [:]
        for (id, pad) in pads {
            if let tap = old[id], tap.pad.pointer == pad.pointer {
                taps[id] = tap
            } else {
                // The worker sends both the thumbnails and the status, so no thumbnail is sent after a status
                // message with `on` = false.
                taps[id] = ThumbnailTap(
                    id, pad, worker,
                    send: { [weak self, worker] thumbnail in
                        worker.run { [weak self] in self?.finish(id, thumbnail) }
                    }, warn: warn)
            }
        }
        let (last, isOn) = state.withLock { state in
            let (last, isOn) = (state.isOpen, state.ticker != nil)
            if isOn { (state.taps, state.isOpen) = (taps, isOpen) }
            return (last, isOn)
        }
        guard isOn else { return }
        if last != isOpen { send(Self.status(isOpen), false) }
        for tap in taps.values { tap.request(status) }
    }

    /// Sends a thumbnail, unless an element hides something now, or may have hidden something since the request.
    private func finish(_ id: String, _ thumbnail: ThumbnailTap.Thumbnail) {
        guard state.withLock({ $0.isOpen == true && $0.taps[id]?.key === thumbnail.key }) else { return }
        guard let element = element.object, let top = ControlNode.top(of: element.pointer.cast()) else { return }
        let now = HidingStatus(of: top.pointer)
        // If svwebsink was removed from its pipeline, `top` has changed, and `now` does not include the hiding elements
        // of the old pipeline. The thumbnail shows an input of the old pipeline, so it must not be sent, even if
        // `isForced` is true.
        guard now.top == thumbnail.status.top, isForced || (!now.isHiding && now == thumbnail.status) else { return }
        let size = thumbnail.size
        send(
            .table([
                ("type", .text("thumbnail")), ("element", .text(id)), ("width", .whole(Int64(size.width))),
                ("height", .whole(Int64(size.height))), ("jpeg", .text(base64(thumbnail.jpeg))),
            ]), true)
    }

    private static func status(_ isOpen: Bool) -> JSONValue {
        var members: [(name: String, value: JSONValue)] = [("type", .text("thumbnails")), ("on", .truth(isOpen))]
        if !isOpen {
            let reason =
                "svoverlay hides parts of the video, and thumbnails would show these parts. To allow thumbnails, set "
                + "thumbnails=true in svwebsink."
            members.append(("reason", .text(reason)))
        }
        return .table(members)
    }

    /// Returns the sink pads of all mixers of this plugin, with their IDs.
    private static func inputs(of tree: ControlNode) -> [(id: String, pad: Held<GstPad>)] {
        tree.all.filter { swiftElement($0.pointer) is any VideoMixer }.flatMap(\.children).compactMap { node in
            guard sv_object_is(node.pointer, gst_pad_get_type()) != 0,
                gst_pad_get_direction(node.pointer.cast()) == GST_PAD_SINK,
                let pad = Held(gst_object_ref(node.pointer)?.assumingMemoryBound(to: GstPad.self))
            else { return nil }
            return (node.id, pad)
        }
    }
}
