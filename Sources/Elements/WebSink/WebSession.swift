// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Imaging
import Synchronization
import Web

/// The objects that exist from start to stop: the server, the frame sender, the recorder and the folder for files.
final class WebSession: WebDelegate {
    private let host: Host<WebSinkSettings>
    private let settings: WebSinkSettings
    private let folder: WebFolder
    private let frames: FrameSender
    private let recorder: Recorder
    /// Runs jobs that would block the server's thread for too long.
    private let worker = Worker()
    /// The number of unanswered requests.
    private let waiting = Atomic(0)
    /// Maximum number of unanswered requests. Further requests are refused, so that the requests of one page do not
    /// delay another page for long.
    private static let room = 256
    /// Encodes still images on a separate thread, so that encoding does not delay requests that control the pipeline.
    private let painter = Worker()
    /// The server; nil before the start and after the stop.
    private let server = Mutex<WebServer?>(nil)
    /// Controls the pipeline. Nil before the start and after the stop, and always with control=false.
    private let control = Mutex<PipelineControl?>(nil)
    /// True while at least one page is open. Only then does the session report changes in the pipeline.
    private let isWatching = Mutex(false)
    /// The number of open pages. A page can open before `server` is set.
    private let pages = Atomic(0)
    /// True while the worker thread has a job that sends statistics.
    private let isTelling = Atomic(false)
    /// The functions that will receive the next encoded still image.
    private let painted = Mutex<[@Sendable (WebBytes?) -> Void]>([])
    /// Collects metrics. Nil before the start and after the stop, and always with metrics=false.
    private let metrics = Mutex<PipelineMetrics?>(nil)
    /// Receives OSC messages. Nil before the start and after the stop, and always with osc-port=0 or control=false.
    private let osc = Mutex<OSCControl?>(nil)
    /// Sends thumbnails. Nil before the start and after the stop, and always with control=false or thumbnails=false.
    private let thumbnails = Mutex<InputThumbnails?>(nil)
    /// The pages that have requested thumbnails.
    private let viewers = Mutex<[WebPage]>([])
    private let meter = Mutex<(count: Int, time: ClockTime)>((0, .now))

    /// - Throws: `ElementError` if the folder for uploads is not writable.
    init(_ host: Host<WebSinkSettings>, _ settings: WebSinkSettings) throws(ElementError) {
        (self.host, self.settings) = (host, settings)
        folder = try WebFolder(settings.uploadLocation)
        frames = FrameSender(host)
        recorder = Recorder(host, folder: folder.path, worker)
    }

    /// Starts the server.
    /// - Throws: `ElementError`, for example if the port is in use, or the address belongs to another machine.
    /// - Returns: the URL of the page, including the key, and the port.
    func start() throws(ElementError) -> (url: String, port: Int) {
        var configuration = WebConfiguration(
            key: settings.key ?? Self.randomKey(), uploads: settings.control ? folder.path : nil, sign: signer())
        configuration.address = settings.address ?? "127.0.0.1"
        configuration.port = settings.port
        configuration.hosts = (settings.hosts ?? "").split { $0 == "," || $0 == " " }.map(String.init)
        configuration.isBehindTLS = settings.tlsProxy
        configuration.hasMetrics = settings.metrics
        configuration.files = WebSink.page
        if settings.metrics { metrics.withLock { $0 = PipelineMetrics(host) } }
        // Create `control` before the server, because pages that were open before a restart reconnect immediately and
        // use `control`.
        if settings.control {
            let files: ControlledFiles = settings.files == .any ? .any : .uploads(in: folder.path)
            let control = PipelineControl(of: host, files: files) { [weak self] in self?.broadcast($0) }
            self.control.withLock { $0 = control }
            if settings.thumbnails != .false {
                let thumbnails = InputThumbnails(of: host, isForced: settings.thumbnails == .true) {
                    [weak self] message, mayDrop in
                    guard let self else { return }
                    let (line, pages) = (message.line, viewers.withLock { $0 })
                    for page in pages { if mayDrop { page.offer(line) } else { page.send(line) } }
                }
                self.thumbnails.withLock { $0 = thumbnails }
            }
        }
        do {
            if !settings.control, settings.oscPort > 0 {
                host.log(.warning, "osc-port has no effect with control=false")
            }
            if settings.control, settings.oscPort > 0 {
                let osc = OSCControl(host, worker)
                try osc.start(settings)
                self.osc.withLock { $0 = osc }
            }
            let server = try WebServer(configuration, self)
            self.server.withLock { $0 = server }
            frames.start(server)
            return (server.url, server.port)
        } catch {
            osc.withLock { $0.take() }?.stop()
            worker.finish()
            control.withLock { $0 = nil }
            thumbnails.withLock { $0 = nil }
            metrics.withLock { $0.take() }?.stop()
            folder.remove()
            throw (error as? WebError).map { ElementError($0) } ?? ElementError(error)
        }
    }

    /// Returns the function that signs the sessions of pages. If the property `key` is set, a page can reconnect after
    /// a restart with the same key. Otherwise, its session ends when the element stops.
    private func signer() -> @Sendable ([UInt8]) -> String {
        guard settings.key != nil else {
            let secret = Array(Self.randomKey().utf8)
            return { hmacSHA256($0, key: secret) }
        }
        let secret = SessionSecret.installed.bytes { [host] reason in
            host.log(.warning, "open pages cannot reconnect after a restart of the program: \(reason)")
        }
        return { hmacSHA256($0, key: secret) }
    }

    /// Returns 128 bits from the system's random number generator, in hexadecimal.
    private static func randomKey() -> String {
        var system = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(system.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    func show(_ frame: SharedFrame) {
        if let metrics = metrics.withLock({ $0 }) { metrics.countFrame(frame.detections.map(\.publicLabel)) }
        frames.show(frame)
        recorder.add(frame)
    }

    func endOfStream() { recorder.stopAndWait() }

    func stop() {
        recorder.close()
        painter.finish()
        worker.finish()
        control.withLock { $0.take() }?.stop()
        let thumbnails = thumbnails.withLock { $0.take() }
        osc.withLock { $0.take() }?.stop()
        server.withLock { $0.take() }?.stop()
        metrics.withLock { $0.take() }?.stop()
        painter.finish()
        worker.finish()
        // Stop the thumbnails after the last job of the worker thread, because a job could start them again.
        thumbnails?.stop()
        frames.stop()
        folder.remove(except: recorder.files)
    }

    // MARK: - Of the server's thread

    func opened(_ page: WebPage) {
        pages.add(1, ordering: .relaxed)
        worker.run { [self] in
            guard page.isOpen else { return }
            page.send(hello.line)
            if let message = filesMessage { page.send(message.line) }
            if let message = recordingMessage { page.send(message.line) }
            // For the first page, `watch` starts to send descriptions of the pipeline to all pages. For a later page,
            // send a description to this page only.
            if !watch() { control.withLock { $0 }?.describe { page.send($0.line) } }
        }
    }

    func closed(_ page: WebPage) {
        pages.subtract(1, ordering: .relaxed)
        worker.run { [self] in
            sendThumbnails(false, to: page)
            _ = watch()
        }
    }

    /// Starts or stops sending thumbnails to a page. While no page wants thumbnails, svwebsink takes none.
    private func sendThumbnails(_ isWanted: Bool, to page: WebPage) {
        guard let thumbnails = thumbnails.withLock({ $0 }) else { return }
        let isNeeded = viewers.withLock { viewers in
            viewers.removeAll { $0 === page }
            if isWanted { viewers.append(page) }
            return !viewers.isEmpty
        }
        if isWanted { thumbnails.start { page.send($0.line) } } else if !isNeeded { thumbnails.stop() }
    }

    /// Starts to watch the pipeline for changes when the first page opens, and stops when the last page closes.
    /// - Returns: true if this call has started to watch.
    private func watch() -> Bool {
        guard let control = control.withLock({ $0 }) else { return false }
        let isNeeded = pages.load(ordering: .relaxed) > 0
        let isChanged = isWatching.withLock { isWatching in
            defer { isWatching = isNeeded }
            return isWatching != isNeeded
        }
        guard isChanged else { return false }
        if isNeeded { control.start() } else { control.stop() }
        return isNeeded
    }

    func frameWanted() { frames.sendNewest() }

    func secondPassed() {
        // Skip the statistics if the worker thread is busy and has not started the previous job yet.
        guard !isTelling.exchange(true, ordering: .relaxed) else { return }
        worker.run { [self] in
            isTelling.store(false, ordering: .relaxed)
            broadcast(statistics)
            if recorder.isOn, let message = recordingMessage { broadcast(message) }
        }
    }

    func picture(_ reply: @escaping @Sendable (WebBytes?) -> Void) {
        // Encode one image for all waiting requests, so that many requests take no longer than a single request.
        let isFirst = painted.withLock { replies in
            replies.append(reply)
            return replies.count == 1
        }
        guard isFirst else { return }
        painter.run { [self] in
            let replies = painted.withLock { replies in
                defer { replies = [] }
                return replies
            }
            var bytes: [UInt8]?
            if let frame = frames.newest { host.warning { bytes = try frame.png() } }
            let picture = bytes.map { WebBytes($0) }
            for reply in replies { reply(picture) }
        }
    }

    func metrics(_ reply: @escaping @Sendable (WebBytes?) -> Void) {
        // Reading the properties of elements may take time, so the server's thread does not wait.
        worker.run { [self] in reply(metrics.withLock { $0 }.map { WebBytes($0.text()) }) }
    }

    func recording(named name: String) -> String? { recorder.path(named: name) }

    /// Pages may also read the partner image of svfacemerge, because users place the landmarks on this image in the
    /// page.
    func mayShow(image path: String, _ reply: @escaping @Sendable (Bool) -> Void) {
        // Reading the properties of elements may take time, so the server's thread does not wait.
        worker.run { [self] in
            reply(control.withLock { $0 }?.uses(image: path, as: "partner") ?? false)
        }
    }

    func uploaded(_ file: UploadedFile) {
        host.log(.info, "uploaded: \(file.path), \(file.bytes) bytes")
        worker.run { [self] in if let message = filesMessage { broadcast(message) } }
    }

    func received(_ message: WebMessage, from page: WebPage) {
        guard waiting.add(1, ordering: .relaxed).newValue <= Self.room else {
            return respond(page, WebRequest(message).reply(refusal: "too many requests wait for an answer"))
        }
        worker.run { [self] in
            let request = WebRequest(message)
            guard let control = control.withLock({ $0 }) else {
                return respond(
                    page, request.reply(refusal: "the page cannot control the pipeline, because control=false"))
            }
            if control.handle(request.message, reply: { [weak self] in self?.respond(page, $0) }) { return }
            do throws(ElementError) {
                try carryOut(request, message.type, page)
            } catch {
                respond(page, request.reply(refusal: error.message))
            }
        }
    }

    /// Sends the reply to a request, if there is one, and counts the request as answered.
    private func respond(_ page: WebPage, _ reply: JSONValue?) {
        waiting.subtract(1, ordering: .relaxed)
        if let reply { page.send(reply.line) }
    }

    /// Executes a request of the type `pointer`, `key`, `record` or `thumbnails`, and answers the request.
    private func carryOut(_ request: WebRequest, _ type: String, _ page: WebPage) throws(ElementError) {
        switch type {
        case "pointer", "key":
            host.send(try request.navigation())
            respond(page, nil)
        case "record":
            if try request.truth("on") {
                try recorder.start(like: frames.newest) { [weak self] in self?.tellRecording() }
                tellRecording()
                respond(page, request.reply())
            } else {
                // Answer when the file is complete, so that the page can start the next recording.
                recorder.stop { [weak self] in self?.respond(page, request.reply()) }
            }
        case "thumbnails":
            let isWanted = try request.truth("on")
            guard settings.thumbnails != .false else {
                throw ElementError(.failed, "the pipeline sends no thumbnails, because thumbnails=false")
            }
            // The reply comes first, so that the page knows that the status follows.
            respond(page, request.reply())
            sendThumbnails(isWanted && page.isOpen, to: page)
        default: throw ElementError(.failed, "unknown request \"\(type.cut(toBytes: 40))\"")
        }
    }

    // MARK: - Messages

    private func broadcast(_ message: JSONValue) { server.withLock { $0 }?.broadcast(message.line) }

    private func tellRecording() { if let message = recordingMessage { broadcast(message) } }

    /// The version of the WebSocket protocol in docs/remote-control.md. A change that can break existing programs needs
    /// a new version.
    private static let protocolVersion: Int64 = 1

    private var hello: JSONValue {
        .table([
            ("type", .text("hello")), ("title", .text(Secrets.masked(host.pipelineName))),
            ("protocol", .whole(Self.protocolVersion)), ("version", .text(host.pluginVersion ?? "")),
            ("control", .truth(settings.control)), ("files", .text(settings.files.nick)),
            ("pages", .whole(Int64(pages.load(ordering: .relaxed)))),
        ])
    }

    /// The list of files in the folder for uploads; nil with control=false.
    private var filesMessage: JSONValue? {
        guard settings.control else { return nil }
        let files = folder.files.map { file -> JSONValue in
            var members: [(name: String, value: JSONValue)] = [
                ("name", .text(file.name)), ("bytes", .whole(file.bytes)), ("path", .text(file.path)),
            ]
            if let kind = FileKind(ofFileAt: file.path) { members.append(("kind", .text(kind.rawValue))) }
            return .table(members)
        }
        return .table([("type", .text("files")), ("files", .list(files))])
    }

    private var recordingMessage: JSONValue? {
        guard settings.control, let status = recorder.status else { return nil }
        var members: [(name: String, value: JSONValue)] = [
            ("type", .text("recording")), ("on", .truth(status.isOn)), ("name", .text(status.name)),
            ("seconds", .real(status.seconds)), ("bytes", .whole(Int64(status.bytes))),
        ]
        if let problem = status.problem { members.append(("reason", .text(problem))) }
        if !status.isOn, status.bytes > 0 { members.append(("address", .text("recordings/\(status.name)"))) }
        return .table(members)
    }

    private var statistics: JSONValue {
        let (count, now) = (frames.count, ClockTime.now)
        let rate = meter.withLock { meter in
            defer { meter = (count, now) }
            let seconds = now.since(meter.time)?.seconds ?? 0
            return seconds > 0 ? Double(max(0, count - meter.count)) / seconds : 0
        }
        let size = frames.newest?.size
        var members: [(name: String, value: JSONValue)] = [
            ("type", .text("stats")), ("frames", .whole(Int64(count))), ("rate", .real((rate * 10).rounded() / 10)),
            ("latency", .count(host.sinkLatency.nanoseconds)),
            ("drops", .count(host.sinkStatistics?.dropped ?? 0)),
            ("pages", .whole(Int64(pages.load(ordering: .relaxed)))),
            ("width", .whole(Int64(size?.width ?? 0))), ("height", .whole(Int64(size?.height ?? 0))),
        ]
        if let osc = osc.withLock({ $0 }) { members.append(("osc", osc.counts.json)) }
        return .table(members)
    }
}

extension ElementError {
    fileprivate init(_ error: WebError) {
        let reason: Reason =
            switch error.cause {
            case .portInUse: .busy
            case .notPermitted: .openRead
            case .badAddress, .badSettings: .settings
            case .failed: .failed
            }
        self.init(reason, error.message)
    }
}
