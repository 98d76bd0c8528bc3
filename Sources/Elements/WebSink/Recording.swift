// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Synchronization
import Waiting

/// A recording under way: frames go through an encoder and a muxer into a file.
final class Recording: Sendable {
    /// True if it takes JPEGs, false if it takes raw frames.
    private let isJPEG: Bool
    private let file: RecordedFile
    private let pipeline: InnerPipeline
    /// The reason why the encoder has ended too early.
    private let encoderProblem: Monitor<String?>
    private let times = Mutex(Times())

    private struct Times {
        /// The `elapsed` of the first frame; nil before that.
        var offset: ClockTime?
        /// The time in the file of the last frame.
        var last = ClockTime.zero
        var isEnding = false
    }

    /// The encoders, best first, with their muxers. A recording ends as an ordinary MP4; a muxer without fragments would write
    /// the index, without which nothing plays, at the end only.
    private static let encoders = [
        Encoder("x264enc", "tune=zerolatency speed-preset=ultrafast bitrate=6000", muxer: mp4, ending: "mp4"),
        Encoder("openh264enc", "bitrate=4000000 ! h264parse", muxer: mp4, ending: "mp4"),
        Encoder(
            "vp8enc", "deadline=1 cpu-used=8 threads=4 target-bitrate=4000000", muxer: "webmmux", ending: "webm"),
    ]
    private static let mp4 = "mp4mux fragment-mode=first-moov-then-finalise fragment-duration=500"

    private struct Encoder {
        let element: String
        let line: String
        let ending: String

        init(_ element: String, _ options: String, muxer: String, ending: String) {
            (self.element, self.ending) = (element, ending)
            line = "\(element) \(options) ! \(muxer)"
        }
    }

    /// The frames and their bytes that may wait for the encoder until the stream waits, too.
    private static let room = (frames: 30, bytes: 128 << 20)

    /// Starts a recording of frames like this one.
    /// - Parameters:
    ///   - folder: where the file will be.
    ///   - stem: the beginning of its name.
    ///   - ended: called once, when the file is complete or has failed.
    /// - Throws: the reason for users.
    init(
        like frame: SharedFrame, in folder: String, _ stem: String, ended: @escaping @Sendable () -> Void
    ) throws(ElementError) {
        guard let encoder = Self.encoders.first(where: { isInstalled($0.element) }) else {
            throw ElementError(
                .missingPlugin,
                "no video encoder is installed. Install gstreamer1.0-plugins-ugly or gstreamer1.0-plugins-good.")
        }
        // Blocks of 2x2 pixels have a colour.
        let formats = encoder.element == "vp8enc" ? "I420" : "{I420,NV12,YV12}"
        // A file tells the shape of pixels. To make them square, videoscale might drop rows.
        let shape = frame.pixelAspect.isSquare ? ",pixel-aspect-ratio=1/1" : ""
        let even = "video/x-raw,format=\(formats),width=[2,32768,2],height=[2,32768,2]\(shape)"
        let problem = Monitor<String?>(nil)
        let file = RecordedFile(in: folder, stem, ending: encoder.ending, ended: ended)
        let isMP4 = encoder.ending == "mp4"
        do throws(ElementError) {
            pipeline = try InnerPipeline(
                "appsrc name=in format=time ! \(frame.isJPEG ? "jpegdec ! " : "")videoconvert ! videoscale ! \(even) ! "
                    + "\(encoder.line) ! appsink name=out sync=false async=false",
                InnerPipeline.Events(
                    output: { output in
                        file.add(
                            output.bytes, at: output.position, time: output.time,
                            isPoint: !isMP4 || Self.isIndex(output.bytes))
                    },
                    ended: { reason in
                        guard let reason else { return file.finish() }
                        problem.withLock { $0 = $0 ?? reason }
                        file.cut()
                    }))
        } catch {
            file.cut()
            throw error
        }
        (self.file, isJPEG, encoderProblem) = (file, frame.isJPEG, problem)
    }

    /// Returns true for the index of an MP4 or of a part of it: what comes before it plays.
    private static func isIndex(_ box: UnsafeRawBufferPointer) -> Bool {
        let type = box.dropFirst(4).prefix(4)
        return type.elementsEqual("moov".utf8) || type.elementsEqual("moof".utf8)
    }

    /// Adds a frame. Waits while the encoder is behind, unless it is interrupted.
    /// - Returns: false if the frame is of the other kind, which cannot follow.
    func add(_ frame: SharedFrame, unless interruption: Interruption) -> Bool {
        guard frame.isJPEG == isJPEG else { return false }
        pipeline.waitForRoom(frames: Self.room.frames, bytes: Self.room.bytes, unless: interruption)
        let place = times.withLock { times -> ClockTime? in
            guard !times.isEnding else { return nil }
            guard let offset = times.offset else {
                times.offset = frame.time.elapsed
                return .zero
            }
            // No two frames have the same time, not even after a seek or with broken timestamps.
            return max(frame.time.elapsed.since(offset) ?? .zero, times.last + ClockTime.second / 1000)
        }
        // The recording may end meanwhile.
        if let place, pipeline.push(frame, at: place) { times.withLock { $0.last = place } }
        return true
    }

    /// What is in the file by now.
    var content: RecordedFile.Content { file.content }

    /// True if there is a file, or will be if the program goes on.
    var isKept: Bool { file.coming != nil && (!file.isOver || file.content.bytes > 0) }

    /// True if nothing more is written.
    var isOver: Bool { file.isOver }

    /// The reason why the disk or the encoder has failed.
    var problem: String? { file.problem ?? encoderProblem.withLock { $0 } }

    var hasFrames: Bool { times.withLock { $0.offset != nil } }

    /// The time of the last frame that was added.
    var length: ClockTime { times.withLock { $0.last } }

    /// The time at the end that is neither in the file nor about to be written.
    var lost: ClockTime { length.since(file.coming ?? .zero) ?? .zero }

    /// The time that waits for the disk.
    var unwritten: ClockTime {
        file.coming.flatMap { $0.since(file.content.span ?? .zero) } ?? .zero
    }

    /// Ends the recording: the file is complete a little later.
    func end() {
        let isFirst = times.withLock { times in
            defer { times.isEnding = true }
            return !times.isEnding
        }
        guard isFirst else { return }
        if hasFrames {
            pipeline.end()
        } else {
            abandon()
        }
    }

    var isEnding: Bool { times.withLock { $0.isEnding } }

    /// Drops the frames that wait for the encoder.
    func dropWaiting() { pipeline.dropWaiting() }

    /// Ends the encoder in the background. What it has encoded is still written.
    func abandon() {
        pipeline.abandon()
        file.cut()
    }
}
