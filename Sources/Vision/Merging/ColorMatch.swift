// SPDX-License-Identifier: LGPL-2.1-or-later

/// The colours of a partner on a face, in OpenCV's 8-bit L*a*b*; see `sv_cv_bgr_of_lab`.
struct ColorMatch {
    /// 256 entries of 3 bytes: the new L*, a* and b* for each value.
    private(set) var table = (0..<256).flatMap { [UInt8](repeating: UInt8($0), count: 3) }
    /// The fraction of the change of a* and b* for each L* of the partner.
    private(set) var shares = [Float](repeating: 1, count: 256)
    /// The change of the contrast.
    private(set) var contrast = 1.0

    /// Range of the brightness of skin and fur around its mean, in standard deviations.
    private static let skinRange = 1.75
    /// Minimum brightness of skin and fur, as a fraction of its mean.
    private static let darkestSkin = 0.3
    /// Maximum contrast of dark pixels. A higher contrast would amplify their noise.
    private static let steepest = 3.0

    /// Changes no colour.
    init() {}

    /// Matches the statistics of a partner to the statistics of a face, with the linear map of `ColorStatistics.map`.
    /// The map is made for skin and fur. Beards and pupils are darker, and change less. Teeth and the white of the eyes
    /// are brighter, and keep most of their hue and saturation.
    init(_ partner: ColorStatistics, to face: ColorStatistics, _ matching: ColorMatching) {
        // On a face without colour, the partner loses its colour, too.
        let lowest = face.isColorless ? 0 : 0.4
        var map = partner.map(
            to: face, lowest: SIMD3(matching.contrast.lowerBound, lowest, lowest),
            highest: SIMD3(matching.contrast.upperBound, 1.6, 1.6))
        map.sums.x -= (1 - matching.light) * (face.mean.x - partner.mean.x)
        contrast = map.factors.x
        if !face.isColorless, !partner.isColorless {
            for channel in 1..<3 {
                map.factors[channel] = 1 + matching.color * (map.factors[channel] - 1)
                map.sums[channel] *= matching.color
            }
        }
        let range = Self.skinRange * partner.deviation.x
        let mean = partner.mean.x * contrast + map.sums.x
        let darkest = max(partner.mean.x - range, (Self.darkestSkin * mean - map.sums.x) / contrast)
        let (knee, brightest) = (darkest * contrast + map.sums.x, partner.mean.x + range)
        for value in 0..<256 {
            let level = Double(value)
            var new = level * map.factors + map.sums
            if level < darkest {
                // Scale dark pixels. The map would make all pixels of a beard black on a dark face, and pupils grey on a
                // bright face.
                new.x = max(knee * level / darkest, knee - Self.steepest * (darkest - level))
            } else if level > brightest {
                new.x -= max(0, contrast - 1) * (level - brightest)
            }
            for channel in 0..<3 { table[3 * value + channel] = UInt8(min(255, max(0, new[channel].rounded()))) }
            guard !face.isColorless else { continue }
            // Dark pixels change less, because the same change of a* and b* is a larger change of their saturation. The
            // white of the eyes and teeth stay white.
            let distance = (level - partner.mean.x) / max(8, partner.deviation.x)
            let brightness = max(0, new.x) / max(1, face.mean.x)
            shares[value] = Float(min(1, 1.2 * brightness, max(0.25, 1 - 0.6 * (distance - Self.skinRange))))
        }
    }

    /// Removes all colour.
    mutating func removeColor() {
        for index in table.indices where index % 3 > 0 { table[index] = 128 }
        shares = [Float](repeating: 1, count: 256)
    }
}
