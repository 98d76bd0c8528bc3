// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging

struct TransitionDefinition {
    /// A one-line description for users.
    let blurb: String
    let effect: any TransitionEffect

    init(_ blurb: String, _ effect: any TransitionEffect) { (self.blurb, self.effect) = (blurb, effect) }
}

extension Transition {
    /// A one-line description for users.
    package var blurb: String { definition.blurb }

    /// The description and the effect of each transition.
    var definition: TransitionDefinition {
        switch self {
        case .dissolve: TransitionDefinition("The new input fades in over the old input", Dissolve())
        case .fadeBlack:
            TransitionDefinition(
                "The old input fades to black, then the new input fades in", Fade(through: .black))
        case .fadeWhite:
            TransitionDefinition(
                "The old input fades to white, then the new input fades in", Fade(through: .white))
        case .flash: TransitionDefinition("A white flash changes the old input to the new input", Flash())
        case .wipeLeft:
            TransitionDefinition(
                "A soft edge moves left and reveals the new input", Pattern(softness: 0.1, Pattern.left))
        case .wipeRight:
            TransitionDefinition(
                "A soft edge moves right and reveals the new input", Pattern(softness: 0.1, Pattern.right))
        case .wipeUp:
            TransitionDefinition(
                "A soft edge moves up and reveals the new input", Pattern(softness: 0.1, Pattern.up))
        case .wipeDown:
            TransitionDefinition(
                "A soft edge moves down and reveals the new input", Pattern(softness: 0.1, Pattern.down))
        case .slideLeft: TransitionDefinition("The new input slides left over the old input", Motion(.left))
        case .slideRight: TransitionDefinition("The new input slides right over the old input", Motion(.right))
        case .slideUp: TransitionDefinition("The new input slides up over the old input", Motion(.up))
        case .slideDown: TransitionDefinition("The new input slides down over the old input", Motion(.down))
        case .pushLeft: TransitionDefinition("The new input pushes the old input left", Motion(.left, pushes: true))
        case .pushRight: TransitionDefinition("The new input pushes the old input right", Motion(.right, pushes: true))
        case .pushUp: TransitionDefinition("The new input pushes the old input up", Motion(.up, pushes: true))
        case .pushDown: TransitionDefinition("The new input pushes the old input down", Motion(.down, pushes: true))
        case .circleOpen:
            TransitionDefinition(
                "A growing circle reveals the new input", Pattern(softness: 0.05, Pattern.circle))
        case .circleClose:
            TransitionDefinition(
                "The old input disappears in a shrinking circle",
                Pattern(softness: 0.05, Pattern.circle, isReversed: true))
        case .rectangleOpen:
            TransitionDefinition(
                "A growing rectangle reveals the new input", Pattern(softness: 0.05, Pattern.rectangle))
        case .rectangleClose:
            TransitionDefinition(
                "The old input disappears in a shrinking rectangle",
                Pattern(softness: 0.05, Pattern.rectangle, isReversed: true))
        case .radial:
            TransitionDefinition(
                "A clock hand turns clockwise and reveals the new input", Pattern(softness: 0.05, Pattern.clock))
        case .diagonal:
            TransitionDefinition(
                "A soft edge moves from the top left to the bottom right and reveals the new input",
                Pattern(softness: 0.1, Pattern.diagonal))
        case .barsSwipe:
            TransitionDefinition(
                "Bars of the new input enter alternately from above and below", Pattern(softness: 0.05, Pattern.bars))
        case .mod:
            TransitionDefinition(
                "Growing holes in the old input reveal the new input", Pattern(softness: 0.1, Pattern.holes))
        case .ripple: TransitionDefinition("A wave moves out from the centre and reveals the new input", Ripple())
        case .pixelize:
            TransitionDefinition(
                "The old input turns into large blocks and fades to the new input", Pixelize())
        case .zoom: TransitionDefinition("The old input grows and fades to the new input", Zoom())
        case .blur: TransitionDefinition("The old input becomes blurred and fades to the new input", Blur())
        case .pageCurl: TransitionDefinition("The old input turns over like a page", PageCurl())
        case .disintegrate:
            TransitionDefinition(
                "The new input appears first where transition-mask is dark (if not set: random noise)", Disintegrate())
        case .random: TransitionDefinition("A random transition for each switch", Dissolve())
        }
    }
}
