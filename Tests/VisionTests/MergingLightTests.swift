// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing
@testable import Vision

@Suite("Merging: light, colour, noise and drawings")
struct MergingLightTests {
    /// Returns an upright human face with a measured mouth, 1.12 eye distances below the eyes.
    private func human(_ center: Point, eyes distance: Double, mouth: Double = 0.4, track: Int = 0) -> FacePoints {
        func place(_ x: Double, _ y: Double) -> Point { Point(center.x + distance * x, center.y + distance * y) }
        let landmarks = FaceLandmarks(
            leftEye: place(-0.5, 0), rightEye: place(0.5, 0), nose: place(0, 0.6), mouthLeft: place(-mouth, 1.12),
            mouthRight: place(mouth, 1.12))
        let box = Box(center: place(0, 0.5), width: 2.4 * distance, height: 2.4 * distance)
        return FacePoints(track: track, species: .human, box: box, landmarks: landmarks)
    }

    private func cat(_ center: Point, eyes distance: Double) -> FacePoints {
        let box = Box(
            x: center.x - 1.1 * distance, y: center.y - 0.8 * distance, width: 2.2 * distance, height: 2.2 * distance)
        var face = FacePoints(Face(species: .cat, box: box, confidence: 1))
        face.leftEye = Point(center.x - distance / 2, center.y)
        face.rightEye = Point(center.x + distance / 2, center.y)
        return face
    }

    /// Returns a hybrid's colours: a partner, painted by `photo`, on a face, painted by `face`. The eyes are at
    /// (130, 150) and (190, 150).
    private func merged(
        _ settings: MergeSettings = .smooth, partner: FacePoints? = nil, onto target: FacePoints? = nil,
        face: @escaping (Int, Int) -> SIMD3<Double>, photo: @escaping (Int, Int) -> SIMD3<Double>,
        faceDrawing: ((Canvas) -> Void)? = nil, drawing: ((Canvas) -> Void)? = nil
    ) throws -> [SIMD3<Double>] {
        let place = human(Point(160, 150), eyes: 60)
        let (canvas, image) = (
            Canvas(FrameFormat(.bgrx), width: 320, height: 340), Canvas(FrameFormat(.bgr), width: 320, height: 340)
        )
        canvas.fill(face)
        image.fill(photo)
        faceDrawing?(canvas)
        drawing?(image)
        let picture = try image.picture(partner ?? place)
        _ = try FaceMerger().replace([(target ?? place, picture.outlined())], on: canvas.frame, at: 0, settings)
        return canvas.colors
    }

    private func mean(_ colors: [SIMD3<Double>], _ columns: Range<Int>, _ rows: Range<Int>) -> SIMD3<Double> {
        let sum = rows.reduce(SIMD3<Double>()) { sum, y in
            columns.reduce(sum) { $0 + colors[y * 320 + $1] }
        }
        return sum / Double(columns.count * rows.count)
    }

    @Test("The mouth of a human lies on the mouth of another human, also if the noses differ")
    func mouths() throws {
        var partner = human(Point(160, 120), eyes: 60, mouth: 0.3)
        partner.nose = Point(160, 120 + 0.8 * 60)
        var settings = MergeSettings.smooth
        settings.matchColors = false
        let spots = [partner.mouthLeft, partner.mouthRight, partner.nose]
        let colors = try merged(
            settings, partner: partner, face: { _, _ in SIMD3() },
            // Without texture, the image would be a drawing.
            photo: { x, y in SIMD3(repeating: Double((x * 7 + y * 3) % 19)) },
            drawing: { canvas in for spot in spots { canvas.frame.disc(spot, radius: 4, color: .white) } })
        for place in [(160 - 24, 217), (160 + 24, 217), (160, 186)] {
            let near = mean(colors, place.0 - 2..<place.0 + 2, place.1 - 2..<place.1 + 2)
            #expect(near.x > 150, "\(place) \(near)")
        }
    }

    @Test("The light on the partner comes from the same side as the light on the face")
    func light() throws {
        func texture(_ x: Int, _ y: Int) -> Double { Double((x * 7 + y * 3) % 19) - 9 }
        let colors = try merged(
            face: { x, y in SIMD3(repeating: 120 + 0.35 * Double(x - 160) + texture(x, y)) },
            photo: { x, y in SIMD3(repeating: 120 - 0.2 * Double(x - 160) + texture(y, x)) })
        let (left, right) = (mean(colors, 110..<135, 165..<205).x, mean(colors, 185..<210, 165..<205).x)
        // The light changes by 26 levels on the face, and by −15 levels on the partner.
        #expect((18...34).contains(right - left), "\(left) \(right)")
    }

    @Test("Fur that is darker on one side does not darken a human")
    func pattern() throws {
        func texture(_ x: Int, _ y: Int) -> Double { Double((x * 7 + y * 3) % 19) - 9 }
        let colors = try merged(
            onto: cat(Point(160, 150), eyes: 60),
            face: { x, y in SIMD3(repeating: 120 + 0.6 * Double(x - 160) + texture(x, y)) },
            photo: { x, y in SIMD3(repeating: 120 + texture(y, x)) })
        let (left, right) = (mean(colors, 128..<147, 168..<187).x, mean(colors, 173..<192, 168..<187).x)
        // The fur changes by 27 levels.
        #expect((right - left).magnitude < 6, "\(left) \(right)")
    }

    @Test("A human gets the whole beard of another human")
    func wholeBeard() throws {
        func texture(_ x: Int, _ y: Int) -> Double { Double((x * 7 + y * 3) % 19) - 9 }
        func isInside(_ x: Int, _ y: Int, _ middle: Double, _ width: Double, _ height: Double) -> Bool {
            let (across, down) = ((Double(x) - 160) / width, (Double(y) - middle) / height)
            return across * across + down * down < 1
        }
        var settings = MergeSettings.smooth
        settings.matchColors = false
        // Blue, green and red. GrabCut finds the beard, because the background has a similar colour.
        let (beard, skin) = (SIMD3(40.0, 45, 60), SIMD3(130.0, 160, 220))
        let colors = try merged(
            settings, face: { x, y in SIMD3(20, 200, 20) + texture(x, y) },
            photo: { x, y in
                if isInside(x, y, 280, 80, 60) { return beard + texture(x, y) }
                return (isInside(x, y, 190, 72, 90) ? skin : SIMD3(50, 55, 70)) + texture(x, y)
            })
        // 1.9 to 2 times the distance from the eyes to the mouth below the eyes.
        for x in [130, 155, 180] {
            let color = mean(colors, x..<x + 10, 276..<286)
            #expect(color.y < 80, "\(x) \(color)")
        }
    }

    @Test("A partner without noise becomes as grainy as the face")
    func grain() throws {
        var dice = Dice(seed: 5)
        let noise = (0..<320 * 340).map { _ in 9 * dice.gaussian() }
        func deviation(_ colors: [SIMD3<Double>]) -> Double {
            let (columns, rows) = (140..<180, 155..<175)
            let middle = mean(colors, columns, rows).x
            let squares = rows.reduce(0.0) { sum, y in
                columns.reduce(sum) { $0 + (colors[y * 320 + $1].x - middle) * (colors[y * 320 + $1].x - middle) }
            }
            return (squares / Double(columns.count * rows.count)).squareRoot()
        }
        let colors = try merged(
            face: { x, y in SIMD3(repeating: 128 + noise[y * 320 + x]) }, photo: { _, _ in SIMD3(repeating: 128) })
        #expect((5.0...13).contains(deviation(colors)), "\(deviation(colors))")
        let plain = try merged(
            face: { _, _ in SIMD3(repeating: 128) }, photo: { _, _ in SIMD3(repeating: 128) })
        #expect(deviation(plain) < 0.5, "\(deviation(plain))")
    }

    @Test("A cat keeps most of the colour of its fur on a human, but becomes grey on a grey human")
    func fur() throws {
        func texture(_ x: Int, _ y: Int) -> Double { Double((x * 7 + y * 3) % 19) - 9 }
        let gray = SIMD3(110.0, 110, 114)
        for skin in [SIMD3(200.0, 140, 120), SIMD3(150, 150, 150)] {
            let isGray = skin.x == skin.z
            let fur = isGray ? SIMD3(180.0, 120, 60) : gray
            let (across, down) = (isGray ? SIMD3(1.0, 1, 1) : SIMD3(1, 0.2, 1.8), SIMD3(1, 0.3, 1.6))
            let colors = try merged(
                partner: cat(Point(160, 150), eyes: 60), face: { x, y in skin + across * texture(x, y) },
                photo: { x, y in fur + down * texture(y, x) })
            let color = mean(colors, 140..<180, 140..<200)
            // The skin is 80 levels redder than blue.
            #expect(isGray ? (color.x - color.z).magnitude < 8 : (0..<45) ~= color.x - color.z, "\(skin) \(color)")
        }
    }

    /// How the surfaces of an image look.
    private enum Surface { case drawn, photographed }

    /// Returns a dark face with a bright partner, whose eyes and mouth are white.
    private func bright(
        _ partner: Surface, on face: Surface, cat: Bool = false, hasMouth: Bool = true
    ) throws -> [SIMD3<Double>] {
        var dice = Dice(seed: 7)
        let noise = (0..<320 * 340).map { _ in 3 * dice.gaussian() }
        func level(_ surface: Surface, _ x: Int, _ y: Int) -> Double {
            surface == .drawn ? 0 : noise[y * 320 + x]
        }
        // A drawing has many edges.
        func addDots(_ canvas: Canvas) {
            for index in 0..<12 {
                let x = 112 + 8 * Double(index)
                canvas.frame.disc(Point(x, 135), radius: 2, color: .black)
                canvas.frame.disc(Point(x, 150), radius: 2, color: .white)
                canvas.frame.disc(Point(x, 217), radius: 2, color: .black)
            }
        }
        var settings = MergeSettings.smooth
        settings.matchColors = false
        var place = human(Point(160, 150), eyes: 60)
        place.landmarks.isMouthFound = hasMouth
        let spots = [place.leftEye, place.rightEye, (place.mouthLeft + place.mouthRight) / 2]
        return try merged(
            settings, partner: place, onto: cat ? self.cat(Point(160, 150), eyes: 60) : place,
            face: { x, y in SIMD3(repeating: 60 + level(face, x, y)) },
            photo: { x, y in SIMD3(repeating: 160 + level(partner, x, y)) },
            faceDrawing: { canvas in if face == .drawn { addDots(canvas) } },
            drawing: { canvas in
                addDots(canvas)
                for spot in spots { canvas.frame.disc(spot, radius: 8, color: .white) }
            })
    }

    /// Returns the brightness around a point.
    private func brightness(_ colors: [SIMD3<Double>], _ spot: Point, _ radius: Int = 3) -> Double {
        mean(
            colors, Int(spot.x) - radius..<Int(spot.x) + radius, Int(spot.y) - radius..<Int(spot.y) + radius
        ).x
    }

    private let nose = Point(160, 183)
    private let cheek = Point(122, 182)

    @Test("A drawn partner on a photo shows its eyes and its mouth, and the face keeps its nose and its skin")
    func drawing() throws {
        let drawn = try bright(.drawn, on: .photographed)
        for spot in [Point(130, 150), Point(190, 150), Point(160, 217)] { #expect(brightness(drawn, spot) > 230) }
        #expect((62...100).contains(brightness(drawn, cheek, 6)), "\(brightness(drawn, cheek, 6))")
        #expect((55...66).contains(brightness(drawn, nose, 6)), "\(brightness(drawn, nose, 6))")
    }

    @Test("A photographed partner covers the whole face, and a drawing covers the whole face of a drawing")
    func wholeFace() throws {
        let pairs: [(Surface, Surface)] = [
            (.photographed, .photographed), (.photographed, .drawn), (.drawn, .drawn),
        ]
        for (partner, face) in pairs {
            let colors = try bright(partner, on: face)
            for spot in [Point(130, 150), Point(190, 150), Point(160, 217)] {
                #expect(brightness(colors, spot) > 230, "\(partner) on \(face)")
            }
            #expect(brightness(colors, nose, 6) > 150, "\(partner) on \(face)")
            #expect(brightness(colors, cheek, 6) > 115, "\(partner) on \(face)")
        }
    }

    @Test("Without measured mouths, a drawn partner on a photo shows only its eyes")
    func onlyEyes() throws {
        let drawn = try bright(.drawn, on: .photographed, hasMouth: false)
        #expect(brightness(drawn, Point(130, 150)) > 220 && brightness(drawn, Point(190, 150)) > 220)
        #expect((55...66).contains(brightness(drawn, Point(160, 217))), "\(brightness(drawn, Point(160, 217)))")
        let whole = try bright(.drawn, on: .drawn, hasMouth: false)
        #expect(brightness(whole, Point(160, 217)) > 220, "\(brightness(whole, Point(160, 217)))")
    }

    @Test("A drawn human on a photographed cat shows its eyes and its mouth, and the cat keeps its fur")
    func drawingOnCat() throws {
        let colors = try bright(.drawn, on: .photographed, cat: true)
        // The eyes of the partner are 0.92 times as far apart as the eyes of the cat, and 0.02 units higher.
        for spot in [Point(132.4, 149), Point(187.6, 149), Point(160, 200)] {
            #expect(brightness(colors, spot, 2) > 200, "\(spot) \(brightness(colors, spot, 2))")
        }
        let cheek = Point(137, 173)
        #expect((62...115).contains(brightness(colors, cheek)), "\(brightness(colors, cheek))")
        let whole = try bright(.photographed, on: .photographed, cat: true)
        #expect(brightness(whole, cheek) > 135, "\(brightness(whole, cheek))")
    }
}
