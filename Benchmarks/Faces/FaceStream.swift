import FoundationEssentials
import Glibc
import Pixels

/// A stream with faces in it, in RGB: the one format of the peer.
enum FaceStream: Codable {
    /// The carphone clip as raw frames in a file.
    case carphone(file: String)
    case drawn(DrawnStream)

    static let carphoneFrames = 120

    var size: FrameSize {
        switch self {
        case .carphone: .carphone
        case .drawn(let stream): stream.size
        }
    }

    var caps: String {
        "video/x-raw,format=RGB,width=\(size.width),height=\(size.height),"
            + "framerate=\(StreamTask.framesPerSecond)/1,pixel-aspect-ratio=1/1"
    }

    func footage() throws -> Footage {
        switch self {
        case .carphone(let file): try Self.footage(ofFile: file, byteCount: size.rgbByteCount)
        case .drawn(let stream): stream.footage()
        }
    }

    private static func footage(ofFile file: String, byteCount: Int) throws -> Footage {
        guard let bytes = FileManager.default.contents(atPath: file), bytes.count >= byteCount else {
            throw Failure("\(file) has no frame")
        }
        return Footage(byteCount: byteCount, count: bytes.count / byteCount) { index, destination in
            bytes.dropFirst(index * byteCount).prefix(byteCount).withUnsafeBytes { frame in
                _ = frame.baseAddress.map { memcpy(destination, $0, frame.count) }
            }
        }
    }

    /// The faces that are there in a frame of the stream.
    func truth(in frame: Int) -> [TrueFace] {
        switch self {
        case .carphone: [TrueFace(carphone: frame)]
        case .drawn(let stream): stream.scene.actors(at: StreamTask.seconds(frame)).map { TrueFace($0) }
        }
    }
}

extension FrameSize {
    static let carphone = FrameSize(width: 176, height: 144)
    static let vga = FrameSize(width: 640, height: 480)

    /// Of a frame of 3 bytes a pixel as GStreamer lays it out: rows begin at multiples of 4 bytes.
    var rgbByteCount: Int { rgbStride * height }

    var rgbStride: Int { (3 * width + 3) & ~3 }

    func rgbImage(_ frame: UnsafeMutableRawPointer) -> Image {
        Image(base: frame, width: width, height: height, stride: rgbStride, format: .rgb)
    }
}

extension StreamTask {
    /// The time of a frame.
    static func seconds(_ frame: Int) -> Double { Double(frame) / Double(framesPerSecond) }
}
