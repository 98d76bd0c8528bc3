// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging
import Testing
import Vision

@Suite("Merging: points over time")
struct MergingSmootherTests {
    private static let rate = 30.0

    /// Returns the filter's result for a face of 200 pixels whose top left corner follows this path.
    private func smooth(
        _ frames: Int, amount: Double = 0.5, size: Double = 200, noise: Double = 0, seed: UInt64 = 1,
        _ way: (Int) -> (x: Double, y: Double, degrees: Double)
    ) -> [(truth: FacePoints, found: FacePoints, smooth: FacePoints)] {
        var dice = Dice(seed: seed)
        var smoother = PointSmoother()
        return (0..<frames).map { frame in
            let place = way(frame)
            let truth = FacePoints.drawn(place.x, place.y, size: size, degrees: place.degrees, track: 1)
            var found = truth
            for path in [\FacePoints.leftEye, \.rightEye, \.nose] {
                found[keyPath: path].x += noise * dice.gaussian()
                found[keyPath: path].y += noise * dice.gaussian()
            }
            return (truth, found, smoother.smooth(found, at: Double(frame) / Self.rate, amount: amount))
        }
    }

    private func rootMeanSquare(_ values: [Double]) -> Double {
        (values.map { $0 * $0 }.reduce(0, +) / Double(max(1, values.count))).squareRoot()
    }

    /// Returns how far the points of one face are to the right of those of another, on average, and each distance.
    private func errors(_ a: FacePoints, _ b: FacePoints) -> [Double] {
        zip(a.three, b.three).flatMap { [$0.x - $1.x, $0.y - $1.y] }
    }

    @Test("where a face stands still, noise is cut to less than half, its change to less than a third")
    func noise() {
        let points = smooth(600, noise: 1.5) { _ in (100, 80, 0) }.dropFirst(60)
        let before = rootMeanSquare(points.flatMap { errors($0.found, $0.truth) })
        let after = rootMeanSquare(points.flatMap { errors($0.smooth, $0.truth) })
        #expect((1.4...1.6).contains(before))
        #expect(after < 0.5 * before)
        let pairs = zip(points, points.dropFirst())
        let shakeBefore = rootMeanSquare(pairs.flatMap { errors($0.found, $1.found) })
        let shakeAfter = rootMeanSquare(pairs.flatMap { errors($0.smooth, $1.smooth) })
        #expect(shakeAfter < 0.3 * shakeBefore && shakeAfter < 0.7)
    }

    @Test("at a steady speed it trails by what its formula says", arguments: [1.0, 5, 20])
    func lag(speed: Double) {
        // Half eye distances a second; cutoff 0.7 Hz + 5 Hz for each; a low pass of first order lags v (1 - a) / a.
        let cutoff = 0.7 + 5 * speed * Self.rate / 40
        let turn = 2 * Double.pi * cutoff / Self.rate
        let lag = speed / turn
        let last = smooth(200) { (speed * Double($0), 0, 0) }.last
        let trailing = last.map { errors($0.truth, $0.smooth) } ?? []
        for (index, error) in trailing.enumerated() { #expect(abs(error - (index % 2 == 0 ? lag : 0)) < 0.02) }
        #expect(trailing.count == 6 && lag < 1.4)
        // Half the size at half the speed is the same in half the pixels.
        let half = smooth(200, size: 100) { (speed / 2 * Double($0), 0, 0) }.last
        #expect(abs((half.map { errors($0.truth, $0.smooth)[0] } ?? 0) - lag / 2) < 0.02)
    }

    @Test("to and fro at up to 5 pixels a frame with noise: half within 2.5 pixels, 95 of 100 within 4.5")
    func swing() {
        for (seed, tilts) in [(UInt64(3), false), (4, true)] {
            let points = smooth(400, noise: 1.5, seed: seed) { frame in
                // A triangle of 20 frames each way, smoothed into parabolas.
                let phase = Double(frame % 40) / 20 - 1
                let wave = 4 * phase * (1 - abs(phase))
                return tilts ? (100, 80, 12 * wave) : (100 + 25 * wave, 80, 0)
            }
            let all = points.dropFirst(20).flatMap { zip($0.smooth.three, $0.truth.three).map { $0.distance(to: $1) } }
                .sorted()
            #expect(all[all.count / 2] < 2.5 && all[all.count * 95 / 100] < 4.5)
        }
    }

    @Test("where a face stops it does not go beyond, and it arrives")
    func stop() {
        let points = smooth(300) { (5 * Double(min($0, 100)), 0, 0) }
        #expect(points.allSatisfy { errors($0.smooth, $0.truth)[0] < 1e-9 })
        #expect(points.last.map { rootMeanSquare(errors($0.smooth, $0.truth)) < 0.05 } == true)
    }

    @Test("more of it holds still faces stiller, moving ones no worse; none of it leaves the points alone")
    func amounts() {
        let shakes = [0.2, 0.5, 0.9].map { amount in
            let points = smooth(400, amount: amount, noise: 1.5) { _ in (100, 80, 0) }.dropFirst(60)
            return rootMeanSquare(zip(points, points.dropFirst()).flatMap { errors($0.smooth, $1.smooth) })
        }
        #expect(shakes[0] > 1.2 * shakes[1] && shakes[1] > 1.05 * shakes[2])
        let moving = smooth(200, amount: 0.9) { (5 * Double($0), 0, 0) }
        #expect(moving.last.map { errors($0.truth, $0.smooth)[0] < 1.4 } == true)
        #expect(smooth(50, amount: 0, noise: 1.5) { _ in (0, 0, 0) }.allSatisfy { $0.found == $0.smooth })
    }

    @Test("it begins anew after a jump, a gap and a change of species; the same time changes nothing")
    func anew() {
        let (here, near) = (FacePoints.drawn(10, 10, size: 100), FacePoints.drawn(14, 10, size: 100))
        let (far, cat) = (FacePoints.drawn(90, 10, size: 100), FacePoints.drawn(14, 10, size: 100, species: .cat))
        func second(_ face: FacePoints, _ time: Double) -> FacePoints {
            var smoother = PointSmoother()
            #expect(smoother.smooth(here, at: 5, amount: 0.5) == here)
            return smoother.smooth(face, at: time, amount: 0.5)
        }
        let moved = second(near, 5.04)
        #expect(moved.leftEye.x > here.leftEye.x && moved.leftEye.x < near.leftEye.x)
        #expect(moved.box.x > here.box.x && moved.box.x < near.box.x)
        #expect(second(far, 5.04) == far && second(near, 5.7) == near && second(near, 2) == near)
        #expect(second(cat, 5.04) == cat && second(near, .nan) == near)
        #expect(second(near, 5) == here && second(near, 4.99) == here)
    }

    @Test("which points make a map")
    func soundness() {
        let face = FacePoints.drawn(10, 10, size: 100)
        #expect(face.isSound && FacePoints.drawn(-500, 2000, size: 8).isSound)
        #expect(FacePoints.drawn(0, 0, size: 100, degrees: 45).isSound)
        func changed(_ change: (inout FacePoints) -> Void) -> Bool {
            var other = face
            change(&other)
            return other.isSound
        }
        #expect(!changed { $0.nose = Point(50, 50) })  // midway between the eyes
        #expect(!changed { $0.nose = Point(95, 50) })  // on their line
        #expect(!changed { $0.rightEye = $0.leftEye })
        #expect(
            !changed {
                $0.leftEye = $0.nose; $0.rightEye = $0.nose
            })
        #expect(!changed { $0.nose.y = 900 })
        for number in [Double.nan, .infinity, -.infinity, 1e7, -1e30] {
            #expect(!changed { $0.leftEye.x = number } && !changed { $0.rightEye.y = number })
            #expect(!changed { $0.nose.x = number })
        }
        #expect(changed { ($0.leftEye, $0.rightEye) = ($0.rightEye, $0.leftEye) })
        #expect(!FacePoints.drawn(10, 10, size: 2).isSound && FacePoints.drawn(10, 10, size: 3).isSound)
    }

    @Test("the species of hybrids")
    func species() {
        #expect(FacePoints.species(.human, .human) == .human && FacePoints.species(.cat, .cat) == .cat)
        #expect(FacePoints.species(.human, .cat) == nil && FacePoints.species(.cat, nil) == nil)
    }
}
