// SPDX-License-Identifier: LGPL-2.1-or-later
/// Ways to go over from one picture to another, in the order in which users see them. Where something moves, the name says
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

    /// One line for users.
    package var blurb: String {
        switch self {
        case .dissolve: "The new input fades in over the old input"
        case .fadeBlack: "The old input fades to black, then the new input fades in"
        case .fadeWhite: "The old input fades to white, then the new input fades in"
        case .flash: "A white flash changes the old input to the new input"
        case .wipeLeft: "A soft edge moves left and reveals the new input"
        case .wipeRight: "A soft edge moves right and reveals the new input"
        case .wipeUp: "A soft edge moves up and reveals the new input"
        case .wipeDown: "A soft edge moves down and reveals the new input"
        case .slideLeft: "The new input slides left over the old input"
        case .slideRight: "The new input slides right over the old input"
        case .slideUp: "The new input slides up over the old input"
        case .slideDown: "The new input slides down over the old input"
        case .pushLeft: "The new input pushes the old input left"
        case .pushRight: "The new input pushes the old input right"
        case .pushUp: "The new input pushes the old input up"
        case .pushDown: "The new input pushes the old input down"
        case .circleOpen: "A growing circle reveals the new input"
        case .circleClose: "The old input disappears in a shrinking circle"
        case .rectangleOpen: "A growing rectangle reveals the new input"
        case .rectangleClose: "The old input disappears in a shrinking rectangle"
        case .radial: "A clock hand turns clockwise and reveals the new input"
        case .diagonal: "A soft edge moves from the top left to the bottom right and reveals the new input"
        case .barsSwipe: "Bars of the new input enter alternately from above and below"
        case .mod: "Growing holes in the old input reveal the new input"
        case .ripple: "A wave moves out from the centre and reveals the new input"
        case .pixelize: "The old input turns into large blocks and fades to the new input"
        case .zoom: "The old input grows and fades to the new input"
        case .blur: "The old input becomes blurred and fades to the new input"
        case .pageCurl: "The old input turns over like a page"
        case .disintegrate: "Small parts change to the new input, in the order of transition-mask or noise"
        case .random: "A random transition for each switch"
        }
    }
}

/// The two pictures of a transition.
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
