// SPDX-License-Identifier: LGPL-2.1-or-later
/// Ways to go over from one image to another, in the order in which users see them. Where something moves, the name says
/// where to. The raw values are those of the element's property.
package enum Transition: Int32, CaseIterable, Sendable {
    case dissolve, fadeBlack, fadeWhite, flash
    case wipeLeft, wipeRight, wipeUp, wipeDown
    case slideLeft, slideRight, slideUp, slideDown
    case pushLeft, pushRight, pushUp, pushDown
    case circleOpen, circleClose, rectangleOpen, rectangleClose, radial, diagonal, barsSwipe, mod
    case ripple, pixelize, zoom, blur, pageCurl, disintegrate
    /// Any of the others; drawn, it is `dissolve`.
    case random

    /// Every one that looks like something.
    package static let drawn = allCases.filter { $0 != .random }
}

/// The two images of a transition.
package enum TransitionSide: Sendable {
    case old, new
}

/// How a transition's progress follows from time.
package enum Easing: Int32, CaseIterable, Sendable {
    case linear, smooth

    /// Returns the progress at a share of the time; both 0…1.
    package func progress(at time: Double) -> Double {
        let t = time > 0 ? (time < 1 ? time : 1) : 0
        return self == .linear ? t : t * t * (3 - 2 * t)
    }
}
