// SPDX-License-Identifier: LGPL-2.1-or-later
/// Transitions between two images, in the order of the documentation. If the images or an edge move, the name contains
/// the direction of the movement. The raw values are the values of the property `transition` of svswitch.
package enum Transition: Int32, CaseIterable, Sendable {
    case dissolve, fadeBlack, fadeWhite, flash
    case wipeLeft, wipeRight, wipeUp, wipeDown
    case slideLeft, slideRight, slideUp, slideDown
    case pushLeft, pushRight, pushUp, pushDown
    case circleOpen, circleClose, rectangleOpen, rectangleClose, radial, diagonal, barsSwipe, mod
    case ripple, pixelize, zoom, blur, pageCurl, disintegrate
    /// A random transition. The caller must select another transition instead, because for this value
    /// `TransitionPainter` only draws `dissolve`.
    case random

    /// All transitions except `random`.
    package static let drawn = allCases.filter { $0 != .random }
}

/// The two images of a transition.
package enum TransitionSide: Sendable {
    case old, new
}

/// The function that converts time to the progress of a transition.
package enum Easing: Int32, CaseIterable, Sendable {
    case linear, smooth

    /// Returns the progress at a time. Time and progress are fractions, 0…1.
    package func progress(at time: Double) -> Double {
        let t = time > 0 ? (time < 1 ? time : 1) : 0
        return self == .linear ? t : t * t * (3 - 2 * t)
    }
}
