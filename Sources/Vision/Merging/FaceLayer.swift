// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import COpenCV
import Drawing
import Imaging
internal import KernelTypes

/// Reusable objects that several layers share, one layer after another.
final class MergeTools {
    let patch = FramePatch()
    let blender = Blender()
    let meter = ColorSampler()
    let edges = OwnedImage(.bgra)
}

/// Draws a partner's face over a face of a stream. To save time, the layer keeps two images: the partner with colours
/// that match the face, and, while the face does not move, the partner mapped onto the face.
final class FaceLayer {
    /// A face has moved if one of its points is displaced by more than this distance, in pixels.
    private static let stillness = 0.1
    /// Time constant of the lighting's smoothing, in seconds.
    private static let lightTime = 0.2

    private var level: PreparedFace.Level?
    private var settings = MergeSettings.smooth
    private var isGray = false

    /// `light`: smoothed colour statistics of the face. `matchedLight`: the statistics to which the partner was last
    /// matched.
    private var light: ColorStatistics?
    private var matchedLight: ColorStatistics?
    /// The partner's pixels after the colour match.
    private let matched = OwnedImage(.bgra)
    private var isMatched = false

    /// `placed`: the face and the area of the frame for which `warped` and `weights` are valid. `warped`: the partner,
    /// mapped onto the face. `weights`: the weight of each pixel of the partner.
    private var placed: (face: FacePoints, area: Rectangle)?
    private let warped = OwnedImage(.bgra)
    private let weights = OwnedImage(.gray8)

    /// Merges `face` in `frame` with the partner.
    /// - Parameters:
    ///   - settings: sanitized settings.
    ///   - elapsed: the seconds since the previous frame; nil if there is no previous frame.
    /// - Returns: true if the partner was drawn.
    func merge(
        _ face: FacePoints, on frame: FrameImage, with partner: PreparedFace, _ settings: MergeSettings,
        elapsed: Double?, _ tools: MergeTools
    ) throws(VisionError) -> Bool {
        guard let level = try partner.level(for: face) else { return false }
        begin(level, settings, isGray: frame.format.isGray)
        // A face that did not move keeps its exact position, so that the mapped partner stays valid.
        var face = face
        if let placed, placed.face.distance(to: face) < Self.stillness { face = placed.face }

        let patch = tools.patch
        patch.read(frame, partner.pair.bounds(on: face))
        guard !patch.area.isEmpty else { return false }
        let canMatch =
            settings.matchColors
            && tools.meter.collect(from: patch.image, origin: patch.area.corner, face: face, partner.pair)
        let before = canMatch ? tools.meter.light : nil
        if canMatch { try follow(tools.meter.labLight(), elapsed) }
        try match(level)
        try place(level, face, patch.area, tools)

        tools.blender.blend(
            warped.image, onto: patch.image, mode: settings.mode, opacity: 1, useForegroundAlpha: false)
        if let before, settings.mode != .hud,
            tools.meter.collect(from: patch.image, origin: patch.area.corner, face: face, partner.pair)
        {
            let light = tools.meter.light
            let (factors, sums) = light.map(to: before)
            let (mean, targetMean) = (light.mean.gray, before.mean.gray)
            scaleColors(
                of: patch.image, by: factors, adding: sums, dark: min(2.5, targetMean / max(1, mean)),
                fullFrom: 0.8 * mean)
        }
        patch.mix(into: frame, weights: weights.image, opacity: settings.opacity)
        return true
    }

    /// Invalidates the kept images if the partner's size or the settings have changed.
    private func begin(_ level: PreparedFace.Level, _ settings: MergeSettings, isGray: Bool) {
        let isSame =
            self.level === level && isGray == self.isGray && settings.matchColors == self.settings.matchColors
            && (settings.mode == .hud) == (self.settings.mode == .hud)
        self.level = level
        self.settings = settings
        self.isGray = isGray
        if !isSame {
            isMatched = false
            placed = nil
        }
    }

    /// Moves the smoothed statistics towards the statistics of the current frame.
    private func follow(_ new: ColorStatistics, _ elapsed: Double?) {
        guard let light, let elapsed, elapsed >= 0 else { return light = new }
        self.light = light.moved(towards: new, by: min(1, elapsed / Self.lightTime))
    }

    /// Matches the partner's colours to the face. If the frame is grey, the partner becomes grey, too.
    private func match(_ level: PreparedFace.Level) throws(VisionError) {
        let target = settings.matchColors ? light : nil
        if isMatched, target.map({ matchedLight?.isLike($0) ?? false }) ?? (matchedLight == nil) { return }
        matchedLight = target
        isMatched = true
        placed = nil
        matched.resize(width: level.pixels.image.width, height: level.pixels.image.height)
        matched.image.copy(from: level.pixels.image)
        guard isGray || (target != nil && level.light != nil) else { return }

        var map = (factors: SIMD3<Double>(repeating: 1), sums: SIMD3<Double>())
        if let target, let light = level.light { map = light.map(to: target) }
        var table = [UInt8](repeating: 128, count: 3 * 256)
        for value in 0..<256 {
            for channel in 0..<(isGray ? 1 : 3) {
                let new = Double(value) * map.factors[channel] + map.sums[channel]
                table[3 * value + channel] = UInt8(min(255, max(0, new.rounded())))
            }
        }
        try check { sv_cv_bgr_of_lab(level.lab.image.openCV, table, matched.image.openCV, $0) }
    }

    /// Maps the partner onto the face by an affine transformation.
    private func place(
        _ level: PreparedFace.Level, _ face: FacePoints, _ area: Rectangle, _ tools: MergeTools
    ) throws(VisionError) {
        if let placed, placed.face == face, placed.area == area { return }
        warped.resize(width: area.width, height: area.height)
        weights.resize(width: area.width, height: area.height)
        try align(matched.image, level.face.points, to: face.moved(from: area.corner).points, into: warped.image)
        extractAlpha(from: warped.image, into: weights.image)
        if settings.mode == .hud {
            tools.edges.resize(width: area.width, height: area.height)
            try laplacianEdges(of: warped.image, into: tools.edges.image)
            tint(stencil: tools.edges.image, color: 0xFF80_FF00)
            warped.image.copy(from: tools.edges.image)
        }
        placed = (face, area)
    }
}

extension SIMD3<Double> {
    /// Brightness of a colour with the components blue, green and red, by the formula of `scaleColors`.
    fileprivate var gray: Double { (x + 2 * y + z) / 4 }
}
