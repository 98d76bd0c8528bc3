// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Foundation
import Imaging
import Testing
import Vision

/// A frame of any format with its own memory.
final class AnyFrame {
    let frame: FrameImage
    private let memory: UnsafeMutableRawPointer

    init(_ format: FrameFormat, width: Int, height: Int, padding: Int = 7) {
        let strides = format.planes.map { $0.units(width: width) * $0.unitBytes + padding }
        let sizes = zip(format.planes, strides).map { $0.unitRows(height: height) * $1 }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, sizes.reduce(0, +)), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 90, count: sizes.reduce(0, +))
        var base = memory
        var planes: [FrameImage.Plane] = []
        for (stride, size) in zip(strides, sizes) {
            planes.append(.init(base: base, stride: stride))
            base += size
        }
        self.memory = memory
        frame = FrameImage(format, width: width, height: height, planes: planes)
        frame.fill(frame.bounds, color: 0xFF_E0_DC_D8)
    }

    deinit {
        memory.deallocate()
    }

    func blobs(_ detector: BlobDetector) throws -> [Blob] { try detector.blobs(in: frame) }
}

extension Blob {
    /// The area inside of the outline, by the shoelace formula.
    var outlinedArea: Double {
        zip(outline, outline.dropFirst() + outline.prefix(1)).reduce(0) {
            $0 + ($1.0.x * $1.1.y - $1.1.x * $1.0.y) / 2
        }.magnitude
    }
}

@Suite("Blobs: detector")
struct BlobsDetectorTests {
    private func detector(_ change: (inout BlobSettings) -> Void = { _ in }) -> BlobDetector {
        var settings = BlobSettings()
        change(&settings)
        return BlobDetector(settings: settings)
    }

    private func box(_ x: Double, _ y: Double, _ radius: Double) -> Box {
        Box(center: Point(x, y), width: 2 * radius, height: 2 * radius)
    }

    @Test("a disc's box, area, colour, outline and mask, in every format", arguments: FrameFormat.all)
    func formats(format: FrameFormat) throws {
        let video = AnyFrame(format, width: 641, height: 363)
        video.frame.disc(Point(401, 160), radius: 80, color: 0xFF_90_40_28)
        for model in [BlobSettings.Model.border, .frameMean] {
            let detector = detector { $0.model = model }
            let blobs = try video.blobs(detector)
            #expect(blobs.count == 1)
            let blob = try #require(blobs.first)
            #expect(blob.box.intersectionOverUnion(box(401, 160, 80)) > 0.93)
            #expect(abs(blob.area / (Double.pi * 6400) - 1) < 0.06)
            #expect(abs(blob.outlinedArea / blob.area - 1) < 0.06)
            for point in blob.outline { #expect(abs(hypot(point.x - 401, point.y - 160) - 80) < 5) }
            // The levels in YUV frames may differ from RGB. In grey frames, all three channels are luma.
            let luma = 0.299 * 0x90 + 0.587 * 0x40 + 0.114 * 0x28
            for (name, found, level) in [
                ("red", blob.color.red, 144.0), ("green", blob.color.green, 64), ("blue", blob.color.blue, 40),
            ] {
                #expect(abs(found - (format.isGray ? luma : level)) < 8, "\(name) \(found)")
            }
            let mask = detector.mask
            #expect(mask.width < 641 && mask.height < 363 && mask.format.isGray)
            let (x, y) = (401 * mask.width / 641, 160 * mask.height / 363)
            // If the mean of the frame is between the disc and the paper, only the surroundings of the edge are
            // foreground.
            #expect(mask.row(y)[x] == 255 && mask.row(3)[3] == 0)
        }
    }

    @Test("light that falls off, noise, a shadow, a thing that touches the edge")
    func difficult() throws {
        for seed in 0..<6 {
            let scene = try PaperScene(Thing.drawn[seed * 2 % Thing.drawn.count], seed: UInt64(400 + seed))
            let blobs = try detector().blobs(in: scene.picture)
            #expect(try #require(blobs.first).box.intersectionOverUnion(scene.truth) > 0.8, "\(scene.thing.name)")
        }
        let video = AnyFrame(FrameFormat(.bgra), width: 640, height: 480)
        for y in 0..<480 {
            video.frame.fill(Rectangle(x: 0, y: y, width: 640, height: 1), color: .gray(Double(110 + y / 4)))
        }
        video.frame.disc(Point(30, 240), radius: 60, color: 0xFF_40_40_48)
        video.frame.disc(Point(400, 240), radius: 60, color: 0xFF_D0_40_48)
        let blobs = try video.blobs(detector())
        #expect(blobs.count == 2)
        #expect(blobs.contains { $0.box.intersectionOverUnion(Box(x: 0, y: 180, width: 90, height: 120)) > 0.85 })
        #expect(blobs.contains { $0.box.intersectionOverUnion(box(400, 240, 60)) > 0.85 })
    }

    @Test("bright things on dark ground, where levels are cut off, too")
    func bright() throws {
        let video = AnyFrame(FrameFormat(.rgb), width: 320, height: 240)
        video.frame.fill(video.frame.bounds, color: 0xFF_30_34_38)
        video.frame.disc(Point(100, 100), radius: 40, color: 0xFF_FF_FF_FF)
        let blob = try #require(try video.blobs(detector()).first)
        #expect(blob.box.intersectionOverUnion(box(100, 100, 40)) > 0.9)
        #expect(min(blob.color.red, blob.color.green, blob.color.blue) > 0xF0)
    }

    @Test("largest first, at most so many, neither too small nor too large; holes are filled")
    func limits() throws {
        let video = AnyFrame(FrameFormat(.bgrx), width: 640, height: 360)
        let radii = [12.0, 50, 28, 36, 20]
        for (index, radius) in radii.enumerated() {
            video.frame.circle(
                Point(70 + 120 * Double(index), 180), radius: 0.8 * radius, lineWidth: 0.4 * radius,
                color: 0xFF_20_20_60)
        }
        func found(_ change: @escaping (inout BlobSettings) -> Void) throws -> [Double] {
            try video.blobs(detector(change)).map { blob in
                #expect(abs(blob.area / blob.box.area - .pi / 4) < 0.06)
                return (blob.box.width / 2).rounded()
            }
        }
        func near(_ found: [Double], _ expected: [Double]) -> Bool {
            found.count == expected.count && zip(found, expected).allSatisfy { abs($0 - $1) <= 2 }
        }
        #expect(near(try found { _ in }, [50, 36, 28, 20, 12]))
        #expect(near(try found { $0.maxBlobs = 3 }, [50, 36, 28]))
        #expect(near(try found { $0.minSize = 0.14 }, [50, 36, 28]))
        #expect(near(try found { $0.maxSize = 0.18 }, [28, 20, 12]))
        #expect(near(try found { $0.maxBlobs = 0 }, []))
    }

    @Test("thin parts belong to their things")
    func thinParts() throws {
        let detector = detector { _ in }
        for index in 0..<24 {
            let kind = Silhouettes.thin[index % Silhouettes.thin.count]
            var random = SeededRandom(1001 &+ UInt64(index))
            let scene = SilhouetteScene(&random)
            let blobs = try detector.blobs(in: scene.picture(kind.parts, &random))
            let box = scene.box(kind.parts)
            #expect(
                blobs.contains { $0.box.intersectionOverUnion(box) > 0.8 },
                "\(kind.name) \(box): \(blobs.map(\.box))")
        }
    }

    @Test("eroding the background closes gaps")
    func gaps() throws {
        let video = AnyFrame(FrameFormat(.bgra), width: 640, height: 360)
        for x in [200, 252] {
            video.frame.fill(Rectangle(x: x, y: 120, width: 40, height: 100), color: 0xFF_30_30_30)
        }
        #expect(try video.blobs(detector()).count == 2)
        let blobs = try video.blobs(
            detector {
                $0.erodeKernel = 0.015
                $0.erodeIterations = 4
            })
        #expect(blobs.count == 1)
        let box = try #require(blobs.first).box
        #expect(box.intersectionOverUnion(Box(x: 200, y: 120, width: 92, height: 100)) > 0.95)
    }

    @Test("learned backgrounds: what was there from the start is none", arguments: [BlobSettings.Model.mog2, .knn])
    func learned(model: BlobSettings.Model) throws {
        let detector = detector { $0.model = model }
        let video = AnyFrame(FrameFormat.i420, width: 320, height: 240)
        video.frame.fill(Rectangle(x: 200, y: 0, width: 120, height: 240), color: 0xFF_30_60_30)
        for _ in 0..<30 { #expect(try video.blobs(detector).isEmpty) }
        video.frame.disc(Point(90, 120), radius: 40, color: 0xFF_C0_30_30)
        #expect(try #require(try video.blobs(detector).first).box.intersectionOverUnion(box(90, 120, 40)) > 0.8)
        detector.reset()
        for _ in 0..<10 { #expect(try video.blobs(detector).isEmpty) }
        // After a change of the frame size, the detector starts again.
        let other = AnyFrame(FrameFormat(.gray8), width: 200, height: 160)
        for _ in 0..<10 { #expect(try other.blobs(detector).isEmpty) }
    }

    @Test("frames that are nothing, tiny, all foreground, noise", arguments: BlobSettings.Model.allCases)
    func senselessFrames(model: BlobSettings.Model) throws {
        for (width, height) in [(0, 0), (1, 1), (2, 1), (1, 300), (300, 1), (7, 5)] {
            let detector = detector { $0.model = model }
            let video = AnyFrame(FrameFormat(.bgra), width: width, height: height)
            for _ in 0..<8 { #expect(try video.blobs(detector).count <= 1) }
        }
        let picture = ColorPicture(width: 640, height: 360)
        var random = SeededRandom(5)
        let detector = detector { $0.model = model }
        for share in [0.02, 0.5, 0.98, 1] {
            for _ in 0..<2 {
                for y in 0..<360 {
                    for x in 0..<640 {
                        let isDark = Double(random.next() >> 40) < share * 16_777_216
                        picture.pixels[y * picture.stride + 4 * x + 1] = isDark ? 20 : 240
                    }
                }
                #expect(try detector.blobs(in: picture).count <= 32)
            }
        }
    }

    @Test("settings that make no sense")
    func senselessSettings() throws {
        let scene = try PaperScene(Thing.drawn[0], seed: 9)
        for model in BlobSettings.Model.allCases {
            for number in [Double.nan, .infinity, -.infinity, -3, 0, 1e300, 1e-300] {
                let detector = detector {
                    $0.model = model
                    $0.stdDevs = number
                    $0.scale = number
                    $0.erodeKernel = number
                    $0.erodeIterations = number > 0 ? .max : .min
                    $0.minSize = number
                    $0.maxSize = number
                    $0.maxBlobs = number > 0 ? 5 : .min
                    $0.history = number > 0 ? .max : .min
                }
                #expect(try detector.blobs(in: scene.picture).count <= 5)
            }
        }
    }
}
