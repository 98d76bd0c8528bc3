// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCVCheck
import Drawing
import Imaging
import Testing
import Vision
import KernelTypes

@Suite("Merging: the smooth preset")
struct MergingSmoothTests {
    /// Settings that put the partner unchanged in the face's place.
    private static let plain: MergeSettings = {
        var settings = MergeSettings.smooth
        settings.mode = .normal
        settings.matchColors = false
        return settings
    }()

    /// Returns a black picture with a white spot on each of a face's points.
    private func spots(_ face: FacePoints, width: Int, height: Int, radius: Double) throws -> FacePicture {
        let canvas = Canvas(FrameFormat(.bgr), width: width, height: height)
        canvas.fill { _, _ in SIMD3() }
        for point in face.three { canvas.frame.disc(point, radius: radius, color: .white) }
        return try canvas.picture(face)
    }

    /// Returns the centre of the bright pixels around a point.
    private func spot(near point: Point, _ reach: Double, _ colors: [SIMD3<Double>], width: Int) -> Point {
        var (sum, x, y) = (0.0, 0.0, 0.0)
        for row in Int(point.y - reach)...Int(point.y + reach) {
            for column in Int(point.x - reach)...Int(point.x + reach) {
                let place = Point(Double(column) + 0.5, Double(row) + 0.5)
                guard place.distance(to: point) < reach else { continue }
                let bright = colors[row * width + column].x
                sum += bright
                x += bright * place.x
                y += bright * place.y
            }
        }
        return Point(x / sum, y / sum)
    }

    @Test(
        "the partner's points land on the face's, larger, smaller and turned",
        arguments: [(60.0, 0.0), (60, 20), (100, -15), (130, 10), (31, 5)], [40.0, 110, 260])
    func points(_ target: (size: Double, degrees: Double), _ size: Double) throws {
        let canvas = Canvas(FrameFormat(.bgrx), width: 180, height: 170)
        canvas.fill { _, _ in SIMD3() }
        let face = FacePoints.drawn(24.3, 17.8, size: target.size, degrees: target.degrees)
        let own = FacePoints.drawn(30.4, 20.7, size: size, degrees: -6)
        let partner = try spots(own, width: Int(size) + 60, height: Int(size) + 60, radius: 0.05 * size)
        let drawn = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, Self.plain)
        #expect(drawn.first??.three == face.three && drawn.first??.species == .human)
        let colors = canvas.colors
        for point in face.three {
            let place = spot(near: point, 0.09 * target.size, colors, width: 180)
            #expect(place.distance(to: point) < 0.004 * target.size + 0.1, "\(place) \(point)")
        }
    }

    @Test("only the oval changes, hard-edged or soft")
    func oval() throws {
        let face = FacePoints.drawn(30, 10, size: 100)
        let photo = Canvas(FrameFormat(.bgr), width: 140, height: 140)
        photo.fill { _, _ in SIMD3(repeating: 200) }
        let partner = try photo.picture(.drawn(20, 15, size: 100))
        var partial: [Int] = []
        for feather in [0, 0.3, 1] {
            let canvas = Canvas(FrameFormat(.bgrx), width: 160, height: 130)
            canvas.fill { _, _ in SIMD3(repeating: 100) }
            let before = canvas.bytes
            var settings = Self.plain
            settings.feather = feather
            _ = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, settings)
            let colors = canvas.colors
            // Eyes 40 apart at (60, 50) and (100, 50), nose at (80, 70): the oval is 82 wide and from 24 to 114 high.
            for y in 0..<130 {
                for x in 0..<160 {
                    let (u, v) = ((Double(x) + 0.5 - 80) / 41, (Double(y) + 0.5 - 69) / 45)
                    let distance = (u * u + v * v).squareRoot()
                    let color = colors[y * 160 + x]
                    if distance > 1 { #expect(color == SIMD3(repeating: 100)) }
                    if distance < 1 - max(feather, 0.05) { #expect(color == SIMD3(repeating: 200)) }
                }
            }
            partial.append(colors.filter { $0.x > 102 && $0.x < 198 }.count)
            #expect(zip(canvas.bytes, before).allSatisfy { zip($0.prefix(256), $1.prefix(256)).allSatisfy(==) })
        }
        #expect(partial[0] < 400 && partial[1] > 1500 && partial[2] > 4000)
    }

    @Test("opacity and modes are those of the blender")
    func blending() throws {
        let photo = Canvas(FrameFormat(.bgr), width: 140, height: 140)
        photo.fill { _, _ in SIMD3(200, 100, 51) }
        let partner = try photo.picture(.drawn(20, 15, size: 100))
        func middle(_ change: (inout MergeSettings) -> Void) throws -> SIMD3<Double> {
            let canvas = Canvas(FrameFormat(.rgb), width: 160, height: 130)
            canvas.fill { _, _ in SIMD3(100, 50, 255) }
            var settings = Self.plain
            change(&settings)
            _ = try FaceMerger().replace([(.drawn(30, 10, size: 100), partner)], on: canvas.frame, at: 0, settings)
            return canvas.colors[65 * 160 + 80]
        }
        #expect(try middle { _ in } == SIMD3(200, 100, 51))
        #expect(try middle { $0.opacity = 0.5 } == SIMD3(150, 75, 153))
        #expect(try middle { $0.opacity = 0 } == SIMD3(100, 50, 255))
        #expect(try middle { $0.opacity = .nan } == SIMD3(200, 100, 51))
        #expect(try middle { $0.mode = .none } == SIMD3(100, 50, 255))
        #expect(try middle { $0.mode = .multiply } == SIMD3(78, 20, 51))
        #expect(try middle { $0.mode = .average } == SIMD3(150, 75, 153))
        #expect(try middle { $0.mode = .difference } == SIMD3(100, 50, 204))
        // A plain picture has no edges.
        #expect(try middle { $0.mode = .hud } == SIMD3(100, 50, 255))
    }

    /// Returns mean and deviation in CIE L*a*b* of a face's centre, computed by OpenCV.
    private func light(_ colors: [SIMD3<Double>], width: Int, _ face: FacePoints) -> (
        mean: SIMD3<Double>, deviation: SIMD3<Double>
    ) {
        let (middle, reach) = (face.nose, 0.28 * face.box.width)
        var (sum, squares, count) = (SIMD3<Double>(), SIMD3<Double>(), 0.0)
        for (index, color) in colors.enumerated()
        where Point(Double(index % width) + 0.5, Double(index / width) + 0.5).distance(to: middle) < reach {
            var lab = [0.0, 0, 0]
            _ = sv_check_lab(color.x, color.y, color.z, &lab)
            let value = SIMD3(lab[0], lab[1], lab[2])
            sum += value
            squares += value * value
            count += 1
        }
        let mean = sum / count
        return (mean, (squares / count - mean * mean).squareRoot())
    }

    @Test(
        "the hybrid has the face's light, if colours are matched",
        arguments: [BlendMode.normal, .multiply, .average, .darken])
    func matching(mode: BlendMode) throws {
        let face = FacePoints.drawn(30, 15, size: 100)
        // Two textures with different light, colour and contrast.
        let canvas = Canvas(FrameFormat(.bgrx), width: 160, height: 140)
        canvas.fill { x, y in
            let wave = Double((x * 7 + y * 3) % 23) - 11
            return SIMD3(170 + 3 * wave, 120 + 2 * wave, 90 + 2.4 * wave)
        }
        let before = light(canvas.colors, width: 160, face)
        let photo = Canvas(FrameFormat(.bgr), width: 140, height: 150)
        photo.fill { x, y in
            let wave = Double((x * 5 + y * 11) % 31) - 15
            return SIMD3(60 + 2 * wave, 95 + 2.5 * wave, 110 + 2.2 * wave)
        }
        let own = FacePoints.drawn(20, 20, size: 100)
        let partner = try photo.picture(own)
        let clean = canvas.bytes
        var settings = MergeSettings.smooth
        settings.mode = mode
        _ = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, settings)
        let matched = light(canvas.colors, width: 160, face)
        #expect(abs(matched.mean.x - before.mean.x) < 2 && abs(matched.mean.y - before.mean.y) < 2)
        #expect(abs(matched.mean.z - before.mean.z) < 2)
        #expect(matched.deviation.x / before.deviation.x > 0.75 && matched.deviation.x / before.deviation.x < 1.25)

        canvas.restore(clean)
        settings.matchColors = false
        _ = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, settings)
        let unmatched = light(canvas.colors, width: 160, face)
        #expect(unmatched.mean.x < before.mean.x - 5)
    }

    @Test("every format shows the same hybrid", arguments: FrameFormat.all)
    func formats(format: FrameFormat) throws {
        let photo = Canvas(FrameFormat(.bgr), width: 90, height: 90)
        photo.fill { x, y in SIMD3(200 - Double(x), 80 + 0.7 * Double(y), 100 + 0.5 * Double(x)) }
        let partner = try photo.picture(.drawn(15, 12, size: 60, degrees: 8))
        // At odd places, half out of the frame.
        for (x, y) in [(21.0, 7.0), (61, 41)] {
            let colors = try [FrameFormat(.bgrx), format].map { format in
                let canvas = Canvas(format, width: 97, height: 79)
                canvas.fill { x, y in
                    SIMD3(120 + 0.8 * Double(x) - 0.3 * Double(y), 100 + 0.3 * Double(y), 90 + 0.5 * Double(x))
                }
                let face = FacePoints.drawn(x, y, size: 59)
                let drawn = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, .smooth)
                #expect(drawn.first??.three == face.three)
                return canvas.colors
            }
            var worst = 0.0
            for (right, color) in zip(colors[0], colors[1]) {
                if format.isGray {
                    // Grey is matched to grey: not to exactly the same level as the colours.
                    let luma = 0.299 * right.x + 0.587 * right.y + 0.114 * right.z
                    #expect(color.x == color.y && color.y == color.z)
                    worst = max(worst, abs(luma - color.x))
                } else {
                    worst = max(worst, abs(right.x - color.x), abs(right.y - color.y), abs(right.z - color.z))
                }
            }
            // Where alpha is 0 no light is measured. The match can amplify the rounding of YUV.
            let hasAlpha = format.packed?.alpha != nil
            #expect(worst <= (format.isGray ? 14 : format.isYUV || hasAlpha ? 7 : 0))
        }
    }

    @Test("a still face's hybrid is the same to the last bit; a moved one's is not")
    func stillness() throws {
        let canvas = Canvas(.i420, width: 160, height: 140)
        canvas.fill { x, y in SIMD3(Double(60 + x), Double(40 + y), 90) }
        let clean = canvas.bytes
        let photo = Canvas(FrameFormat(.bgr), width: 140, height: 150)
        photo.fill { x, y in SIMD3(Double(200 - x), Double(70 + (x * y) % 90), 120) }
        let partner = try photo.picture(.drawn(20, 20, size: 100))
        let merger = try FaceMerger()
        func frame(_ index: Int, _ x: Double) throws -> [[UInt8]] {
            canvas.restore(clean)
            _ = try merger.replace(
                [(.drawn(x, 15, size: 100, track: 3), partner)], on: canvas.frame, at: Double(index) / 30, .smooth)
            return canvas.bytes
        }
        let first = try frame(0, 30)
        // Less than a tenth of a pixel does not count.
        #expect(try (1..<5).allSatisfy { try frame($0, 30 + 0.01 * Double($0)) == first })
        #expect(try frame(5, 34) != first)
        merger.reset()
        #expect(try frame(0, 30) == first)
    }
}
