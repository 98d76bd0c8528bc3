// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import Imaging
import Testing
@testable import Vision

@Suite("Merging: faces of two species")
struct MergingSpeciesTests {
    private static let plain: MergeSettings = {
        var settings = MergeSettings.smooth
        settings.matchColors = false
        return settings
    }()

    /// Returns a human face with all five points, turned by these angles in degrees.
    private func human(
        _ center: Point, eyes distance: Double, track: Int = 0, roll: Double = 0, yaw: Double = 0
    ) -> FacePoints {
        let (sine, cosine) = sineAndCosine(degrees: roll)
        func place(_ x: Double, _ y: Double) -> Point {
            Point(
                center.x + distance * (x * cosine - y * sine), center.y + distance * (x * sine + y * cosine))
        }
        var landmarks = FaceLandmarks(
            leftEye: place(-0.5, 0), rightEye: place(0.5, 0), nose: place(0, 0.6), mouthLeft: place(-0.4, 1.12),
            mouthRight: place(0.4, 1.12))
        landmarks.pose = HeadPose(roll: roll, yaw: yaw, pitch: 0)
        let box = Box(center: place(0, 0.5), width: 2.4 * distance, height: 2.4 * distance)
        return FacePoints(track: track, species: .human, box: box, landmarks: landmarks)
    }

    private func cat(_ center: Point, eyes distance: Double) -> FacePoints {
        let box = Box(
            x: center.x - 1.1 * distance, y: center.y - 0.8 * distance, width: 2.2 * distance, height: 2.2 * distance)
        var face = FacePoints(Face(species: .cat, box: box, confidence: 1))
        (face.leftEye, face.rightEye) = (
            Point(center.x - distance / 2, center.y), Point(center.x + distance / 2, center.y)
        )
        return face
    }

    /// Returns the fraction of the pixels inside of an ellipse around a face for which `body` is true.
    /// - Parameter reach: half the width, and the distances of top and bottom from the eyes, in eye distances.
    private func fraction(
        _ canvas: Canvas, _ face: FacePoints, _ reach: (half: Double, top: Double, bottom: Double),
        _ body: (SIMD3<Double>) -> Bool
    ) -> Double {
        let (colors, width) = (canvas.colors, canvas.frame.width)
        let distance = (face.rightEye - face.leftEye).length
        let line = (face.rightEye - face.leftEye) / distance
        let middle = (face.leftEye + face.rightEye) / 2
        var (all, matching) = (0, 0)
        for (index, color) in colors.enumerated() {
            let offset = (Point(Double(index % width) + 0.5, Double(index / width) + 0.5) - middle) / distance
            let (x, y) = (offset.x * line.x + offset.y * line.y, offset.y * line.x - offset.x * line.y)
            let v = (y - (reach.top + reach.bottom) / 2) / ((reach.bottom - reach.top) / 2)
            guard x * x / (reach.half * reach.half) + v * v < 1 else { continue }
            all += 1
            matching += body(color) ? 1 : 0
        }
        return Double(matching) / Double(max(1, all))
    }

    @Test("A cat covers at least 90 % of a human face from hairline to chin", arguments: [-25.0, 0, 20])
    func catOnHuman(roll: Double) throws {
        let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
        canvas.fill { _, _ in SIMD3(220, 40, 40) }
        let photo = Canvas(FrameFormat(.bgr), width: 300, height: 300)
        photo.fill { _, _ in SIMD3(40, 60, 220) }
        let face = human(Point(160, 150), eyes: 60, roll: roll)
        let partner = try photo.picture(cat(Point(150, 140), eyes: 70))
        let drawn = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, Self.plain)
        #expect(drawn.first??.species == nil && drawn.first??.three == face.three)
        #expect(fraction(canvas, face, (1.05, -0.95, 1.85)) { $0.z > 150 && $0.x < 120 } > 0.9)
        // Nose and mouth.
        #expect(fraction(canvas, face, (0.5, 0.45, 1.35)) { $0.z > 215 && $0.x < 45 } == 1)
    }

    @Test("A human covers a cat's face, and leaves the ears and a rim of fur")
    func humanOnCat() throws {
        let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 320)
        canvas.fill { _, _ in SIMD3(220, 40, 40) }
        let photo = Canvas(FrameFormat(.bgr), width: 300, height: 300)
        photo.fill { _, _ in SIMD3(40, 60, 220) }
        let face = cat(Point(160, 150), eyes: 70)
        let partner = try photo.picture(human(Point(150, 120), eyes: 50))
        _ = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, Self.plain)
        #expect(fraction(canvas, face, (0.9, -0.7, 1.15)) { $0.z > 150 && $0.x < 120 } > 0.9)
        let colors = canvas.colors
        for (x, y) in [(-0.95, -1.3), (0.95, -1.3), (-1.25, 0.2), (1.25, 0.2), (0, -1.2)] {
            let place = (x: Int(160 + 70 * x), y: Int(150 + 70 * y))
            // The soft edge of the human face reaches into the rim.
            let difference = colors[place.y * 320 + place.x] - SIMD3(220, 40, 40)
            #expect((difference * difference).max() < 64, "\(place)")
        }
    }

    @Test("The brows of a human are level above the eyes of a cat")
    func brows() throws {
        let own = human(Point(150, 120), eyes: 50)
        let photo = Canvas(FrameFormat(.bgr), width: 300, height: 300)
        photo.fill { _, _ in SIMD3() }
        // The brows of the partner are 0.36 eye distances above its eyes, and 0.4 eye distances long.
        for x in [-0.7, -0.3, 0.3, 0.7] {
            photo.frame.disc(Point(150 + 50 * x, 120 - 0.36 * 50), radius: 3, color: .white)
        }
        let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 320)
        canvas.fill { _, _ in SIMD3() }
        let partner = try photo.picture(own)
        _ = try FaceMerger().replace([(cat(Point(160, 150), eyes: 70), partner)], on: canvas.frame, at: 0, Self.plain)
        let colors = canvas.colors
        /// Returns the mean height of the bright pixels in these columns, in pixels above the eyes.
        func height(_ columns: ClosedRange<Int>) -> Double {
            var (sum, all) = (0.0, 0.0)
            for y in 90...150 {
                for x in columns {
                    sum += colors[y * 320 + x].x * Double(150 - y)
                    all += colors[y * 320 + x].x
                }
            }
            return sum / max(1, all)
        }
        // The eyes of the human are 0.92 times as far apart as the eyes of the cat.
        for x in [-0.64, -0.28, 0.28, 0.64] {
            let column = Int(160 + 70 * x)
            #expect((22...28).contains(height(column - 5...column + 5)), "\(x) \(height(column - 5...column + 5))")
        }
    }

    @Test("The merged part stays the same if the mouth of a face is measured in some frames only")
    func mouthOnce() throws {
        let photo = Canvas(FrameFormat(.bgr), width: 300, height: 300)
        photo.fill { _, _ in SIMD3(40, 60, 220) }
        let partner = try photo.picture(human(Point(150, 120), eyes: 50))
        let measured = human(Point(160, 150), eyes: 60, track: 1)
        var guessed = measured
        guessed.landmarks.isMouthFound = false
        /// Returns the number of pixels that show the partner in the last of these frames.
        func covered(_ faces: [FacePoints]) throws -> Int {
            let merger = try FaceMerger()
            var count = 0
            for (index, face) in faces.enumerated() {
                let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
                canvas.fill { _, _ in SIMD3(220, 40, 40) }
                _ = try merger.replace([(face, partner)], on: canvas.frame, at: Double(index) / 30, Self.plain)
                count = canvas.colors.count { $0.z > 150 }
            }
            return count
        }
        let (whole, ellipse) = (try covered([measured]), try covered([guessed]))
        #expect(whole != ellipse)
        #expect(try covered([measured, guessed, guessed]) == whole)
        #expect(try covered([guessed, measured, measured]) == ellipse)
    }

    @Test("Eyes and mouth of the partner follow the human's points")
    func features() throws {
        let photo = Canvas(FrameFormat(.bgr), width: 300, height: 300)
        photo.fill { _, _ in SIMD3() }
        let own = cat(Point(150, 140), eyes: 70)
        // The usual mouth of a cat is 0.76 eye distances below the eyes.
        for spot in [own.leftEye, own.rightEye, Point(150, 140 + 0.76 * 70)] {
            photo.frame.disc(spot, radius: 5, color: .white)
        }
        let partner = try photo.picture(own)
        let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
        canvas.fill { _, _ in SIMD3() }
        let face = human(Point(160, 150), eyes: 60)
        _ = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, Self.plain)
        let colors = canvas.colors
        func brightest(around place: Point) -> Double {
            var best = 0.0
            for y in Int(place.y) - 2...Int(place.y) + 2 {
                for x in Int(place.x) - 2...Int(place.x) + 2 { best = max(best, colors[y * 320 + x].x) }
            }
            return best
        }
        #expect(brightest(around: Point(160 - 36, 150)) > 200 && brightest(around: Point(160 + 36, 150)) > 200)
        #expect(brightest(around: Point(160, 150 + 1.05 * 1.12 * 60)) > 200)
    }

    @Test("The chin of the partner, if it is known, lies on the human's chin", arguments: [true, false])
    func chin(isKnown: Bool) throws {
        let photo = Canvas(FrameFormat(.bgr), width: 300, height: 300)
        photo.fill { _, _ in SIMD3() }
        var own = cat(Point(150, 140), eyes: 70)
        // This chin is lower than the usual chin. The outline of the partner's face ends a little above the chin.
        photo.frame.disc(Point(150, 140 + 1.4 * 70), radius: 3, color: .white)
        if isKnown { own.chin = Point(150, 140 + 1.5 * 70) }
        let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
        canvas.fill { _, _ in SIMD3() }
        let face = human(Point(160, 150), eyes: 60)
        _ = try FaceMerger().replace([(face, try photo.picture(own))], on: canvas.frame, at: 0, Self.plain)
        let colors = canvas.colors
        let column = (0..<340).map { colors[$0 * 320 + 160].x }
        let brightest = try #require(column.indices.max { column[$0] < column[$1] })
        let distance = (Double(brightest) - (150 + 1.72 * 1.12 * 60)).magnitude
        #expect((column[brightest] > 50 && distance < 10) == isKnown, "\(column[brightest]) \(distance)")
    }

    /// A picture of a cat's head with ears on a plain background.
    private func drawnCat() throws -> FacePicture {
        let photo = Canvas(FrameFormat(.bgr), width: 400, height: 400)
        photo.fill { x, y in SIMD3(60, 90 + Double((x + y) % 5), 60) }
        let fur = Color(200, 150, 100)
        for side in [-1.0, 1.0] {
            photo.frame.polygon(
                [Point(200 + 20 * side, 150), Point(200 + 78 * side, 150), Point(200 + 66 * side, 60)], color: fur)
        }
        photo.frame.ellipse(Point(200, 205), halfAxes: Point(86, 80), color: fur)
        for side in [-1.0, 1.0] {
            photo.frame.disc(Point(200 + 35 * side, 195), radius: 9, color: .black)
        }
        return try photo.picture(cat(Point(200, 195), eyes: 70)).outlined()
    }

    @Test("The ears of a cat appear above a human's head, unless they are turned off", arguments: [true, false])
    func ears(hasEars: Bool) throws {
        let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
        canvas.fill { _, _ in SIMD3(20, 20, 200) }
        var settings = Self.plain
        settings.hasEars = hasEars
        let face = human(Point(160, 170), eyes: 50)
        _ = try FaceMerger().replace([(face, try drawnCat())], on: canvas.frame, at: 0, settings)
        let colors = canvas.colors
        let above = (0..<170 - 68).flatMap { y in (0..<320).map { colors[y * 320 + $0] } }
        let fur = above.filter { $0.x > 150 && $0.z < 140 }.count
        #expect(hasEars ? fur > 400 : fur < 40, "\(fur)")
        // The background of the partner's image does not appear.
        #expect(above.allSatisfy { $0.y < 160 && !($0.y > 80 && $0.x < 70 && $0.z < 90) })
    }

    @Test("The outline of a cat is its silhouette, or the usual outline if the image shows no background")
    func silhouette() throws {
        let picture = try drawnCat()
        let silhouette = try #require(picture.silhouette)
        let axes = picture.face.headAxes
        for (x, y, isCat) in [(0.0, 0.0, true), (-1.8, -1.3, true), (1.8, -1.3, true), (0, -1.6, false), (3, 0, false)]
        {
            #expect(silhouette.contains(axes.point(x, y)) == isCat, "\(x) \(y)")
        }
        let part = Canvas(FrameFormat(.bgr), width: 100, height: 90)
        part.fill { x, y in SIMD3(200, 150, Double(x + y)) }
        let other = try part.picture(cat(Point(50, 45), eyes: 70)).outlined()
        let merger = try FaceMerger()
        let canvas = Canvas(.i420, width: 320, height: 340)
        let drawn = try merger.replace([(human(Point(160, 170), eyes: 50), other)], on: canvas.frame, at: 0, .smooth)
        #expect(other.silhouette == nil && drawn.first.flatMap { $0 } != nil)
    }

    /// A picture of a human with a hat whose brim is just above the eyes, and with or without a beard below the mouth.
    private func drawnHuman(hasBeard: Bool = true) throws -> FacePicture {
        let photo = Canvas(FrameFormat(.bgr), width: 400, height: 420)
        photo.fill { x, y in SIMD3(70, 60 + Double((x + y) % 5), 50) }
        photo.frame.ellipse(Point(200, 240), halfAxes: Point(84, 105), color: Color(220, 170, 150))
        let cloth = Color(40, 30, 60)
        if hasBeard { photo.frame.ellipse(Point(200, 340), halfAxes: Point(80, 52), color: cloth) }
        photo.frame.polygon([Point(80, 110), Point(320, 110), Point(320, 180), Point(80, 180)], color: cloth)
        for side in [-1.0, 1.0] { photo.frame.disc(Point(200 + 35 * side, 200), radius: 6, color: .black) }
        return try photo.picture(human(Point(200, 200), eyes: 70)).outlined()
    }

    @Test("The hat of a human partner does not appear on a human or a cat, but its beard does")
    func hatAndBeard() throws {
        let picture = try drawnHuman()
        let (silhouette, axes) = (try #require(picture.silhouette), picture.face.headAxes)
        for (x, y, isSkin) in [(0.0, 0.3, true), (1.2, 0.1, true), (0, -0.5, false), (0, 1.6, false), (3, 0, false)] {
            #expect(silhouette.contains(axes.point(x, y)) == isSkin, "\(x) \(y)")
        }
        var settings = Self.plain
        settings.matchColors = false
        for species in [Species.human, .cat] {
            let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
            canvas.fill { _, _ in SIMD3(20, 200, 20) }
            let face = species == .human ? human(Point(160, 170), eyes: 50) : cat(Point(160, 170), eyes: 50)
            _ = try FaceMerger().replace([(face, picture)], on: canvas.frame, at: 0, settings)
            let colors = canvas.colors
            func cloth(_ rows: Range<Int>) -> Int {
                rows.reduce(0) { count, y in
                    count + (0..<320).count { colors[y * 320 + $0].y < 90 && colors[y * 320 + $0].x < 90 }
                }
            }
            let skin = colors.count { $0.x > 180 && $0.y > 130 && $0.y < 190 }
            #expect(skin > 800, "\(species) \(skin)")
            #expect(cloth(0..<155) < 20, "\(species) \(cloth(0..<155))")
            #expect(cloth(190..<340) > 60, "\(species) \(cloth(190..<340))")
        }
    }

    @Test("The hat of a human without a beard does not appear between the brows of another human")
    func hat() throws {
        var settings = Self.plain
        settings.matchColors = false
        let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
        canvas.fill { _, _ in SIMD3(20, 200, 20) }
        let picture = try drawnHuman(hasBeard: false)
        _ = try FaceMerger().replace([(human(Point(160, 170), eyes: 50), picture)], on: canvas.frame, at: 0, settings)
        let colors = canvas.colors
        // The brim is darker than the skin and than the green face in the video.
        #expect((0..<155 * 320).count { colors[$0].x < 90 && colors[$0].y < 120 } == 0)
        #expect(colors.count { $0.x > 180 && $0.y > 130 && $0.y < 190 } > 800)
    }

    @Test("A thin-plate spline maps its points, and is affine if the points are")
    func spline() throws {
        let from = [Point(0, 0), Point(100, 5), Point(90, 80), Point(10, 95), Point(40, 50)]
        let to = [Point(5, 5), Point(220, 0), Point(180, 150), Point(0, 210), Point(100, 90)]
        let spline = try #require(ThinPlateSpline(from: from, to: to))
        for (one, other) in zip(from, to) { #expect((spline(one) - other).length < 2) }
        let affine = try #require(ThinPlateSpline(from: from, to: from.map { Point(2 * $0.x - $0.y, $0.y + 7) }))
        #expect((affine(Point(33, 12)) - Point(54, 19)).length < 1e-6)
        #expect(ThinPlateSpline(from: [Point(0, 0), Point(1, 1), Point(2, 2)], to: [Point](from.prefix(3))) == nil)
        #expect(ThinPlateSpline(from: [Point](from.prefix(2)), to: [Point](to.prefix(2))) == nil)
        #expect(ThinPlateSpline(from: [Point(.nan, 0), Point(1, 1), Point(2, 0)], to: [Point](to.prefix(3))) == nil)
    }

    // MARK: - Sharpness

    @Test("A sharp partner becomes as soft as the face, and a soft partner becomes sharper")
    func sharpness() throws {
        let (low, high) = (60.0, 190.0)
        /// Returns vertical stripes with edges of this width, in pixels.
        func stripes(_ width: Double) -> (Int, Int) -> SIMD3<Double> {
            { x, _ in
                let place = Double(x % 24) + 0.5
                let edge = min(max((place - 6) / width + 0.5, 0), 1) - min(max((place - 18) / width + 0.5, 0), 1)
                return SIMD3(repeating: low + (high - low) * edge)
            }
        }
        func steepest(faceWidth: Double, partnerWidth: Double, matches: Bool) throws -> Double {
            let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
            canvas.fill(stripes(faceWidth))
            let photo = Canvas(FrameFormat(.bgr), width: 320, height: 340)
            photo.fill(stripes(partnerWidth))
            let face = human(Point(160, 150), eyes: 60)
            var settings = MergeSettings.smooth
            settings.matchColors = matches
            _ = try FaceMerger().replace([(face, try photo.picture(face))], on: canvas.frame, at: 0, settings)
            let row = canvas.colors[170 * 320..<171 * 320].map(\.x)[130..<190]
            return zip(row, row.dropFirst()).map { abs($0 - $1) }.max() ?? 0
        }
        let soft = try steepest(faceWidth: 8, partnerWidth: 1, matches: true)
        #expect(try soft < 0.5 * steepest(faceWidth: 8, partnerWidth: 1, matches: false))
        let sharp = try steepest(faceWidth: 1, partnerWidth: 6, matches: true)
        #expect(try sharp > 1.2 * steepest(faceWidth: 1, partnerWidth: 6, matches: false))
    }

    @Test("A partner image of four times the size gives an equally sharp hybrid", arguments: [true, false])
    func partnerSize(matchesColors: Bool) throws {
        func sharpness(_ scale: Double) throws -> Double {
            /// Returns stripes with edges of 2 pixels, drawn at this scale.
            func stripes(_ scale: Double) -> (Int, Int) -> SIMD3<Double> {
                { x, _ in
                    let place = ((Double(x) + 0.5) / scale).truncatingRemainder(dividingBy: 20)
                    let edge = min(max((place - 5) / 2 + 0.5, 0), 1) - min(max((place - 15) / 2 + 0.5, 0), 1)
                    return SIMD3(repeating: 60 + 130 * edge)
                }
            }
            let canvas = Canvas(FrameFormat(.bgrx), width: 200, height: 220)
            canvas.fill(stripes(1))
            let side = Int(160 * scale)
            let photo = Canvas(FrameFormat(.bgr), width: side, height: side)
            photo.fill(stripes(scale))
            let partner = try photo.picture(cat(Point(80, 70) * scale, eyes: 40 * scale))
            var settings = MergeSettings.smooth
            settings.matchColors = matchesColors
            let face = human(Point(100, 90), eyes: 34)
            _ = try FaceMerger().replace([(face, partner)], on: canvas.frame, at: 0, settings)
            let colors = canvas.colors
            return (80..<130).reduce(0) { sum, y in
                let row = colors[y * 200 + 75..<y * 200 + 125].map(\.x)
                return sum
                    + zip(zip(row, row.dropFirst()), row.dropFirst(2)).reduce(0) {
                        $0 + ($1.0.0 - 2 * $1.0.1 + $1.1).magnitude
                    }
            }
        }
        let ratio = try sharpness(4) / sharpness(1)
        #expect((0.85...1.2).contains(ratio), "\(ratio)")
    }

    // MARK: - Turned faces and fades

    @Test("A face in profile stays unchanged, and returns only when it has clearly turned back")
    func profiles() throws {
        let photo = Canvas(FrameFormat(.bgr), width: 300, height: 300)
        photo.fill { _, _ in SIMD3(40, 60, 220) }
        let partner = try photo.picture(cat(Point(150, 140), eyes: 70))
        let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
        canvas.fill { _, _ in SIMD3(220, 40, 40) }
        let clean = canvas.bytes
        let merger = try FaceMerger()
        var merged: [Bool] = []
        for (index, yaw) in [60.0, 35, 30, 36, 45, 35].enumerated() {
            canvas.restore(clean)
            let face = human(Point(160, 150), eyes: 60, track: 1, yaw: yaw)
            let drawn = try merger.replace([(face, partner)], on: canvas.frame, at: Double(index), Self.plain)
            #expect((drawn.first.flatMap { $0 } != nil) == (canvas.bytes != clean))
            #expect(merger.hasTurnedFace == (canvas.bytes == clean))
            merged.append(canvas.bytes != clean)
        }
        #expect(merged == [false, false, true, true, false, false])
    }

    @Test("A new face fades in within 150 ms, and a lost face fades out; faces of the first frame are visible at once")
    func fades() throws {
        let photo = Canvas(FrameFormat(.bgr), width: 300, height: 300)
        photo.fill { _, _ in SIMD3(40, 60, 220) }
        let partner = try photo.picture(cat(Point(150, 140), eyes: 70))
        let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
        canvas.fill { _, _ in SIMD3(220, 40, 40) }
        let clean = canvas.bytes
        let merger = try FaceMerger()
        func blue(_ faces: [FacePoints], _ milliseconds: Double) throws -> Double {
            canvas.restore(clean)
            _ = try merger.replace(
                faces.map { ($0, partner) }, on: canvas.frame, at: milliseconds / 1000, Self.plain)
            let blue = canvas.colors[180 * 320 + 160].z
            // The hybrid of a lost face has a position as long as it is visible.
            #expect(merger.fading.map(\.track) == (faces.isEmpty && blue > 41 ? [1] : []))
            return blue
        }
        let face = human(Point(160, 150), eyes: 60, track: 1)
        #expect(try blue([face], 0) > 215)
        let out = try [40.0, 80, 120, 160].map { try blue([], $0) }
        #expect(out[0] > out[1] && out[1] > out[2] && out[2] > 50 && out[3] == 40, "\(out)")
        #expect(!merger.hasVisibleHybrids)
        merger.skip(to: 1)
        let other = human(Point(160, 150), eyes: 60, track: 2)
        let back = try [1040.0, 1080, 1120, 1160].map { try blue([other], $0) }
        #expect(back[0] > 50 && back[0] < back[1] && back[1] < back[2] && back[3] > 215, "\(back)")
    }

    @Test(
        "After a frame without fades, no old hybrid returns",
        arguments: ["classic", "classic swap", "pair", "no faces"])
    func ghosts(_ frame: String) throws {
        let photo = Canvas(FrameFormat(.bgr), width: 300, height: 300)
        photo.fill { _, _ in SIMD3(40, 60, 220) }
        let partner = try photo.picture(cat(Point(150, 140), eyes: 70))
        let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
        canvas.fill { _, _ in SIMD3(220, 40, 40) }
        let clean = canvas.bytes
        let merger = try FaceMerger()
        _ = try merger.replace(
            [(human(Point(160, 150), eyes: 60, track: 1), partner)], on: canvas.frame, at: 0, Self.plain)
        #expect(merger.hasVisibleHybrids)
        let two = [2, 3].map { human(Point(Double($0) * 80, 250), eyes: 20, track: $0) }
        switch frame {
        case "classic": _ = try merger.replace([], on: canvas.frame, at: 0.04, .classic)
        case "classic swap": _ = try merger.swap(two[0], two[1], on: canvas.frame, at: 0.04, .classic)
        case "pair":
            let corner = Rectangle(width: 40, height: 40)
            _ = try merger.pair(two[0], two[1], into: corner, of: canvas.frame, at: 0.04, Self.plain)
        default: merger.skip(to: 0.04)
        }
        canvas.restore(clean)
        _ = try merger.replace([], on: canvas.frame, at: 0.05, Self.plain)
        #expect(canvas.bytes == clean && merger.fading.isEmpty && !merger.hasVisibleHybrids)
    }

    @Test("swap: The face of a lost person disappears at once")
    func lostInSwap() throws {
        let canvas = Canvas(FrameFormat(.bgrx), width: 480, height: 240)
        func fill(with faces: [FacePoints]) {
            canvas.fill { x, _ in SIMD3(220 - Double(x) / 4, 40, Double(x) / 4) }
            for face in faces { canvas.frame.disc(face.nose, radius: 20, color: .white) }
        }
        let faces = (1...3).map { human(Point(Double($0) * 120, 90), eyes: 40, track: $0) }
        let merger = try FaceMerger()
        fill(with: faces)
        #expect(try !merger.swap(faces[0], faces[1], on: canvas.frame, at: 0, Self.plain).contains(nil))
        fill(with: [])
        let before = canvas.colors
        _ = try merger.swap(faces[0], faces[2], on: canvas.frame, at: 0.04, Self.plain)
        let colors = canvas.colors
        for y in 60..<150 { for x in 228..<252 { #expect(colors[y * 480 + x] == before[y * 480 + x]) } }
        #expect(merger.fading.isEmpty)
    }

    @Test("swap: The classic preset also exchanges turned faces, and does not fade")
    func classicSwap() throws {
        for settings in [MergeSettings.classic, .smooth] {
            let canvas = Canvas(FrameFormat(.bgrx), width: 480, height: 240)
            let merger = try FaceMerger()
            merger.skip(to: 0)
            for (time, tracks) in [(0.001, [1, 2]), (0.002, [3, 4])] {
                canvas.fill { x, _ in SIMD3(x < 240 ? 220 : 20, 40, 40) }
                let faces = tracks.enumerated().map { index, track in
                    human(Point(120 + 240 * Double(index), 90), eyes: 40, track: track, yaw: 60)
                }
                let drawn = try merger.swap(faces[0], faces[1], on: canvas.frame, at: time, settings)
                #expect(drawn.contains(nil) == (settings.style == .smooth))
                #expect(merger.hasTurnedFace == (settings.style == .smooth) && !merger.hasVisibleHybrids)
            }
        }
    }

    @Test("On a still face, noise in the points moves the partner by less than 0.3 pixels")
    func stillness() throws {
        let photo = Canvas(FrameFormat(.bgr), width: 300, height: 300)
        photo.fill { _, _ in SIMD3() }
        let own = cat(Point(150, 140), eyes: 70)
        photo.frame.disc(own.leftEye, radius: 9, color: .white)
        let partner = try photo.picture(own)
        let canvas = Canvas(FrameFormat(.bgrx), width: 320, height: 340)
        canvas.fill { _, _ in SIMD3() }
        let clean = canvas.bytes
        let merger = try FaceMerger()
        var dice = Dice(seed: 9)
        var places: [Point] = []
        for index in 0..<60 {
            canvas.restore(clean)
            var face = human(Point(160, 150), eyes: 60, track: 1)
            for path in FaceLandmarks.points {
                face.landmarks[keyPath: path] =
                    face.landmarks[keyPath: path] + Point(0.3 * dice.gaussian(), 0.3 * dice.gaussian())
            }
            _ = try merger.replace([(face, partner)], on: canvas.frame, at: Double(index) / 30, Self.plain)
            let colors = canvas.colors
            var (sum, place) = (0.0, Point(0, 0))
            for y in 130..<170 {
                for x in 104..<144 {
                    let weight = colors[y * 320 + x].x
                    sum += weight
                    place = place + Point(Double(x), Double(y)) * weight
                }
            }
            places.append(place / sum)
        }
        let settled = places.dropFirst(15)
        for (one, other) in zip(settled, settled.dropFirst()) { #expect((one - other).length < 0.3) }
    }
}
