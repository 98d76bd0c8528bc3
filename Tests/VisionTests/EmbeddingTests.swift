// SPDX-License-Identifier: LGPL-2.1-or-later
import Foundation
import Imaging
import TestSupport
import Testing
@testable import Vision

extension FaceEmbedding {
    /// Returns a random embedding of length 1. Each seed gives a different embedding.
    static func made(_ seed: Int, dimension: Int = 128, network: String = .network) -> FaceEmbedding {
        var random = Random(seed: UInt64(seed) &+ 1)
        let values = (0..<dimension).map { _ in Float(random.byte()) - 127.5 }
        return made(values, network: network)
    }

    /// Returns the embedding with this direction.
    static func made(_ values: [Float], network: String = .network) -> FaceEmbedding {
        let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return FaceEmbedding(values: values.map { $0 / length }, network: network) ?? made([1, 0], network: network)
    }
}

extension String {
    /// The SHA-256 hash of a network that does not exist.
    static let network = String(repeating: "0123456789abcdef", count: 4)
}

@Suite("Recognition by embeddings") struct EmbeddingTests {
    private func gallery(_ faces: [(String, FaceEmbedding)]) -> Gallery {
        var gallery = Gallery()
        for (name, face) in faces { gallery.add(.embedding(face), of: name) }
        return gallery
    }

    @Test("Only finite vectors of length 1 are embeddings")
    func validity() {
        for values in [[1, 0], [0.6, -0.8]] as [[Float]] {
            #expect(FaceEmbedding(values: values, network: .network) != nil)
        }
        for values in [[], [1], [0, 0], [1, 1], [.nan, 1], [.infinity, 0], [0.5, 0.5]] as [[Float]] {
            #expect(FaceEmbedding(values: values, network: .network) == nil, "\(values)")
        }
    }

    @Test(
        "The distance is 1 - cosine: 0 for the same, 1 for a right angle, 2 for the opposite",
        arguments: [2, 8, 13, 128])
    func distances(_ dimension: Int) throws {
        var values = [Float](repeating: 0, count: dimension)
        values[0] = 1
        let one = FaceEmbedding.made(values)
        let opposite = FaceEmbedding.made(values.map { -$0 })
        values[dimension - 1] = 1
        let between = FaceEmbedding.made(values)
        let recognizer = try Recognizer(
            gallery([("one", one), ("between", between), ("opposite", opposite)]), .embedding)
        #expect(recognizer.threshold > 0.3 && recognizer.threshold < 0.7)
        let diagonal = 0.5.squareRoot()
        let cases: [(face: FaceEmbedding, name: String, next: Double)] = [
            (one, "one", 1 - diagonal), (between, "between", 1 - diagonal), (opposite, "opposite", 1 + diagonal),
        ]
        for (face, name, next) in cases {
            let match = try recognizer.nearest(to: .embedding(face))
            #expect(match.name == name && match.distance.magnitude < 1e-6)
            #expect((match.nextDistance - next).magnitude < 1e-6)
        }
        #expect((one.distance(from: between) - (1 - 0.5.squareRoot())).magnitude < 1e-6)
        #expect((one.distance(from: opposite) - 2).magnitude < 1e-6)
    }

    @Test(
        "A face that is equal to a known face has a distance near 0, never below 0, and a confidence near 1",
        arguments: [0.998, 1, 1.002] as [Float])
    func equal(_ length: Float) throws {
        let face = try #require(FaceEmbedding(values: [0.6 * length, 0.8 * length], network: .network))
        let opposite = try #require(FaceEmbedding(values: face.values.map { -$0 }, network: .network))
        let recognizer = try Recognizer(gallery([("Ada", face)]), .embedding)
        let (same, other) = (
            try recognizer.nearest(to: .embedding(face)), try recognizer.nearest(to: .embedding(opposite))
        )
        #expect(same.distance >= 0 && same.distance < 0.005)
        #expect(recognizer.confidence(at: same.distance, threshold: recognizer.threshold) > 0.999)
        #expect(face.distance(from: face) >= 0 && face.distance(from: opposite) <= 2 && other.distance <= 2)
    }

    @Test("The mean of embeddings is the direction of their sum")
    func mean() throws {
        let (one, other) = (FaceEmbedding.made([1, 0, 0]), FaceEmbedding.made([0, 0, 1]))
        #expect(FaceEmbedding.mean(of: [one]) == one)
        let mean = try #require(FaceEmbedding.mean(of: [one, one, other]))
        for (value, exact) in zip(mean.values, [2 / 5.0.squareRoot(), 0, 1 / 5.0.squareRoot()]) {
            #expect((Double(value) - exact).magnitude < 1e-6)
        }
        #expect(FaceEmbedding.mean(of: []) == nil)
        #expect(FaceEmbedding.mean(of: [one, FaceEmbedding.made([-1, 0, 0])]) == nil)
        #expect(FaceEmbedding.mean(of: [one, FaceEmbedding.made([1, 0, 0], network: "other")]) == nil)
        #expect(FaceEmbedding.mean(of: [one, FaceEmbedding.made([1, 0])]) == nil)
    }

    @Test("Among many known faces, the distance is that of the vectors one by one")
    func many() throws {
        let faces = (0..<3000).map { FaceEmbedding.made($0) }
        let recognizer = try Recognizer(gallery(faces.enumerated().map { ("\($0 % 700)", $1) }), .embedding)
        for seed in [5000, 5001, 5002] {
            let query = FaceEmbedding.made(seed)
            let distances = faces.map { $0.distance(from: query) }
            let best = try #require(distances.indices.min { distances[$0] < distances[$1] })
            let match = try recognizer.nearest(to: .embedding(query))
            #expect(match.name == "\(best % 700)" && (match.distance - distances[best]).magnitude < 1e-5)
            let next = distances.indices.filter { $0 % 700 != best % 700 }.map { distances[$0] }.min()
            #expect((match.nextDistance - (next ?? 0)).magnitude < 1e-5)
        }
    }

    @Test("A person who is alone has no next one")
    func single() throws {
        let recognizer = try Recognizer(gallery([("Ada", .made(1)), ("Ada", .made(2))]), .embedding)
        #expect(try recognizer.nearest(to: .embedding(.made(1))).nextDistance == .infinity)
    }

    @Test("Faces in another form, of another network, or of another dimension are refused")
    func otherKinds() throws {
        let recognizer = try Recognizer(gallery([("Ada", .made(1))]), .embedding)
        let others: [KnownFace] = [
            .sample(.made(1)), .embedding(.made(1, network: "other")), .embedding(.made(1, dimension: 64)),
        ]
        for face in others { #expect(throws: VisionError.self) { try recognizer.nearest(to: face) } }
        var mixed = gallery([("Ada", .made(1))])
        mixed.add(.made(1), of: "Ada")
        for algorithm in Recognizer.Algorithm.allCases {
            #expect(throws: VisionError.self) { try Recognizer(mixed, algorithm) }
        }
        #expect(throws: VisionError.self) {
            try Recognizer(gallery([("Ada", .made(1)), ("Ben", .made(2, network: "other"))]), .embedding)
        }
        #expect(mixed.only(.sample).faceCount == 1 && mixed.only(.embedding(network: .network)).faceCount == 1)
        #expect(!mixed.isAll(.sample) && mixed.only(.sample).isAll(.sample))
    }

    @Test("A name is confirmed if its face is near, and everybody else much farther away")
    func confirmation() throws {
        // Returns the outcome for known faces at these angles from a query, in degrees.
        func outcome(_ own: Double, _ other: Double?) throws -> StrictCheck.Outcome {
            func face(_ angle: Double) -> FaceEmbedding {
                .made([Float(cos(angle * .pi / 180)), Float(sin(angle * .pi / 180))])
            }
            let known = gallery([("Ada", face(own))] + (other.map { [("Ben", face(-$0))] } ?? []))
            let recognizer = try Recognizer(known, .embedding)
            return recognizer.confirmation(of: try recognizer.nearest(to: .embedding(face(0))))
        }
        // For 20, 45, 54, 60, 70 and 80 degrees, the distances are 0.06, 0.29, 0.41, 0.5, 0.66 and 0.83.
        #expect(try outcome(20, 80) == .confirmed && outcome(45, 70) == .confirmed && outcome(20, nil) == .confirmed)
        #expect(try outcome(60, 85) == .unsure && outcome(60, nil) == .unsure)
        // Drawn people are all similar.
        #expect(try outcome(20, 45) == .unsure && outcome(45, 54) == .unsure)
    }

    @Test("Galleries: as images 2000 faces, as embeddings 20,000")
    func limits() {
        var gallery = Gallery()
        for number in 0..<Gallery.maxEmbeddings {
            gallery.add(.embedding(.made(number, dimension: 8)), of: "\(number / 10)")
        }
        #expect(!gallery.isOverfull() && gallery.isOverfull(with: 1))
        gallery = Gallery()
        for number in 0..<Gallery.maxFaces { gallery.add(.made(number), of: "\(number / 100)") }
        #expect(!gallery.isOverfull() && gallery.isOverfull(with: 1))
    }
}

@Suite("Alignment of faces") struct FaceAlignmentTests {
    private let face = FaceLandmarks(
        leftEye: Point(210, 148), rightEye: Point(262, 160), nose: Point(228, 190), mouthLeft: Point(204, 212),
        mouthRight: Point(247, 224))

    /// Compares with the least-squares solution of NumPy's `linalg.lstsq` for the four parameters.
    @Test("Five points: the similarity by least squares")
    func leastSquares() throws {
        let alignment = try #require(FaceAlignment(face))
        #expect((alignment.scale - 0.635887).magnitude < 1e-6)
        for (point, x, y) in [
            (Point(0, 0), -110.97914, -15.54082), (face.leftEye, 38.54953, 50.26195),
            (face.mouthRight, 71.18179, 92.97293),
        ] {
            let place = alignment.point(point)
            #expect((place.x - x).magnitude < 1e-4 && (place.y - y).magnitude < 1e-4)
            let back = alignment.source(of: place)
            #expect((back.x - point.x).magnitude < 1e-6 && (back.y - point.y).magnitude < 1e-6)
        }
    }

    @Test("Two points: the eyes go exactly to their places, and the others do not count")
    func eyes() throws {
        var face = face
        face.nose = Point(900, 900)
        let alignment = try #require(FaceAlignment(face, eyesOnly: true))
        for (point, place) in [
            (face.leftEye, FaceAlignment.template.leftEye), (face.rightEye, FaceAlignment.template.rightEye),
        ] {
            let moved = alignment.point(point)
            #expect((moved.x - place.x).magnitude < 1e-6 && (moved.y - place.y).magnitude < 1e-6)
        }
    }

    @Test("Points that give no size are refused")
    func nonsense() {
        var faces = [
            FaceLandmarks(at: Point(5, 5)), FaceLandmarks(at: Point(.nan, 5)), FaceLandmarks(at: Point(1e9, 0)),
        ]
        faces.append(face.moved { Point($0.x * 1e5, $0.y * 1e5) })
        faces.append(face.moved { Point($0.x * 1e-5, $0.y * 1e-5) })
        for face in faces { #expect(FaceAlignment(face) == nil) }
    }

    @Test(
        "The points of a face are at their places in the aligned image, whatever its size, tilt and format",
        arguments: [0.2, 0.6, 2, 5], [PixelFormat.gray8, .bgr, .rgba])
    func image(_ size: Double, _ format: PixelFormat) throws {
        let side = 700
        let frame = OwnedImage(format, width: side, height: side)
        for y in 0..<side { frame.image.row(y).update(repeating: 0, count: frame.image.rowBytes) }
        // The template is rotated by 30 degrees, with a bright disc at each point.
        let (cosine, sine) = (size * cos(Double.pi / 6), size * sin(Double.pi / 6))
        let face = FaceAlignment.template.moved { point in
            Point(
                cosine * (point.x - 56) - sine * (point.y - 72) + 350,
                sine * (point.x - 56) + cosine * (point.y - 72) + 350)
        }
        for point in [face.leftEye, face.rightEye, face.nose, face.mouthLeft, face.mouthRight] {
            let radius = 4 * size
            for y in max(0, Int(point.y - radius))...min(side - 1, Int(point.y + radius) + 1) {
                for x in max(0, Int(point.x - radius))...min(side - 1, Int(point.x + radius) + 1)
                where (Point(Double(x) + 0.5, Double(y) + 0.5) - point).length <= radius {
                    let pixel = frame.image.row(y) + x * format.bytesPerPixel
                    for channel in [format.red, format.green, format.blue] { pixel[channel] = 100 }
                    pixel[format.red] = 240
                }
            }
        }
        let aligner = FaceAligner()
        let alignment = try #require(FaceAlignment(face))
        let image = try #require(try aligner.image(of: FrameImage(frame.image), alignment))
        withExtendedLifetime(aligner) {
            #expect(image.width == 112 && image.height == 112)
            let bytes = image.format.bytesPerPixel
            for point in [
                FaceAlignment.template.leftEye, FaceAlignment.template.rightEye, FaceAlignment.template.nose,
                FaceAlignment.template.mouthLeft, FaceAlignment.template.mouthRight,
            ] {
                let pixel = image.row(Int(point.y)) + Int(point.x) * bytes
                #expect(pixel[image.format.red] > 150, "\(point) \(pixel[0])")
                #expect(image.row(Int(point.y) - 10)[Int(point.x) * bytes] < 60)
            }
        }
    }

    @Test("The visible fraction of a face is 1 inside the frame, a half across an edge, and 0 outside")
    func visible() throws {
        let frame = Rectangle(x: 0, y: 0, width: 300, height: 200)
        let cases: [(shift: Point, scale: Double, fraction: Double)] = [
            (Point(10, 10), 1, 1), (Point(-56, 20), 1, 0.5), (Point(-56, 144), 1, 0.25), (Point(0, -112), 2, 0.5),
            (Point(400, 0), 1, 0),
        ]
        for (shift, scale, fraction) in cases {
            let face = FaceAlignment.template.moved { $0 * scale + shift }
            let alignment = try #require(FaceAlignment(face))
            #expect((alignment.visibleFraction(in: frame) - fraction).magnitude < 0.01, "\(shift)")
        }
    }

    @Test("A face beyond the frame gives no image")
    func outside() throws {
        let frame = OwnedImage(.gray8, width: 50, height: 50)
        let away = try #require(FaceAlignment(FaceAlignment.template.moved { Point($0.x + 500, $0.y) }))
        #expect(try FaceAligner().image(of: FrameImage(frame.image), away) == nil)
    }
}
