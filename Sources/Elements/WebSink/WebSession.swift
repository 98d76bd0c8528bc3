// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Imaging
import Synchronization
import Web

/// All that there is from start to stop: the server, the frames for its pages, the recording, the files.
final class WebSession: WebDelegate {
    private let host: Host<WebSinkSettings>
    private let settings: WebSinkSettings
    private let folder: WebFolder
    private let frames: FrameSender
    private let recorder: Recorder
    /// For what takes longer than the server's thread can wait.
    private let worker = Worker()
    /// The requests that have not been answered.
    private let waiting = Atomic(0)
    /// The most of them: the others are refused, so that nobody waits long for what somebody else asks for.
    private static let room = 256
    /// For pictures, so that nobody who steers waits for them.
    private let painter = Worker()
    /// Set from start to stop.
    private let server = Mutex<WebServer?>(nil)
    /// Set from start to stop, unless the page only shows.
    private let control = Mutex<PipelineControl?>(nil)
    /// True while somebody looks, so that the pipeline is watched.
    private let isWatching = Mutex(false)
    /// The pages that are open: the first ones may come before there is a `server`.
    private let pages = Atomic(0)
    /// True while statistics wait to be told.
    private let isTelling = Atomic(false)
    /// Who waits for a picture.
    private let painted = Mutex<[@Sendable (WebBytes?) -> Void]>([])
    private let meter = Mutex<(count: Int, time: ClockTime)>((0, .now))

    /// - Throws: `ElementError`, for a folder that cannot be written to.
    init(_ host: Host<WebSinkSettings>, _ settings: WebSinkSettings) throws(ElementError) {
        (self.host, self.settings) = (host, settings)
        folder = try WebFolder(settings.uploadLocation)
        frames = FrameSender(host)
        recorder = Recorder(host, folder: folder.path, worker)
    }

    /// Listens.
    /// - Throws: `ElementError`, for a port in use or an address of another machine.
    /// - Returns: the page's address, with its key, and the port.
    func start() throws(ElementError) -> (url: String, port: Int) {
        var configuration = WebConfiguration(
            key: settings.key ?? Self.randomKey(), uploads: settings.control ? folder.path : nil, sign: signer())
        configuration.address = settings.address ?? "127.0.0.1"
        configuration.port = settings.port
        configuration.hosts = (settings.hosts ?? "").split { $0 == "," || $0 == " " }.map(String.init)
        configuration.isBehindTLS = settings.tlsProxy
        configuration.files = WebSink.page
        // Pages that were open before a restart come back at once, and look for it.
        if settings.control {
            let files: ControlledFiles = settings.files == .any ? .any : .uploads(in: folder.path)
            let control = PipelineControl(of: host, files: files) { [weak self] in self?.broadcast($0) }
            self.control.withLock { $0 = control }
        }
        do throws(WebError) {
            let server = try WebServer(configuration, self)
            self.server.withLock { $0 = server }
            frames.start(server)
            return (server.url, server.port)
        } catch {
            control.withLock { $0 = nil }
            folder.remove()
            let reason: ElementError.Reason =
                switch error.cause {
                case .portInUse: .busy
                case .notPermitted: .openRead
                case .badAddress, .badSettings: .settings
                case .failed: .failed
                }
            throw ElementError(reason, error.message)
        }
    }

    /// Returns what signs the sessions of pages: with the same `key`, they are valid after a restart, too.
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

    /// Returns 128 random bits of the system's.
    private static func randomKey() -> String {
        var system = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(system.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    func show(_ frame: SharedFrame) {
        frames.show(frame)
        recorder.add(frame)
    }

    func endOfStream() { recorder.stopAndWait() }

    func stop() {
        recorder.close()
        painter.finish()
        worker.finish()
        control.withLock { $0.take() }?.stop()
        server.withLock { $0.take() }?.stop()
        painter.finish()
        worker.finish()
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
            // The first page gets what all are told.
            if !watch() { control.withLock { $0 }?.describe { page.send($0.line) } }
        }
    }

    func closed() {
        pages.subtract(1, ordering: .relaxed)
        worker.run { [self] in _ = watch() }
    }

    /// Begins to watch the pipeline with the first page, and ends it with the last.
    /// - Returns: true if it has begun.
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
        // Not twice, if the worker is held up.
        guard !isTelling.exchange(true, ordering: .relaxed) else { return }
        worker.run { [self] in
            isTelling.store(false, ordering: .relaxed)
            broadcast(statistics)
            if recorder.isOn, let message = recordingMessage { broadcast(message) }
        }
    }

    func picture(_ answer: @escaping @Sendable (WebBytes?) -> Void) {
        // One picture for all who wait: many who ask at once wait no longer than one.
        let isFirst = painted.withLock { answers in
            answers.append(answer)
            return answers.count == 1
        }
        guard isFirst else { return }
        painter.run { [self] in
            let answers = painted.withLock { answers in
                defer { answers = [] }
                return answers
            }
            var bytes: [UInt8]?
            if let frame = frames.newest { host.warning { bytes = try frame.png() } }
            let picture = bytes.map { WebBytes($0) }
            for answer in answers { answer(picture) }
        }
    }

    func recording(named name: String) -> String? { recorder.path(named: name) }

    func uploaded(_ file: UploadedFile) {
        host.log(.info, "uploaded: \(file.path), \(file.bytes) bytes")
        worker.run { [self] in if let message = filesMessage { broadcast(message) } }
    }

    func received(_ message: WebMessage, from page: WebPage) {
        guard waiting.add(1, ordering: .relaxed).newValue <= Self.room else {
            return answer(page, WebRequest(message).reply(refusal: "too many requests wait for an answer"))
        }
        worker.run { [self] in
            let request = WebRequest(message)
            guard let control = control.withLock({ $0 }) else {
                return answer(
                    page, request.reply(refusal: "the page cannot control the pipeline, because control=false"))
            }
            if control.handle(request.message, reply: { [weak self] in self?.answer(page, $0) }) { return }
            do throws(ElementError) {
                try carryOut(request, message.type, page)
            } catch {
                answer(page, request.reply(refusal: error.message))
            }
        }
    }

    /// Ends the wait of a request.
    private func answer(_ page: WebPage, _ reply: JSONValue?) {
        waiting.subtract(1, ordering: .relaxed)
        if let reply { page.send(reply.line) }
    }

    /// Carries out a request that is not for an element, and answers it.
    private func carryOut(_ request: WebRequest, _ type: String, _ page: WebPage) throws(ElementError) {
        switch type {
        case "pointer", "key":
            host.send(try request.navigation())
            answer(page, nil)
        case "record":
            if try request.truth("on") {
                try recorder.start(like: frames.newest) { [weak self] in self?.tellRecording() }
                tellRecording()
                answer(page, request.reply())
            } else {
                // When the file is complete, so that the next recording may begin.
                recorder.stop { [weak self] in self?.answer(page, request.reply()) }
            }
        default: throw ElementError(.failed, "unknown request \"\(type.cut(toBytes: 40))\"")
        }
    }

    // MARK: - Messages

    private func broadcast(_ message: JSONValue) { server.withLock { $0 }?.broadcast(message.line) }

    private func tellRecording() { if let message = recordingMessage { broadcast(message) } }

    private var hello: JSONValue {
        .table([
            ("type", .text("hello")), ("title", .text(Secrets.masked(host.pipelineName))),
            ("version", .text(host.pluginVersion ?? "")), ("control", .truth(settings.control)),
            ("files", .text(settings.files.nick)), ("pages", .whole(Int64(pages.load(ordering: .relaxed)))),
        ])
    }

    /// The files in the folder of uploads; nil for pages that only show.
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
        return .table([
            ("type", .text("stats")), ("frames", .whole(Int64(count))), ("rate", .real((rate * 10).rounded() / 10)),
            ("latency", .count(host.sinkLatency.nanoseconds)),
            ("drops", .count(host.sinkStatistics?.dropped ?? 0)),
            ("pages", .whole(Int64(pages.load(ordering: .relaxed)))),
            ("width", .whole(Int64(size?.width ?? 0))), ("height", .whole(Int64(size?.height ?? 0))),
        ])
    }
}
