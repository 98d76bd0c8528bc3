// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Waiting

/// Converts a stream to the encoded packets of clips. Raw streams pass through an encoder. Encoded streams pass only
/// through a parser, which adds missing headers.
final class PacketSource: Sendable {
    private let pipeline: InnerPipeline
    private let hasEnded: Monitor<Bool>

    /// `push` blocks the stream if more than `frames` frames, or frames with more than `bytes` bytes, wait for the
    /// encoder.
    private static let room = (frames: 30, bytes: 128 << 20)

    /// The maximum time between two keyframes of the encoder, in seconds.
    private static let keySeconds = 1.0
    /// The frame rate to assume if the stream has no frame rate, in frames per second.
    private static let usualRate = 30.0

    /// Creates a source of video packets.
    /// - Parameters:
    ///   - bitrate: the bit rate of the encoder, in bits per second.
    ///   - packet: called for each packet, on a thread of the encoder.
    ///   - failed: called once with the reason if the encoder or the parser fails.
    /// - Throws: `ElementError` with a text for users.
    convenience init(
        video caps: StreamCaps, for container: ClipContainer, bitrate: Int,
        packet: @escaping @Sendable (StreamPacket) -> Void, failed: @escaping @Sendable (String) -> Void
    ) throws(ElementError) {
        let line: String
        if caps.isRaw {
            guard let encoder = ClipEncoder.video(for: container) else {
                throw ElementError(
                    .missingPlugin,
                    "no video encoder for .\(container.rawValue) files is installed. Install gstreamer1.0-plugins-ugly "
                        + "or gstreamer1.0-plugins-good.")
            }
            // In these formats, each block of 2 x 2 pixels shares its colour samples, so width and height must be even.
            let formats = encoder.element == "vp8enc" ? "I420" : "{I420,NV12,YV12}"
            // If pixels are square, keep them square. Otherwise, leave the pixel aspect ratio free, because videoscale
            // might drop rows to make the pixels square.
            let shape = caps.hasSquarePixels ? ",pixel-aspect-ratio=1/1" : ""
            let interval = max(1, Int((caps.frameRate ?? Self.usualRate) * Self.keySeconds))
            line =
                "videoconvert ! videoscale ! "
                + "video/x-raw,format=\(formats),width=[2,32768,2],height=[2,32768,2]\(shape) ! "
                + encoder.line(bitrate, interval)
        } else {
            guard container.holds(video: caps.mediaType) else {
                throw ElementError(
                    .settings,
                    "cannot store \(caps.mediaType) in a .\(container.rawValue) file. Use a name that ends in .mkv.")
            }
            line = Self.parser(for: caps)
        }
        try self.init(line, packet, failed)
    }

    /// Creates a source of audio packets.
    convenience init(
        audio caps: StreamCaps, for container: ClipContainer, packet: @escaping @Sendable (StreamPacket) -> Void,
        failed: @escaping @Sendable (String) -> Void
    ) throws(ElementError) {
        let line: String
        if caps.isRaw {
            guard let encoder = ClipEncoder.audio(for: container) else {
                throw ElementError(
                    .missingPlugin, "no audio encoder is installed. Install gstreamer1.0-plugins-base.")
            }
            line = "audioconvert ! audioresample ! \(encoder.line(0, 0))"
        } else {
            guard container.holds(audio: caps.mediaType) else {
                throw ElementError(
                    .settings,
                    "cannot store \(caps.mediaType) in a .\(container.rawValue) file. Use a name that ends in .mkv.")
            }
            line = caps.mediaType == "audio/mpeg" && caps.number("mpegversion") != 1 ? "aacparse" : "identity"
        }
        try self.init(line, packet, failed)
    }

    private init(
        _ line: String, _ packet: @escaping @Sendable (StreamPacket) -> Void,
        _ failed: @escaping @Sendable (String) -> Void
    ) throws(ElementError) {
        let hasEnded = Monitor(false)
        pipeline = try InnerPipeline(
            "appsrc name=in format=time ! \(line) ! appsink name=out sync=false async=false",
            InnerPipeline.Events(
                packet: packet,
                ended: { reason in
                    if let reason { failed(reason) }
                    hasEnded.change { $0 = true }
                }))
        self.hasEnded = hasEnded
    }

    /// Returns the parser for an encoded stream. With `config-interval=-1`, each keyframe has all headers, so that a
    /// clip can begin at any keyframe.
    private static func parser(for caps: StreamCaps) -> String {
        switch caps.mediaType {
        case "video/x-h264" where isInstalled("h264parse"):
            "h264parse config-interval=-1 ! video/x-h264,stream-format=avc,alignment=au"
        case "video/x-h265" where isInstalled("h265parse"):
            "h265parse config-interval=-1 ! video/x-h265,stream-format=hvc1,alignment=au"
        default: "identity"
        }
    }

    /// Adds a packet of the stream. Blocks while the encoder is too slow, unless the element is interrupted.
    func push(_ packet: StreamPacket, unless interruption: Interruption) {
        pipeline.waitForRoom(frames: Self.room.frames, bytes: Self.room.bytes, unless: interruption)
        pipeline.push(packet, from: 0)
    }

    /// Ends the stream, and waits until all packets are encoded.
    /// - Returns: false if the deadline has passed or the wait was interrupted.
    @discardableResult
    func drain(until deadline: Deadline = .never, unless interruption: Interruption? = nil) -> Bool {
        pipeline.end()
        return hasEnded.wait(until: deadline, unless: interruption) { $0 }
    }

    /// Drops all packets that are not encoded yet.
    func abandon() { pipeline.abandon() }
}
