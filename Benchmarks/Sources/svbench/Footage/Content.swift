// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Scenes

/// Content of a source.
struct Content: Codable, Hashable {
    enum Kind: Codable, Hashable {
        /// Waves of colour; a seed gives a set of pictures.
        case pictures(seed: UInt64)
        /// The carphone clip as raw frames in a file.
        case carphone(file: String)
        case drawn(DrawnStream)
        case marked(MarkedStream)
    }

    static let carphoneFrames = 120

    let kind: Kind
    let size: FrameSize
    let format: String

    /// Creates content in RGB, the one format of the peer that finds faces, unless it has another.
    init(_ kind: Kind, _ size: FrameSize, _ format: String = "RGB") {
        (self.kind, self.size, self.format) = (kind, size, format)
    }

    static func pictures(_ format: String, _ size: FrameSize, seed: UInt64 = 1) -> Content {
        Content(.pictures(seed: seed), size, format)
    }

    /// Caps of the stream. The colorimetry of pictures, and of what is drawn in YUV, is spelled out so that no element has
    /// reason to convert it.
    var caps: String {
        var caps =
            "video/x-raw,format=\(format),width=\(size.width),height=\(size.height),"
            + "framerate=\(StreamJob.framesPerSecond)/1,pixel-aspect-ratio=1/1"
        let isYUV = FrameFormat(name: format)?.isYUV ?? false
        switch kind {
        case .pictures: caps += ",colorimetry=\(isYUV ? "bt601" : "sRGB")"
        case .drawn where isYUV: caps += ",colorimetry=bt601"
        default: break
        }
        return caps
    }

    func footage() throws -> Footage {
        let layout = try FrameLayout(format, size)
        switch kind {
        case .pictures(let seed):
            // Equal on both sides of a row: those of two sources are twice the last-level cache, and at least 8 each.
            let count = min(max(8, Machine.lastLevelCache / size.byteCount + 1), 64)
            return Footage(Picture(size: size, count: count, seed: seed), as: layout)
        case .carphone(let file): return try Footage(ofFile: file, byteCount: layout.byteCount)
        case .drawn(let stream): return stream.footage(layout)
        case .marked(let stream): return try stream.footage(layout)
        }
    }

    /// Returns everything that is drawn in a frame, of which the place is known.
    func entities(in frame: Int) -> [SceneEntity] {
        guard case .drawn(let stream) = kind else { return [] }
        return stream.scene(size).entities(at: StreamJob.seconds(frame))
    }
}
