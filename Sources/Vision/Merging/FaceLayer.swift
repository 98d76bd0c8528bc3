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
    /// Interval between measurements of the face's sharpness, in seconds.
    private static let focusTime = 0.25
    /// Maximum change of the brightness from the centre of the face to an edge, in levels.
    private static let steepest = 32.0

    private var level: PreparedFace.Level?
    private var settings = MergeSettings.smooth
    private var isGray = false

    /// `light`: smoothed colour statistics of the face. `matchedLight`: the statistics to which the partner was last
    /// matched.
    private var light: ColorStatistics?
    private var matchedLight: ColorStatistics?
    /// `blur`: smoothed blur of the face's edges, in pixels. `focus`: the change of the partner's sharpness.
    private var blur: Double?
    private var untilBlur = 0.0
    private var focus = Focus()
    /// `noise`: smoothed noise of the face, in grey levels. `grain`: the noise that was added to the partner.
    private var noise: Double?
    private var grain = 0.0
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
        if let placed, partner.area.distance(placed.face, face) < Self.stillness { face = placed.face }

        let patch = tools.patch
        patch.read(frame, partner.area.bounds(on: face))
        guard !patch.area.isEmpty else { return false }
        let samples = partner.area.sampleArea(face.species)
        let canMatch =
            settings.matchColors
            && tools.meter.collect(from: patch.image, origin: patch.area.corner, at: samples, on: face)
        let before = canMatch && partner.area.needsCorrection(in: settings.mode) ? tools.meter.light : nil
        if canMatch {
            try follow(tools.meter.labLight(), elapsed)
            try followBlur(of: face, in: patch, elapsed)
        }
        try match(level, partner.area, magnification: partner.area.scale(from: level.face, to: face))
        guard try place(level, face, patch.area, partner.area, tools) else { return false }

        tools.blender.blend(
            warped.image, onto: patch.image, mode: settings.mode, opacity: 1, useForegroundAlpha: false)
        if let before, settings.mode != .hud,
            tools.meter.collect(from: patch.image, origin: patch.area.corner, at: samples, on: face)
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

    /// Measures the sharpness and the noise of the face at intervals.
    private func followBlur(of face: FacePoints, in patch: FramePatch, _ elapsed: Double?) throws(VisionError) {
        untilBlur -= max(0, elapsed ?? untilBlur)
        guard untilBlur <= 0 else { return }
        untilBlur = Self.focusTime
        if let new = try face.noise(in: patch.image, origin: patch.area.corner)?.sigma {
            noise = noise.map { $0 + 0.3 * (new - $0) } ?? new
        }
        guard let new = try face.blur(in: patch.image, origin: patch.area.corner) else { return }
        blur = blur.map { $0 + 0.3 * (new - $0) } ?? new
    }

    /// Matches the partner's colours and sharpness to the face. If the frame is grey, the partner becomes grey, too.
    /// - Parameter magnification: the size of the partner on the face, relative to its size in `level`.
    private func match(_ level: PreparedFace.Level, _ area: MergeArea, magnification: Double) throws(VisionError) {
        let target = settings.matchColors ? light : nil
        var focus = Focus()
        if settings.matchColors, let blur, let own = try level.blur() {
            focus = Focus(from: own, to: blur, magnification: magnification)
        }
        var grain = 0.0
        if settings.matchColors, let noise, let own = try level.noise() {
            grain = Self.grain(from: own, to: noise)
        }
        if isMatched, focus.isLike(self.focus), (grain - self.grain).magnitude <= 0.2 * grain + 0.3,
            target.map({ matchedLight?.isLike($0) ?? false }) ?? (matchedLight == nil)
        {
            return
        }
        matchedLight = target
        self.focus = focus
        self.grain = grain
        isMatched = true
        placed = nil
        matched.resize(width: level.pixels.image.width, height: level.pixels.image.height)
        matched.image.copy(from: level.pixels.image)
        try matchColors(level, area, target)
        if !focus.isNone {
            try check { sv_cv_refocus(matched.image.openCV, focus.sigma, focus.amount, $0) }
        }
        if grain > 0 { try check { sv_cv_add_noise(matched.image.openCV, grain, $0) } }
    }

    /// Returns the deviation of the noise that a partner needs, so that it is as grainy as the face.
    private static func grain(from partner: Double, to face: Double) -> Double {
        guard face > 1.2 * partner + 0.5 else { return 0 }
        // The interpolation of the warp reduces the noise.
        return min(12, 1.3 * (face * face - partner * partner).squareRoot())
    }

    private func matchColors(
        _ level: PreparedFace.Level, _ area: MergeArea, _ target: ColorStatistics?
    ) throws(VisionError) {
        guard isGray || (target != nil && level.light != nil) else { return }
        var match = ColorMatch()
        var change = SVCVLight()
        if let target, let light = level.light {
            match = ColorMatch(light, to: target, area.matching)
            let slope = area.matching.direction * (target.slope - match.contrast * light.slope)
            change = Self.light(of: slope, area.lightAxes(on: level.face))
        }
        if isGray { match.removeColor() }
        try check {
            sv_cv_bgr_of_lab(level.lab.image.openCV, match.table, match.shares, change, matched.image.openCV, $0)
        }
    }

    /// Returns the change of the brightness that turns the light on the partner to the direction of the light on the
    /// face.
    /// - Parameter axes: the coordinates of the slope.
    private static func light(of slope: SIMD2<Double>, _ axes: FaceAxes) -> SVCVLight {
        let slope = slope.clamped(lowerBound: .init(repeating: -steepest), upperBound: .init(repeating: steepest))
        let zero = axes.coordinates(of: Point(0.5, 0.5))
        let (right, below) = (axes.coordinates(of: Point(1.5, 0.5)), axes.coordinates(of: Point(0.5, 1.5)))
        func value(_ place: Point) -> Double { slope.x * place.x + slope.y * place.y }
        let numbers = [value(zero), value(right) - value(zero), value(below) - value(zero)]
        guard numbers.allSatisfy({ $0.magnitude < 1e6 }) else { return SVCVLight() }
        return SVCVLight(
            offset: Float(numbers[0]), across: Float(numbers[1]), down: Float(numbers[2]), limit: Float(steepest))
    }

    /// Maps the partner onto the face.
    /// - Returns: false if the points of the face do not define a map.
    private func place(
        _ level: PreparedFace.Level, _ face: FacePoints, _ area: Rectangle, _ method: MergeArea, _ tools: MergeTools
    ) throws(VisionError) -> Bool {
        if let placed, placed.face == face, placed.area == area { return true }
        warped.resize(width: area.width, height: area.height)
        weights.resize(width: area.width, height: area.height)
        guard try method.place(matched.image, level, onto: face, area, into: warped.image) else {
            placed = nil
            return false
        }
        extractAlpha(from: warped.image, into: weights.image)
        if settings.mode == .hud {
            tools.edges.resize(width: area.width, height: area.height)
            try laplacianEdges(of: warped.image, into: tools.edges.image)
            tint(stencil: tools.edges.image, color: 0xFF80_FF00)
            warped.image.copy(from: tools.edges.image)
        }
        placed = (face, area)
        return true
    }
}

extension SIMD3<Double> {
    /// Brightness of a colour with the components blue, green and red, by the formula of `scaleColors`.
    fileprivate var gray: Double { (x + 2 * y + z) / 4 }
}
