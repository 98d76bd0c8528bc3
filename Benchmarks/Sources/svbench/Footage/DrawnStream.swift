import Glibc
import Imaging

/// Drawn faces, whose places are known, moving over a background.
struct DrawnStream: Codable, Hashable {
    enum Ground: String, Codable {
        /// Colour bars, as of a test pattern: the same in every frame.
        case bars
        /// Waves of colour and edges, as from a camera at rest: each frame has a grain of its own.
        case waves
        /// Waves from a camera that tilts up and down, by a pixel per frame: everything changes all the time.
        case pan
    }

    /// Name of a kind of scene.
    var kind: String
    /// Number of faces; as many of them are drawn as fit in the frame.
    var count: Int
    var seed: UInt64 = 1
    var size: FrameSize
    var ground: Ground

    /// Name of the background and size.
    var name: String { "\(ground)/\(size)" }

    private var scene: Scene {
        Scene(
            Scene.Kind.allCases.first { "\($0)" == kind } ?? .both, count: count, seed: seed, width: size.width,
            height: size.height)
    }

    /// Returns everything that is drawn in a frame.
    func actors(in frame: Int) -> [SceneEntity] { scene.entities(at: StreamJob.seconds(frame)) }

    func footage() throws -> Footage {
        let (ground, layout) = (Backdrop(ground, size), try FrameLayout("RGB", size))
        let artist = ScenePainter(scene)
        var footage = Footage(byteCount: layout.byteCount, count: ground.count) { ground.write($0, to: $1) }
        footage.draw = { number, frame in
            if ground.isMoving { ground.write(number, to: frame) }
            artist.draw(on: layout.image(frame), at: StreamJob.seconds(number))
        }
        return footage
    }
}

/// Background of the drawn faces.
private struct Backdrop {
    /// Number of pixels by which a camera tilts.
    private static let travel = 200

    private let size: FrameSize
    /// Pictures in RGB, shown in turn; a single one that is higher than a frame if it moves.
    private let pictures: [OwnedImage]
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

    /// Number of different frames.
    var count: Int { pictures.count }

    /// Copies the background of a frame.
    func write(_ number: Int, to frame: UnsafeMutableRawPointer) {
        let way = number % (2 * Self.travel)
        let picture = pictures[number % pictures.count].image
        memcpy(frame, picture.row(isMoving ? min(way, 2 * Self.travel - way) : 0), picture.stride * size.height)
    }

    /// Draws bars of white, yellow, cyan, green, magenta, red, blue.
    private static func bars(_ size: FrameSize) -> OwnedImage {
        let colors: [Color] = [
            0xFFB4_B4B4, 0xFFB4_B410, 0xFF10_B4B4, 0xFF10_B410, 0xFFB4_10B4, 0xFFB4_1010, 0xFF10_10B4,
        ]
        let picture = OwnedImage(.rgb, width: size.width, height: size.height)
        for (bar, color) in colors.enumerated() {
            let (left, right) = (bar * size.width / colors.count, (bar + 1) * size.width / colors.count)
            let place = Rectangle(x: left, width: right - left, height: size.height)
            FrameImage(picture.image).fill(place, color: color)
        }
        return picture
    }

    private static func waves(_ size: FrameSize, grain seed: UInt64) -> OwnedImage {
        let smooth = OwnedImage(.bgra, width: size.width, height: size.height)
        Picture(size: size, count: 1, seed: 1).write(0, to: smooth.image.base)
        let picture = OwnedImage(.rgb, width: size.width, height: size.height)
        var random = Random(state: seed)
        for y in 0..<size.height {
            let (source, row) = (smooth.image.row(y), picture.image.row(y))
            for x in 0..<size.width {
                let grain = random.next() >> 20
                for channel in 0..<3 {
                    let level = UInt64(source[4 * x + channel])
                    row[3 * x + channel] = UInt8(min(255, level + (grain >> (8 * UInt64(channel)) & 7)))
                }
            }
        }
        return picture
    }
}
