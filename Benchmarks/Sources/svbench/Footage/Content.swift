import FoundationEssentials
import Glibc

/// Content of a source.
enum Content: Codable, Hashable {
    /// Waves of colour; a seed gives a set of pictures.
    case pictures(format: String, size: FrameSize, seed: UInt64 = 1)
    /// The carphone clip as raw frames in a file.
    case carphone(file: String)
    /// Drawn scenes, in RGB: the one format of the peer that finds faces.
    case drawn(DrawnStream)
    case marked(MarkedStream)

    static let carphoneFrames = 120

    var size: FrameSize {
        switch self {
        case .pictures(_, let size, _): size
        case .carphone: .carphone
        case .drawn(let stream): stream.size
        case .marked(let stream): stream.size
        }
    }

    private var format: String {
        switch self {
        case .pictures(let format, _, _): format
        case .carphone, .drawn: "RGB"
        case .marked(let stream): stream.format
        }
    }

    /// Caps of the stream. The colorimetry of pictures is spelled out so that no element has reason to convert it.
    var caps: String {
        var caps =
            "video/x-raw,format=\(format),width=\(size.width),height=\(size.height),"
            + "framerate=\(StreamJob.framesPerSecond)/1,pixel-aspect-ratio=1/1"
        if case .pictures = self { caps += ",colorimetry=\(format == "I420" ? "bt601" : "sRGB")" }
        return caps
    }

    func footage() throws -> Footage {
        switch self {
        case .pictures(let format, let size, let seed):
            // Equal on both sides of a row: those of two sources are twice the last-level cache, and at least 8 each.
            let count = min(max(8, Machine.lastLevelCache / size.byteCount + 1), 64)
            return Footage(
                Picture(size: size, count: count, seed: seed), as: try FrameLayout(format, size))
        case .carphone(let file): return try Footage(ofFile: file, byteCount: FrameLayout("RGB", size).byteCount)
        case .drawn(let stream): return try stream.footage()
        case .marked(let stream): return try stream.footage()
        }
    }

    /// Returns the faces in a frame of the stream.
    func truth(in frame: Int) -> [TrueFace] {
        switch self {
        case .pictures, .marked: []
        case .carphone: [TrueFace(carphone: frame)]
        case .drawn(let stream): stream.actors(in: frame).map { TrueFace($0) }
        }
    }
}

extension Footage {
    /// Creates footage from the consecutive frames in a file.
    fileprivate init(ofFile file: String, byteCount: Int) throws {
        guard let bytes = FileManager.default.contents(atPath: file), bytes.count >= byteCount else {
            throw Failure("\(file) has no frame")
        }
        self.init(byteCount: byteCount, count: bytes.count / byteCount) { index, destination in
            bytes.dropFirst(index * byteCount).prefix(byteCount).withUnsafeBytes { frame in
                _ = frame.baseAddress.map { memcpy(destination, $0, frame.count) }
            }
        }
    }
}
