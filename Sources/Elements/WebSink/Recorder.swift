// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Glibc
import Imaging
import Synchronization

/// Records the stream: every frame, with its own time, whether a page looks or not.
final class Recorder: Sendable {
    private let host: Host<WebSinkSettings>
    private let folder: String
    private let state = Mutex(State())

    private struct State {
        var running: Running?
        /// The paths of what is complete, by name.
        var finished: [String: String] = [:]
        var last: Status?
        /// True once the element stops: nothing begins any more that nobody would end.
        var isOver = false

        /// - Throws: why no recording may begin.
        func checkMayBegin() throws(ElementError) {
            if isOver { throw ElementError(.failed, "the pipeline stops") }
            if running != nil { throw ElementError(.busy, "it records already") }
        }
    }

    private struct Running {
        let name: String
        let path: String
        let pipeline: InnerPipeline
        let isJPEG: Bool
        let began = ClockTime.now
        /// The `elapsed` of the first frame; nil before that.
        var offset: ClockTime?
        /// The time in the file of the frame before.
        var last = ClockTime.zero
        var isEnding = false
    }

    /// What pages are told.
    struct Status: Sendable {
        var isOn = false
        var name = ""
        var seconds = 0.0
        var bytes: Int64 = 0
        var failure: String?
    }

    init(_ host: Host<WebSinkSettings>, folder: String) {
        (self.host, self.folder) = (host, folder)
    }

    /// The encoders that will do, best first, with the muxer for each.
    private static let encoders = [
        (
            element: "x264enc", rest: "x264enc tune=zerolatency speed-preset=ultrafast bitrate=6000 ! mp4mux",
            ending: "mp4"
        ),
        (element: "openh264enc", rest: "openh264enc bitrate=4000000 ! h264parse ! mp4mux", ending: "mp4"),
        (
            element: "vp8enc", rest: "vp8enc deadline=1 cpu-used=8 threads=4 target-bitrate=4000000 ! webmmux",
            ending: "webm"
        ),
    ]

    /// The most frames that wait to be encoded; then the stream waits.
    private static let room = 30

    /// Starts a recording of frames like this one.
    /// - Parameter changed: called when it has ended.
    /// - Throws: the reason for users.
    func start(like frame: SharedFrame?, changed: @escaping @Sendable () -> Void) throws(ElementError) {
        guard let frame else { throw ElementError(.failed, "there is nothing to record yet") }
        try state.withLock { state throws(ElementError) in try state.checkMayBegin() }
        guard let encoder = Self.encoders.first(where: { isInstalled($0.element) }) else {
            throw ElementError(
                .missingPlugin, "there is no encoder: install gstreamer1.0-plugins-ugly or gstreamer1.0-plugins-good")
        }
        let (name, path) = try freeName(encoder.ending)
        // Blocks of 2x2 pixels have a colour.
        let formats = encoder.element == "vp8enc" ? "I420" : "{I420,NV12,YV12}"
        // A file tells the shape of pixels. To make them square, videoscale might drop rows.
        let shape = frame.pixelAspect.isSquare ? ",pixel-aspect-ratio=1/1" : ""
        let even = "video/x-raw,format=\(formats),width=[2,32768,2],height=[2,32768,2]\(shape)"
        let pipeline: InnerPipeline
        do throws(ElementError) {
            pipeline = try InnerPipeline(
                "appsrc name=in format=time ! \(frame.isJPEG ? "jpegdec ! " : "")videoconvert ! videoscale ! \(even) ! "
                    + "\(encoder.rest) ! filesink name=file",
                location: path,
                InnerPipeline.Events(ended: { [weak self] error in
                    self?.finish(name, error)
                    changed()
                }))
        } catch {
            unlink(path.systemPath)
            throw error
        }
        let running = Running(name: name, path: path, pipeline: pipeline, isJPEG: frame.isJPEG)
        do throws(ElementError) {
            try state.withLock { state throws(ElementError) in
                try state.checkMayBegin()
                state.running = running
            }
        } catch {
            unlink(path.systemPath)
            throw error
        }
    }

    private func freeName(_ ending: String) throws(ElementError) -> (name: String, path: String) {
        var (now, parts) = (time(nil), tm())
        localtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y%m%d-%H%M%S", &parts)
        let stem = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for number in 1..<1000 {
            let name = number == 1 ? "\(stem).\(ending)" : "\(stem)-\(number).\(ending)"
            do throws(FileError) {
                try reserveFile("\(folder)/\(name)")
                return (name, "\(folder)/\(name)")
            } catch {
                guard error.cause == .exists else { throw ElementError(.openWrite, "\(folder): \(error)") }
            }
        }
        throw ElementError(.openWrite, "\(folder): there is no free name for a recording")
    }

    /// Adds a frame, if a recording runs. Waits while the encoder is behind.
    func add(_ frame: SharedFrame) {
        guard let pipeline = state.withLock({ $0.running.flatMap { $0.isEnding ? nil : $0.pipeline } }) else { return }
        while pipeline.waiting >= Self.room, !host.worker.isEnding, state.withLock({ $0.running?.isEnding == false }) {
            usleep(2000)
        }
        let place = state.withLock { state -> ClockTime? in
            guard var running = state.running, !running.isEnding else { return nil }
            guard running.isJPEG == frame.isJPEG else { return nil }
            if let offset = running.offset {
                // No two frames have the same time, not even after a seek or with broken timestamps.
                running.last = max(frame.time.elapsed.since(offset) ?? .zero, running.last + ClockTime.second / 1000)
            } else {
                running.offset = frame.time.elapsed
            }
            state.running = running
            return running.last
        }
        if let place { pipeline.push(frame, at: place) } else { stop() }
    }

    /// Ends the recording; it is complete a little later.
    func stop() {
        let pipeline = state.withLock { state -> InnerPipeline? in
            guard state.running?.isEnding == false else { return nil }
            state.running?.isEnding = true
            return state.running?.pipeline
        }
        pipeline?.end()
    }

    /// Ends the recording for good, and waits for its completion.
    func stopAndWait() {
        state.withLock { $0.isOver = true }
        stop()
        for _ in 0..<2000 where state.withLock({ $0.running != nil }) { usleep(5000) }
        let rest = state.withLock { state in
            defer { state.running = nil }
            return state.running
        }
        if let rest { unlink(rest.path.systemPath) }
    }

    /// Takes note of the end, in the pipeline's own thread.
    private func finish(_ name: String, _ error: String?) {
        guard var status, status.isOn, status.name == name else { return }
        (status.isOn, status.failure) = (false, error)
        let running = state.withLock { state -> Running? in
            guard let running = state.running, running.name == name else { return nil }
            state.last = status
            if error == nil { state.finished[name] = running.path }
            state.running = nil
            return running
        }
        guard let running else { return }
        if let error {
            unlink(running.path.systemPath)
            host.post(warning: ElementError(.write, "\(name): the recording has failed", details: error))
        }
    }

    /// Returns the path of a finished recording.
    func path(named name: String) -> String? { state.withLock { $0.finished[name] } }

    /// What is recorded, or was recorded last; nil if nothing was.
    var status: Status? {
        let (last, running) = state.withLock { state in
            (state.last, state.running.map { (path: $0.path, name: $0.name, seconds: $0.last.seconds) })
        }
        guard let running else { return last }
        // Without the lock: a disk may take its time.
        var file = stat()
        let bytes = stat(running.path.systemPath, &file) == 0 ? Int64(file.st_size) : 0
        return Status(isOn: true, name: running.name, seconds: running.seconds, bytes: bytes)
    }

    var isOn: Bool { state.withLock { $0.running != nil } }
}
