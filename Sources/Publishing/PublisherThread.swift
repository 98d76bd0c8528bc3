// SPDX-License-Identifier: LGPL-2.1-or-later
import Files
import Glibc
import Synchronization
import Waiting

/// The thread of a publisher, which maintains the connection, the spool file and the status messages. The thread is
/// detached: no other thread joins this thread.
final class PublisherThread {
    private let core: PublisherCore
    private let link: any Link
    private var spool: Spool?
    private var watchdog: Watchdog?
    private var state = State.idle(until: .now)

    private enum State {
        case idle(until: Deadline)
        case connecting(until: Deadline)
        case connected
    }

    private var queue: PublishQueue { core.queue }
    private var settings: PublisherSettings { core.settings }

    /// Opens the files and libraries in the calling thread, so that the caller immediately receives the errors.
    init(_ core: PublisherCore, _ destination: Destination) throws(LinkFailure) {
        self.core = core
        delay = core.settings.reconnectInterval
        link = try destination.makeLink()
        if case .file = destination {
            // If the file cannot be opened, throw the error now, because a second attempt would fail, too.
            try link.connect()
            state = .connecting(until: .after(milliseconds: core.settings.connectTimeout))
        }
        if let path = core.settings.spoolPath {
            let spool = try Spool(path)
            try spool.checkOthers([core.settings.statusPath, destination.path])
            core.countDropped(queue.restore(try spool.restore()))
            self.spool = spool
            core.isSpooled.store(true, ordering: .releasing)
        }
        watchdog = core.settings.feedsWatchdog ? Watchdog() : nil
    }

    func start() throws(LinkFailure) {
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let object = Unmanaged.passRetained(self)
        guard pthread_create(&thread, &attributes, runPublisher, object.toOpaque()) == 0 else {
            object.release()
            throw LinkFailure("cannot start a thread. Raise the limit of processes (ulimit -u).")
        }
    }

    // MARK: - The thread

    fileprivate func run() {
        // Block all signals in this thread. For example, SIGPIPE must not end the process when the reader of a pipe
        // exits.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // Policy 3 is SCHED_BATCH. With this policy, the publisher's thread does not interrupt the thread that wakes
        // it.
        var priority = sched_param()
        pthread_setschedparam(pthread_self(), 3, &priority)
        while goesOn {
            queue.wakeup.clear()
            keep()
            connect()
            // Send the device state before the messages. If the receiver closes the connection because of a message, it
            // has usually acknowledged the device state before. So `suspect` finds the message as the cause.
            sendDeviceState()
            send()
            for event in link.wait(for: queue.wakeup.file, milliseconds: patience) { handle(event) }
            if nextRefusalReport.hasPassed { reportRefusal() }
            tick()
        }
        keep()
        if case .connected = state {
            sendStatus()
            nextDeviceState = .now
            sendDeviceState()
            for event in link.disconnect(milliseconds: 200) {
                switch event {
                case .acknowledged, .sent, .refused: handle(event)
                case .connected, .interrupted, .closed, .restart, .sessionLost, .limited, .announced,
                    .announcementWanted:
                    break
                }
            }
            keep()
        } else {
            link.reset()
        }
        reportRefusal()
        writeStatus()
        spool = nil
        queue.close()
    }

    private var goesOn: Bool {
        guard let end = core.end else { return true }
        guard queue.count > 0 || core.isAnnouncementPending, !end.hasPassed else { return false }
        if case .idle = state { return false }
        return true
    }

    private var patience: Int32 {
        var next = min(nextTick, core.end ?? .never)
        if case .idle(let until) = state { next = min(next, until) }
        if isDeviceStateWaiting { next = min(next, nextDeviceState) }
        return min(1000, next.milliseconds)
    }

    // MARK: - The connection

    /// The delay before the next connection attempt, in milliseconds. The delay doubles after each failed attempt.
    private var delay: UInt64
    private var isLossKnown = false
    private var lossReason = ""

    private func connect() {
        switch state {
        case .idle(let until) where until.hasPassed:
            do throws(LinkFailure) {
                try link.connect()
                state = .connecting(until: .after(milliseconds: settings.connectTimeout))
                if link.sendsUnconnected { state = .connected }
            } catch {
                close(error)
            }
        case .connecting(let until) where until.hasPassed:
            link.abort()
            close(LinkFailure("no answer from the broker within \(settings.connectTimeout / 1000) seconds"))
        case .idle, .connecting, .connected: break
        }
    }

    private func handle(_ event: LinkEvent) {
        switch event {
        case .connected:
            state = .connected
            if link.repeatsInFlight { core.repeated.add(UInt64(queue.countInFlight), ordering: .relaxed) }
            isLossKnown = false
            core.connections.add(1, ordering: .relaxed)
            core.isConnected.store(true, ordering: .relaxed)
            core.report(.connected)
            sendStatus()
            announce()
        case .interrupted(let failure): reportLoss(failure)
        case .closed(let failure): close(failure)
        case .acknowledged(let number): finish(number, isAcknowledged: true)
        case .sent(let number): finish(number, isAcknowledged: false)
        case .refused(let number, let reason):
            refuse(number, reason)
            answered()
        case .restart: state = .idle(until: .now)
        case .sessionLost:
            queue.takeBackAll()
            state = .idle(until: .now)
        case .limited(let reason): core.report(.limited(reason))
        case .announcementWanted: isAnnouncementWanted = true
        case .announced(let refusal):
            announcementClosures = 0
            finishAnnouncement(refusal)
        }
    }

    private func reportLoss(_ failure: LinkFailure) {
        core.isConnected.store(false, ordering: .relaxed)
        // Report a lost connection once, and again only if the reason has changed.
        guard !isLossKnown || lossReason != failure.description else { return }
        let isNew = !isLossKnown
        (isLossKnown, lossReason) = (true, failure.description)
        core.report(.lost(failure.description, isNew: isNew))
    }

    private func close(_ failure: LinkFailure) {
        var wasConnected = false
        if case .connected = state { wasConnected = true }
        reportLoss(failure)
        if wasConnected { suspect(failure) }
        if !link.keepsInFlight { queue.takeBackAll() }
        state = .idle(until: .after(milliseconds: delay))
        let maximum = max(10, settings.reconnectInterval, settings.maximumReconnectInterval)
        delay = min(max(10, delay, delay &* 2), maximum)
    }

    private func finish(_ number: UInt64, isAcknowledged: Bool) {
        queue.finish(number) { record in
            if isAcknowledged { core.acknowledged.add(1, ordering: .relaxed) }
            core.bytes.add(UInt64(record.payload.count), ordering: .relaxed)
        }
        answered()
    }

    /// Resets the delay between connection attempts, because the receiver has answered a message. An accepted
    /// connection alone does not prove that the broker works.
    private func answered() {
        delay = settings.reconnectInterval
        (closures, isCareful) = (0, false)
    }

    /// The last refused message that was not reported yet.
    private var refusal: (bytes: Int, reason: String)?
    private var nextRefusalReport = Deadline.now

    private func refuse(_ number: UInt64, _ reason: String) {
        let record = queue.finish(number) { _ in core.refused.add(1, ordering: .relaxed) }
        if let record { refusal = (record.payload.count, reason) }
    }

    /// Reports the last refused message, but at most once in 10 s, because a broker may refuse all messages.
    private func reportRefusal() {
        guard let (bytes, reason) = refusal.take() else { return }
        nextRefusalReport = .after(milliseconds: 10_000)
        core.report(.refused(count: core.refused.load(ordering: .relaxed), bytes: bytes, reason: reason))
    }

    // MARK: - A message that a broker closes on

    /// The number of consecutive connections that the receiver closed while messages were in flight. The receiver
    /// acknowledged no message on these connections.
    private var closures = 0
    /// True if the publisher sends one message at a time, to find the message that makes the receiver close the
    /// connection.
    private var isCareful = false

    private func suspect(_ failure: LinkFailure) {
        guard link.closesOnMessages else { return }
        if link.isAnnouncementPending { return suspectAnnouncement(failure) }
        guard queue.countInFlight > 0 else { return }
        closures += 1
        if closures == 2, !isCareful {
            (isCareful, closures) = (true, 0)
            link.reset()
            queue.takeBackAll()
        } else if closures == 2 {
            (isCareful, closures) = (false, 0)
            link.reset()
            queue.takeBackAll()
            guard let record = queue.next(through: .max) else { return }
            refuse(record.number, "the broker repeatedly closed the connection after this message")
        }
    }

    // MARK: - Messages

    private func send() {
        guard case .connected = state, announcementClosures < 2 || !link.isAnnouncementPending else { return }
        let window = isCareful ? 1 : min(link.window, max(1, settings.limits.messages / 2))
        // Send a message only after the spool file contains the message.
        let last = spool.map { $0.isBroken ? .max : $0.last } ?? .max
        while queue.countInFlight < window, let record = queue.next(through: last) {
            do throws(LinkFailure) {
                guard try link.send(record) else { return queue.takeBack(record.number) }
                if record.wasSent, link.mayRepeat { core.repeated.add(1, ordering: .relaxed) }
            } catch {
                return close(error)
            }
        }
    }

    // MARK: - Home Assistant

    private var isAnnouncementWanted = false
    private var announcementRefusal: LinkFailure?
    /// The number of connections that the receiver closed while messages for Home Assistant were pending. Counted since
    /// the receiver last answered all of these messages.
    private var announcementClosures = 0
    private var isAnnouncementStopped = false
    /// Announcements have a minimum interval, because clients of the broker can request announcements in a loop.
    private var nextAnnouncement = Deadline.now
    /// The last state of the device in Home Assistant that was sent over the current connection.
    private var sentDeviceState: [UInt8]?
    /// The states of the device in Home Assistant are sent with a minimum interval. If the state changes several times
    /// within the interval, only the last state is sent.
    private var nextDeviceState = Deadline.now
    private var isDeviceStateWaiting = false

    private func announce() {
        (isAnnouncementWanted, sentDeviceState) = (false, nil)
        nextAnnouncement = .after(milliseconds: 1000)
        // Send the device state immediately after the announcement, without the minimum interval.
        nextDeviceState = .now
        do throws(LinkFailure) { try link.announce() } catch { close(error) }
    }

    private func sendDeviceState() {
        isDeviceStateWaiting = false
        guard case .connected = state, let deviceState = core.deviceState.withLock({ $0 }),
            deviceState != sentDeviceState
        else { return }
        guard nextDeviceState.hasPassed else { return isDeviceStateWaiting = true }
        do throws(LinkFailure) {
            guard try link.send(deviceState: deviceState) else { return }
            sentDeviceState = deviceState
            nextDeviceState = .after(milliseconds: 250)
        } catch {
            close(error)
        }
    }

    private func finishAnnouncement(_ refusal: LinkFailure?) {
        core.announcement.change { $0 = .answered }
        // The publisher announces the device after each connection, so report the same refusal only once.
        if let refusal, refusal != announcementRefusal { core.report(.announcementRefused(refusal.description)) }
        announcementRefusal = refusal
    }

    /// Handles a connection that was closed while messages for Home Assistant were pending. Some brokers close the
    /// connection instead of refusing a message. libmosquitto sends the pending messages again over each new
    /// connection, so the broker would close each connection. To keep the connection for the normal messages, this
    /// method stops the messages for Home Assistant after repeated closures.
    private func suspectAnnouncement(_ failure: LinkFailure) {
        announcementClosures += 1
        guard announcementClosures >= 2 else { return }
        let isCertain = queue.countInFlight == 0 || announcementClosures > 2
        if isCertain { link.stopAnnouncing() }
        // Create a new client. Over the next connection, this client sends only the messages for Home Assistant (see
        // `send`). If the receiver closes this connection too, these messages are certainly the cause.
        link.reset()
        queue.takeBackAll()
        guard isCertain else { return }
        isAnnouncementStopped = true
        finishAnnouncement(
            LinkFailure("the broker repeatedly closed the connection after these messages (\(failure))"))
    }

    private func sendStatus() {
        guard settings.statusInterval > 0, !isAnnouncementStopped || !settings.isStatusForHomeAssistant else { return }
        link.send(status: core.status)
    }

    // MARK: - The spool

    private var nextRepair = Deadline.now
    private var isSpoolFailureKnown = false

    private func keep() {
        guard let spool else { return }
        defer { core.isSpooled.store(!spool.isBroken, ordering: .releasing) }
        do throws(LinkFailure) {
            if spool.isBroken {
                guard nextRepair.hasPassed else { return }
                try spool.rewrite(queue.all())
                if isSpoolFailureKnown { core.report(.spoolRestored) }
                isSpoolFailureKnown = false
            }
            if let damage = spool.takeDamage() { core.report(.spoolDamaged(damage)) }
            try spool.append(queue.waiting(after: spool.last))
            try spool.setDone(through: queue.doneThrough) { queue.all() }
        } catch {
            nextRepair = .after(milliseconds: 5000)
            if !isSpoolFailureKnown { core.report(.spoolFailed(error.description)) }
            isSpoolFailureKnown = true
        }
    }

    // MARK: - The state of the stream

    private var nextTick = Deadline.now
    private var nextStatus = Deadline.now
    private var knownState = StreamState.playing
    private var knownFrames: UInt64 = 0
    private var knownDropped: UInt64 = 0
    private var nextDropReport = Deadline.now

    /// Updates the statistics and the status message, about every 250 ms.
    private func tick() {
        guard nextTick.hasPassed else { return }
        nextTick = .after(milliseconds: 250)
        if isAnnouncementWanted, nextAnnouncement.hasPassed, case .connected = state {
            announce()
        }
        let counts = core.counts
        if counts.frames != knownFrames {
            knownFrames = counts.frames
            watchdog?.frameHasCome()
        }
        if counts.dropped != knownDropped, nextDropReport.hasPassed {
            knownDropped = counts.dropped
            nextDropReport = .after(milliseconds: 10_000)
            core.report(.dropped(counts.dropped))
        }
        if !settings.expectsFrames() { core.progress.withLock { $0.pause(at: now()) } }
        let streamState = core.streamState
        // If the stream state has changed, send the status message immediately.
        if settings.statusInterval > 0, nextStatus.hasPassed || streamState != knownState {
            knownState = streamState
            nextStatus = .after(milliseconds: settings.statusInterval)
            sendStatus()
            writeStatus()
        }
    }

    private func writeStatus() {
        guard let path = settings.statusPath else { return }
        do throws(FileError) {
            let status = core.status
            let text = settings.statusText.map { $0(status) } ?? status + [UInt8(ascii: "\n")]
            try replaceFile(path, with: text, isPrivate: false)
            isStatusFileWrong = false
        } catch {
            if core.end == nil, !isStatusFileWrong { core.report(.statusFailed("cannot write \"\(path)\": \(error)")) }
            isStatusFileWrong = true
        }
    }

    private var isStatusFileWrong = false
}

@c private func runPublisher(_ thread: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let thread { Unmanaged<PublisherThread>.fromOpaque(thread).takeRetainedValue().run() }
    return nil
}
