// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files
import Synchronization

/// Writes packets to a video file, in separate threads. The file is playable at any time, see `RecordedFile`.
final class ClipWriter: Sendable {
    private let pipeline: InnerPipeline
    private let file: RecordedFile
    private let folder: String
    private let failure: Failure
    /// The running time of the first packet, which has the timestamp 0 in the file.
    let origin: Int64
    let hasSound: Bool
    private let limit: Int
    /// The duration for frames that have no duration.
    private let frameDuration: ClockTime

    /// The first problem of the muxer.
    private final class Failure: Sendable {
        private let text = Mutex<String?>(nil)
        var value: String? { text.withLock { $0 } }
        func set(_ new: String) { text.withLock { $0 = $0 ?? new } }
    }

    /// - Parameters:
    ///   - origin: the running time of the first packet.
    ///   - limit: the maximum number of bytes that wait for the disk. If more bytes wait, the file ends.
    ///   - fragment: the duration of the fragments of an MP4 file, in milliseconds.
    ///   - ended: called once, on a thread of the file, when writing has ended.
    init(
        in folder: String, _ stem: String, _ container: ClipContainer, from origin: Int64, hasSound: Bool,
        atMost limit: Int, frameRate: Double?, fragment: Int = 500, ended: @escaping @Sendable () -> Void
    ) throws(ElementError) {
        let ending = container.rawValue
        // Create the empty file now, because messages and the name of the snapshot contain the file name.
        let number: Int
        do throws(FileError) { number = try GrowingFile.reserve(in: folder, stem, ending: ending) } catch {
            throw ElementError(error, writing: "\(folder)/\(stem).\(ending)")
        }
        let file = RecordedFile(in: folder, stem, ending: ending, reserved: number, ended: ended)
        let failure = Failure()
        do throws(ElementError) {
            pipeline = try InnerPipeline(
                "\(container.muxer(fragment: fragment)) name=mux ! appsink name=out sync=false async=false "
                    + "appsrc name=in format=time ! mux.video_0"
                    + (hasSound ? " appsrc name=sound format=time ! mux.audio_0" : ""),
                InnerPipeline.Events(
                    output: { output in
                        file.add(
                            output.bytes, at: output.position, time: output.time,
                            isPoint: container != .mp4 || RecordedFile.isIndex(output.bytes))
                    },
                    ended: { reason in
                        guard let reason else { return file.finish() }
                        failure.set(reason)
                        file.cut()
                    }))
        } catch {
            file.cut()
            throw error
        }
        (self.file, self.folder, self.failure) = (file, folder, failure)
        (self.origin, self.hasSound, self.limit) = (origin, hasSound, limit)
        frameDuration = ClockTime(nearest: 1e9 / max(1, frameRate ?? 25))
    }

    var path: String { "\(folder)/\(file.content.name)" }

    var content: RecordedFile.Content { file.content }

    /// The description of a disk or muxer error; nil if there was none.
    var problem: String? { failure.value ?? file.problem }

    /// Adds a video packet. Never blocks.
    func add(_ packet: StreamPacket) {
        // Without a duration, muxers write no time for the last frame, and players skip the frame.
        pipeline.push(packet, from: origin, duration: packet.duration ?? frameDuration)
        guard pipeline.waitingBytes > limit else { return }
        abandon("the disk is too slow")
    }

    /// Adds an audio packet. Never blocks. Packets before the first video packet are skipped.
    func addSound(_ packet: StreamPacket) {
        guard let time = packet.time, time >= origin else { return }
        pipeline.pushSound(packet, from: origin)
    }

    /// Ends the video. The file is complete a short time after the end of video and audio.
    func end() { pipeline.end() }

    func endSound() { if hasSound { pipeline.endSound() } }

    /// Ends the file at the last offset at which the file is playable. The file then counts as incomplete.
    func abandon(_ reason: String = "the recording has stopped before the file was complete") {
        failure.set(reason)
        pipeline.abandon()
        file.cut()
    }
}
