// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing
import Vision

/// A frame of any format in separate memory, with padding after its rows and guard bytes around its planes.
final class Canvas {
    let frame: FrameImage
    private let planes: [UnsafeMutableRawBufferPointer]
    private static let guardBytes = 256

    init(_ format: FrameFormat, width: Int, height: Int, padding: Int = 5, seed: UInt8 = 0) {
        let sizes = format.planes.map {
            (stride: $0.units(width: width) * $0.unitBytes + padding, rows: $0.unitRows(height: height))
        }
        planes = sizes.map { size in
            let memory = UnsafeMutableRawBufferPointer.allocate(
                byteCount: size.stride * size.rows + 2 * Self.guardBytes, alignment: 64)
            for i in memory.indices { memory[i] = UInt8(truncatingIfNeeded: i &* 7 &+ i / 97) &+ seed }
            return memory
        }
        frame = FrameImage(
            format, width: width, height: height,
            planes: zip(planes, sizes).compactMap { memory, size in
                memory.baseAddress.map { .init(base: $0 + Self.guardBytes, stride: size.stride) }
            })
    }

    deinit { for plane in planes { plane.deallocate() } }

    /// All bytes, including guard bytes and padding.
    var bytes: [[UInt8]] { planes.map { Array($0) } }

    func restore(_ bytes: [[UInt8]]) { for (plane, bytes) in zip(planes, bytes) { plane.copyBytes(from: bytes) } }

    /// Fills the frame with colours; `color` returns red, green and blue.
    func fill(_ color: (_ x: Int, _ y: Int) -> SIMD3<Double>) {
        let patch = FramePatch()
        patch.read(frame, frame.bounds)
        for y in 0..<patch.image.height {
            let row = patch.image.row(y)
            for x in 0..<patch.image.width {
                let color = color(x, y).clamped(
                    lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255))
                for (byte, value) in [color.z, color.y, color.x].enumerated() {
                    row[4 * x + byte] = UInt8(value.rounded())
                }
            }
        }
        let all = OwnedImage(.gray8, width: frame.width, height: frame.height)
        Imaging.fill(all.image, color: .white)
        patch.mix(into: frame, weights: all.image)
        withExtendedLifetime(all) {}
    }

    /// Colours of the pixels row by row: red, green and blue.
    var colors: [SIMD3<Double>] {
        let patch = FramePatch()
        patch.read(frame, frame.bounds)
        return (0..<frame.width * frame.height).map { index in
            let pixel = patch.image.row(index / frame.width) + 4 * (index % frame.width)
            return SIMD3(Double(pixel[2]), Double(pixel[1]), Double(pixel[0]))
        }
    }

    /// Returns the image of a face in the frame.
    func picture(_ face: FacePoints) throws -> FacePicture {
        try #require(FacePicture(copying: frame, face: face))
    }
}

extension FacePoints {
    /// Returns a face of `size` pixels, as the detector finds it, rotated by `degrees` around the centre of its box.
    static func drawn(
        _ x: Double, _ y: Double, size: Double, degrees: Double = 0, species: Species? = .human, track: Int = 0
    ) -> FacePoints {
        let angle = degrees * .pi / 180
        // The Taylor series is sufficient for small angles.
        let (cosine, sine) = (
            1 - angle * angle / 2 + angle * angle * angle * angle / 24, angle - angle * angle * angle / 6
        )
        func place(_ u: Double, _ v: Double) -> Point {
            let (dx, dy) = ((u - 0.5) * size, (v - 0.5) * size)
            return Point(x + size / 2 + cosine * dx - sine * dy, y + size / 2 + sine * dx + cosine * dy)
        }
        return FacePoints(
            track: track, species: species, box: Box(x: x, y: y, width: size, height: size), leftEye: place(0.3, 0.4),
            rightEye: place(0.7, 0.4), nose: place(0.5, 0.6))
    }

    init(track: Int = 0, species: Species?, box: Box, leftEye: Point, rightEye: Point, nose: Point) {
        self.init(
            track: track, species: species, box: box,
            landmarks: FaceLandmarks(
                leftEye: leftEye, rightEye: rightEye, nose: nose, mouthLeft: nose, mouthRight: nose))
    }

    var three: [Point] { [landmarks.leftEye, landmarks.rightEye, landmarks.nose] }
}

/// Reproducible random numbers.
struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 0x2545_F491_4F6C_DD1D
    }

    /// Returns a uniformly distributed number in 0 ..< 1.
    mutating func even() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// Returns a nearly Gaussian number with mean 0 and standard deviation 1: the sum of twelve uniform numbers minus
    /// 6.
    mutating func gaussian() -> Double { (0..<12).reduce(-6) { sum, _ in sum + even() } }
}

extension Point {
    func distance(to other: Point) -> Double {
        ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }
}
