// SPDX-License-Identifier: LGPL-2.1-or-later
import Testing
@testable import Vision

@Suite struct ColorMatchTests {
    private func statistics(
        _ brightness: Double, deviation: Double, red: Double = 128, saturation: Double = 4
    ) -> ColorStatistics {
        ColorStatistics(
            mean: SIMD3(brightness, red, 140), deviation: SIMD3(deviation, saturation, saturation))
    }

    private func brightness(_ match: ColorMatch) -> [Int] { (0..<256).map { Int(match.table[3 * $0]) } }

    @Test("Without statistics, no colour changes")
    func unchanged() {
        let match = ColorMatch()
        for value in 0..<256 {
            for channel in 0..<3 { #expect(match.table[3 * value + channel] == value) }
            #expect(match.shares[value] == 1)
        }
    }

    @Test("Skin gets the mean and the deviation of the face (Reinhard et al., 2001)")
    func skin() {
        let match = ColorMatch(
            statistics(120, deviation: 20, red: 130), to: statistics(160, deviation: 25, red: 145), ColorMatching())
        // (L − 120) · 25 / 20 + 160
        #expect(brightness(match)[100] == 135)
        #expect(brightness(match)[120] == 160)
        #expect(brightness(match)[140] == 185)
        // (a − 130) · 4 / 4 + 145
        #expect(match.table[3 * 132 + 1] == 147)
        #expect(match.shares[120] == 1)
    }

    @Test("On a dark face, a beard stays darker than skin, and has no black patches")
    func beard() {
        let match = ColorMatch(statistics(150, deviation: 20), to: statistics(70, deviation: 20), ColorMatching())
        let levels = brightness(match)
        #expect(levels[0] == 0)
        // The linear map would be 0 for all values below 80. Skin begins at 150 − 1.75 · 20 = 115, which becomes 35.
        #expect(levels[115] == 35)
        #expect(levels[80] == 24)
        #expect(levels[40] == 12)
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("On a bright face, pupils stay dark")
    func pupils() {
        let levels = brightness(
            ColorMatch(statistics(70, deviation: 20), to: statistics(150, deviation: 20), ColorMatching()))
        #expect(levels[0] == 10)
        // The linear map would be 95. Skin begins at 70 − 1.75 · 20 = 35, which becomes 115, so the factor would be 115 / 35,
        // but the contrast is at most 3.
        #expect(levels[15] == 55)
        #expect(levels[70] == 150)
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("The darkest skin has 0.3 times the mean, so a beard is not black on a very dark face")
    func darkFace() {
        // (L − 150) · 0.65 + 45 would be 0 for all values below 81.
        let levels = brightness(
            ColorMatch(statistics(150, deviation: 40), to: statistics(45, deviation: 15), ColorMatching()))
        // 13.5 is the value of 101.5.
        #expect(levels[150] == 45)
        #expect(levels[80] == 11)
        #expect(levels[40] == 5)
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("The noise of a black partner is amplified at most 3 times")
    func blackPartner() {
        for deviation in [15.0, 20, 23] {
            let levels = brightness(
                ColorMatch(statistics(40, deviation: deviation), to: statistics(170, deviation: 20), ColorMatching()))
            #expect(zip(levels, levels.dropFirst()).allSatisfy { (0...3) ~= $1 - $0 }, "\(deviation)")
        }
    }

    @Test("Clear edges between smooth surfaces or clear lines are a drawing, and texture is a photo")
    func drawings() {
        func isDrawing(_ sigma: Double, _ edges: Double) -> Bool { ImageNoise(sigma: sigma, edges: edges).isDrawing }
        // Drawn humans, drawn fur.
        #expect(isDrawing(0, 0.4) && isDrawing(0.25, 0.6) && isDrawing(1.24, 3.5) && isDrawing(1.9, 4.3))
        // An empty surface, smooth videos, photos of fur and skin.
        #expect(!isDrawing(0, 0.2) && !isDrawing(0.25, 0.31) && !isDrawing(0.5, 0.6) && !isDrawing(1, 1.74))
        #expect(!isDrawing(1.9, 4) && !isDrawing(5.2, 8.7) && !isDrawing(2.1, 9))
    }

    @Test("Only skin gets more contrast")
    func highlights() {
        let levels = brightness(
            ColorMatch(statistics(100, deviation: 10), to: statistics(100, deviation: 16), ColorMatching()))
        // Skin ends at 100 + 1.75 · 10 = 117.5, which becomes 128. 50 levels more are still 50 levels more.
        #expect(levels[110] == 116)
        #expect(levels[180] - levels[130] == 50)
        #expect((140...141).contains(levels[130]))
    }

    @Test("Pupils and beards of a partner without colour hardly get the colour of skin")
    func gray() {
        let photo = ColorStatistics(mean: SIMD3(140, 128, 128), deviation: SIMD3(20, 0, 0))
        let match = ColorMatch(photo, to: statistics(140, deviation: 20, red: 145), ColorMatching())
        #expect(match.table[3 * 128 + 1] == 145)
        #expect(match.shares[140] == 1)
        #expect(match.shares[0] == 0)
        #expect(match.shares[20] < 0.2)
        #expect(match.shares[240] == 0.25)
    }

    @Test("Without colour, only the brightness is matched")
    func colorless() {
        var match = ColorMatch(statistics(120, deviation: 20), to: statistics(160, deviation: 20), ColorMatching())
        match.removeColor()
        #expect(brightness(match)[120] == 160)
        for value in 0..<256 { #expect(match.table[3 * value + 1] == 128 && match.table[3 * value + 2] == 128) }
        #expect(match.shares.allSatisfy { $0 == 1 })
    }
}
