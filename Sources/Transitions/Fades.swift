// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

struct Dissolve: TransitionEffect {
    func draw(_ scene: Scene) { scene.mix(weight: byte(255 * scene.progress)) }
}

/// The old image fades to a colour in the first half, and the colour fades to the new image in the second half.
struct Fade: TransitionEffect {
    private let color: Color

    init(through color: Color) { self.color = color }

    func isVisible(_ side: TransitionSide, at p: Double) -> Bool { side == (p < 0.5 ? .old : .new) }

    func draw(_ scene: Scene) {
        let p = scene.progress
        scene.fade(through: color, share: 1 - abs(2 * p - 1), shows: isVisible(.old, at: p) ? .old : .new)
    }
}

/// The old image turns white in the first tenth. Then white fades to the new image, first fast and then slowly.
struct Flash: TransitionEffect {
    private static let peak = 0.1

    func isVisible(_ side: TransitionSide, at p: Double) -> Bool { side == (p < Self.peak ? .old : .new) }

    func draw(_ scene: Scene) {
        let p = scene.progress
        let white = (1 - p) / (1 - Self.peak)
        scene.fade(
            through: .white, share: p < Self.peak ? p / Self.peak : white * white,
            shows: isVisible(.old, at: p) ? .old : .new)
    }
}

/// A fade between the two images while a blur or large pixel blocks hide the details. Up to the progress 0.25, only the
/// old image is visible. From the progress 0.75 on, only the new image is visible.
struct HiddenChange {
    let weight: UInt8

    init(at p: Double) {
        let t = min(1, max(0, 2 * p - 0.5))
        weight = byte(255 * t * t * (3 - 2 * t))
    }

    func isVisible(_ side: TransitionSide) -> Bool { side == .old ? weight < 255 : weight > 0 }
}
