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
        case .dissolve: "The new picture appears in the old one"
        case .fadeBlack: "The old picture becomes black, and black the new one"
        case .fadeWhite: "The old picture becomes white, and white the new one"
        case .flash: "A flash, out of which the new picture comes"
        case .wipeLeft: "A soft edge goes left, the new picture behind it"
        case .wipeRight: "A soft edge goes right, the new picture behind it"
        case .wipeUp: "A soft edge goes up, the new picture behind it"
        case .wipeDown: "A soft edge goes down, the new picture behind it"
        case .slideLeft: "The new picture slides left, over the old one"
        case .slideRight: "The new picture slides right, over the old one"
        case .slideUp: "The new picture slides up, over the old one"
        case .slideDown: "The new picture slides down, over the old one"
        case .pushLeft: "The new picture pushes the old one left"
        case .pushRight: "The new picture pushes the old one right"
        case .pushUp: "The new picture pushes the old one up"
        case .pushDown: "The new picture pushes the old one down"
        case .circleOpen: "The new picture in a circle that grows"
        case .circleClose: "The old picture in a circle that shrinks"
        case .rectangleOpen: "The new picture in a rectangle that grows"
        case .rectangleClose: "The old picture in a rectangle that shrinks"
        case .radial: "A hand goes round clockwise, the new picture behind it"
        case .diagonal: "A soft edge goes from the top left to the bottom right"
        case .barsSwipe: "Bars of the new picture come from above and below in turn"
        case .mod: "Holes in the old picture grow until nothing is left of it"
        case .ripple: "A wave goes out from the middle, the new picture behind it"
        case .pixelize: "Blocks grow, change to the new picture, and shrink"
        case .zoom: "The old picture comes nearer and becomes the new one"
        case .blur: "The old picture blurs, changes to the new one, which becomes sharp"
        case .pageCurl: "The old picture is turned over like a page"
        case .disintegrate: "The old picture falls apart, by transition-mask or else by noise"
        case .random: "One of the others, by seed"
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
