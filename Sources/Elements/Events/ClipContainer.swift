// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// The file formats of clips. The raw value is the ending of the file name.
enum ClipContainer: String, Sendable {
    case matroska = "mkv"
    case mp4
    case webm

    /// Returns the description of the muxer. During the recording, an MP4 file consists of fragments, so that an
    /// incomplete file is playable.
    /// - Parameter fragment: the duration of fragments, in milliseconds.
    func muxer(fragment: Int) -> String {
        switch self {
        case .matroska: "matroskamux"
        case .mp4: "mp4mux fragment-mode=first-moov-then-finalise fragment-duration=\(fragment)"
        case .webm: "webmmux"
        }
    }

    func holds(video type: String) -> Bool {
        switch self {
        case .matroska: true
        case .mp4: ["video/x-h264", "video/x-h265"].contains(type)
        case .webm: ["video/x-vp8", "video/x-vp9"].contains(type)
        }
    }

    func holds(audio type: String) -> Bool {
        switch self {
        case .matroska: true
        case .mp4: ["audio/mpeg", "audio/x-opus"].contains(type)
        case .webm: ["audio/x-opus", "audio/x-vorbis"].contains(type)
        }
    }
}

/// A stock encoder for raw video or raw audio.
struct ClipEncoder: Sendable {
    let element: String
    /// The media type of the encoded stream.
    let type: String
    /// The description of the encoder in a pipeline. The arguments are the bit rate, in bits per second, and the
    /// maximum number of frames from one keyframe to the next.
    let line: @Sendable (_ bitrate: Int, _ keyInterval: Int) -> String

    private static let video = [
        ClipEncoder(element: "x264enc", type: "video/x-h264") { bitrate, interval in
            "x264enc tune=zerolatency speed-preset=ultrafast bitrate=\(max(1, bitrate / 1000)) key-int-max=\(interval)"
                + " ! video/x-h264,stream-format=avc,alignment=au"
        },
        ClipEncoder(element: "openh264enc", type: "video/x-h264") { bitrate, interval in
            "openh264enc complexity=low bitrate=\(bitrate) gop-size=\(interval) ! h264parse config-interval=-1"
                + " ! video/x-h264,stream-format=avc,alignment=au"
        },
        ClipEncoder(element: "vp8enc", type: "video/x-vp8") { bitrate, interval in
            "vp8enc deadline=1 cpu-used=8 threads=4 target-bitrate=\(bitrate) keyframe-max-dist=\(interval)"
        },
    ]

    private static let audio = [
        ClipEncoder(element: "avenc_aac", type: "audio/mpeg") { _, _ in "avenc_aac ! aacparse" },
        ClipEncoder(element: "voaacenc", type: "audio/mpeg") { _, _ in "voaacenc ! aacparse" },
        ClipEncoder(element: "opusenc", type: "audio/x-opus") { _, _ in "opusenc" },
    ]

    /// Returns the first installed video encoder for a container; nil if there is none.
    static func video(for container: ClipContainer) -> ClipEncoder? {
        video.first { container.holds(video: $0.type) && isInstalled($0.element) }
    }

    static func audio(for container: ClipContainer) -> ClipEncoder? {
        audio.first { container.holds(audio: $0.type) && isInstalled($0.element) }
    }
}
