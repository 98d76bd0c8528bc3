// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Glibc
import Imaging
import Scenes

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

    var kind: Scene.Kind
    /// Number of faces; as many of them are drawn as fit in the frame.
    var count: Int
    var seed: UInt64 = 1
    var ground: Ground

    func scene(_ size: FrameSize) -> Scene {
        Scene(kind, count: count, seed: seed, width: size.width, height: size.height)
    }

    func footage(_ layout: FrameLayout) -> Footage {
        let (ground, painter) = (ground, ScenePainter(scene(layout.size)))
        let pictures = ground.pictures(layout.size)
        func write(_ number: Int, to frame: UnsafeMutableRawPointer) {
            let way = number % (2 * Ground.travel)
            let row = ground == .pan ? min(way, 2 * Ground.travel - way) : 0
            memcpy(frame, pictures[number % pictures.count].image.row(row), layout.byteCount)
        }
        return Footage(byteCount: layout.byteCount, count: pictures.count, write: write) { number, frame, _ in
            if ground == .pan { write(number, to: frame) }
            painter.draw(on: layout.image(frame), at: StreamJob.seconds(number))
        }
    }
}

extension Scene.Kind: Codable {}

extension DrawnStream.Ground {
    /// Number of pixels by which a camera tilts.
    fileprivate static let travel = 200

    /// Returns pictures in RGB, to be shown in turn; a single one that is higher than a frame if the camera moves.
    fileprivate func pictures(_ size: FrameSize) -> [OwnedImage] {
        switch self {
        case .bars: [Self.bars(size)]
        case .waves: (1...8).map { Self.waves(size, grain: $0) }
        case .pan: [Self.waves(FrameSize(width: size.width, height: size.height + Self.travel), grain: 1)]
        }
    }

    /// Draws bars of white, yellow, cyan, green, magenta, red, blue.
    private static func bars(_ size: FrameSize) -> OwnedImage {
        let colors: [UInt32] = [0xB4B4B4, 0xB4B410, 0x10B4B4, 0x10B410, 0xB410B4, 0xB41010, 0x1010B4]
        let picture = OwnedImage(.rgb, width: size.width, height: size.height)
        for (bar, color) in colors.enumerated() {
            let (left, right) = (bar * size.width / colors.count, (bar + 1) * size.width / colors.count)
            let place = Rectangle(x: left, width: right - left, height: size.height)
            FrameImage(picture.image).fill(place, color: Color(argb: 0xFF00_0000 | color))
        }
        return picture
    }

    private static func waves(_ size: FrameSize, grain seed: UInt64) -> OwnedImage {
        let smooth = Picture(size: size, count: 1, seed: 1).image(0)
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
