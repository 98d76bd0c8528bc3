// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Synchronization
import Waiting

/// A recording in progress. Frames pass through an encoder and a muxer into a file.
final class Recording: Sendable {
    /// True if the frames are JPEG images, false if they are raw frames.
    private let isJPEG: Bool
    private let file: RecordedFile
    private let pipeline: InnerPipeline
    /// The reason for an unexpected end of the encoder; nil if there was none.
    private let encoderProblem: Monitor<String?>
    private let times = Mutex(Times())

    private struct Times {
        /// The `elapsed` time of the first frame; nil before the first frame.
        var offset: ClockTime?
        /// The time of the last frame, relative to the first frame.
        var last = ClockTime.zero
        var isEnding = false
    }

    /// The encoders in order of preference, with their muxers. A complete MP4 recording is an ordinary file with one
    /// index. During the recording, the file has fragments. A file without fragments would be playable only after the
    /// muxer has written the index at the end.
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

    /// `add` blocks the stream if more than `frames` frames, or frames with more than `bytes` bytes, wait for the
    /// encoder.
    private static let room = (frames: 30, bytes: 128 << 20)

    /// Starts a recording of frames that have the same format as `frame`.
    /// - Parameters:
    ///   - folder: the folder for the file.
    ///   - stem: the beginning of the file name.
    ///   - ended: called once, when the file is complete or writing has failed.
    /// - Throws: `ElementError` with a text for users.
    init(
        like frame: SharedFrame, in folder: String, _ stem: String, ended: @escaping @Sendable () -> Void
    ) throws(ElementError) {
        guard let encoder = Self.encoders.first(where: { isInstalled($0.element) }) else {
            throw ElementError(
                .missingPlugin,
                "no video encoder is installed. Install gstreamer1.0-plugins-ugly or gstreamer1.0-plugins-good.")
        }
        // In these formats, each block of 2 x 2 pixels shares its colour samples, so width and height must be even.
        let formats = encoder.element == "vp8enc" ? "I420" : "{I420,NV12,YV12}"
        // Files store the pixel aspect ratio. If pixels are square, keep them square. Otherwise, leave the ratio free,
        // because videoscale might drop rows to make the pixels square.
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
                            isPoint: !isMP4 || RecordedFile.isIndex(output.bytes))
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

    /// Adds a frame. Blocks while the encoder is too slow, unless the element is interrupted.
    /// - Returns: false if a raw frame follows JPEG frames or the reverse, so that the recording must end.
    func add(_ frame: SharedFrame, unless interruption: Interruption) -> Bool {
        guard frame.isJPEG == isJPEG else { return false }
        pipeline.waitForRoom(frames: Self.room.frames, bytes: Self.room.bytes, unless: interruption)
        let position = times.withLock { times -> ClockTime? in
            guard !times.isEnding else { return nil }
            guard let offset = times.offset else {
                times.offset = frame.time.elapsed
                return .zero
            }
            // Timestamps must increase, even after a seek or with wrong timestamps of the source.
            return max(frame.time.elapsed.since(offset) ?? .zero, times.last + ClockTime.second / 1000)
        }
        // The recording may have ended meanwhile, so `push` can fail.
        if let position, pipeline.push(frame, at: position) { times.withLock { $0.last = position } }
        return true
    }

    var content: RecordedFile.Content { file.content }

    /// True if the file exists or is about to be written.
    var isKept: Bool { file.coming != nil && (!file.isOver || file.content.bytes > 0) }

    /// True when writing has ended.
    var isOver: Bool { file.isOver }

    /// The description of a disk or encoder error; nil if there was none.
    var problem: String? { file.problem ?? encoderProblem.withLock { $0 } }

    var hasFrames: Bool { times.withLock { $0.offset != nil } }

    /// The time of the last frame added to the encoder.
    var length: ClockTime { times.withLock { $0.last } }

    /// The duration of the part at the end of the recording that will not be in the file.
    var lost: ClockTime { length.since(file.coming ?? .zero) ?? .zero }

    /// The duration of the part of the recording that is not on the disk yet.
    var unwritten: ClockTime {
        file.coming.flatMap { $0.since(file.content.span ?? .zero) } ?? .zero
    }

    /// Ends the recording. The file is complete a short time later.
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

    /// Ends the encoder in the background. Frames that are already encoded are still written, up to the last offset at
    /// which the file is playable.
    func abandon() {
        pipeline.abandon()
        file.cut()
    }
}
