import Glibc
import Pixels

/// Drawn faces of which the truth is known, on their ways before a ground.
struct DrawnStream: Codable {
    enum Ground: String, Codable {
        /// Colour bars, as of a test pattern: the same in every frame.
        case bars
        /// Waves of colour and edges, as before a camera at rest: each frame has a grain of its own.
        case waves
        /// The same before a camera that tilts up and down, by a pixel per frame: all changes all the time.
        case pan
    }

    /// The name of a kind of scene.
    var kind: String
    /// How many faces; as many of them as the frame has room for.
    var count: Int
    var seed: UInt64 = 1
    var size: FrameSize
    var ground: Ground

    /// Ground and size.
    var name: String { "\(ground)/\(size)" }

    var scene: Scene {
        Scene(
            Scene.Kind.allCases.first { "\($0)" == kind } ?? .both, count: count, seed: seed, width: size.width,
            height: size.height)
    }

    func footage() -> Footage {
        let (size, ground) = (size, Backdrop(ground, size))
        let artist = SceneArtist(scene)
        var footage = Footage(byteCount: size.rgbByteCount, count: ground.count) { ground.write($0, to: $1) }
        footage.draw = { number, frame in
            if ground.isMoving { ground.write(number, to: frame) }
            artist.draw(on: FrameImage(size.rgbImage(frame)), at: StreamTask.seconds(number))
        }
        return footage
    }
}

/// What is behind the faces.
private struct Backdrop {
    /// How far a camera tilts, in pixels.
    private static let travel = 200

    private let size: FrameSize
    /// RGB, shown in turn; of a moving one a single one that is higher than a frame.
    private let pictures: [[UInt8]]
    let isMoving: Bool

    init(_ ground: DrawnStream.Ground, _ size: FrameSize) {
        self.size = size
        isMoving = ground == .pan
        switch ground {
        case .bars: pictures = [Self.bars(size)]
        case .waves: pictures = (1...8).map { Self.waves(size, grain: $0) }
        case .pan:
            pictures = [Self.waves(FrameSize(width: size.width, height: size.height + Self.travel), grain: 1)]
        }
    }

    /// Of different frames.
    var count: Int { pictures.count }

    /// Copies the ground of a frame.
    func write(_ number: Int, to frame: UnsafeMutableRawPointer) {
        let way = number % (2 * Self.travel)
        let row = isMoving ? min(way, 2 * Self.travel - way) : 0
        pictures[number % pictures.count].withUnsafeBytes { bytes in
            _ = bytes.baseAddress.map { memcpy(frame, $0 + row * size.rgbStride, size.rgbByteCount) }
        }
    }

    /// White, yellow, cyan, green, magenta, red, blue.
    private static func bars(_ size: FrameSize) -> [UInt8] {
        let colors: [UInt32] = [0xB4B4B4, 0xB4B410, 0x10B4B4, 0x10B410, 0xB410B4, 0xB41010, 0x1010B4]
        return painted(size) { frame in
            for (bar, color) in colors.enumerated() {
                let (left, right) = (bar * size.width / colors.count, (bar + 1) * size.width / colors.count)
                FrameImage(size.rgbImage(frame)).fill(
                    Rectangle(x: left, width: right - left, height: size.height), color: 0xFF00_0000 | color)
            }
        }
    }

    private static func waves(_ size: FrameSize, grain seed: UInt64) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: size.byteCount)
        pixels.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { Picture(size: size, count: 1, seed: 1).write(0, to: base) }
        }
        var random = Random(state: seed)
        return painted(size) { frame in
            let image = size.rgbImage(frame)
            for y in 0..<size.height {
                let row = image.row(y)
                for x in 0..<size.width {
                    let grain = random.next() >> 20
                    for channel in 0..<3 {
                        let level = UInt64(pixels[4 * (y * size.width + x) + channel])
                        row[3 * x + channel] = UInt8(min(255, level + (grain >> (8 * UInt64(channel)) & 7)))
                    }
                }
            }
        }
    }

    /// The bytes of a frame that `paint` has filled.
    private static func painted(_ size: FrameSize, _ paint: (UnsafeMutableRawPointer) -> Void) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size.rgbByteCount)
        bytes.withUnsafeMutableBytes { frame in
            if let base = frame.baseAddress { paint(base) }
        }
        return bytes
    }
}
