// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Transitions

extension Transition: PropertyEnum {
    package static var typeName: String { "GstSvTransition" }
    package static let members = allCases.map { (value: $0, blurb: $0.blurb) }
}

extension Easing: PropertyEnum {
    package static var typeName: String { "GstSvEasing" }
    package static let members: [(value: Self, blurb: String)] = [
        (.linear, "At an even pace"), (.smooth, "Slowly at the beginning and at the end"),
    ]
}

extension Switch {
    struct Settings: ElementSettings {
        var active: UInt32 = 0
        var transition = Transition.dissolve
        var duration = ClockTime.second
        var easing = Easing.smooth
        var every = ClockTime.zero
        var seed: UInt32 = 0
        var timeout = ClockTime.second
        var mask = Assigned<String>()
        var backgroundColor = Color.black
        var message = MessagePolicy.onChange
        var keys = true
        var threads: UInt32 = 0
    }

    static let properties: [Property<Settings>] = [
        Property(
            "active", \.active, in: 0...UInt32(Int32.max), "Number of the input that is on, or to which it goes over"),
        Property("transition", \.transition, "How it goes over from one input to the next"),
        Property("duration", \.duration, "Time that a transition takes, in nanoseconds; 0: a cut"),
        Property("easing", \.easing, "How a transition gets on"),
        Property(
            "every", \.every,
            "Time in nanoseconds from the end of a transition to the next one, round and round; 0: never"),
        Property(
            "seed", \.seed, in: 0...UInt32.max, "What transition=random and the noise of disintegrate follow from"),
        Property(
            "timeout", \.timeout,
            "Time in nanoseconds after which the next input is shown if the one that is on sends nothing"),
        Property(
            "transition-mask", \.mask, "Picture file for disintegrate, whose dark parts go first; none: noise",
            text: .file(.image)),
        .color("background-color", \.backgroundColor, "What is seen where the input that is on does not reach"),
        Property("message", \.message, "When to post element messages about transitions and inputs"),
        Property("keys", \.keys, "Listen to keys in the video window (n p t 0 to 9)"),
        .threads(\.threads),
    ]

    static let actions: [Action<Switch>] = [
        Action("next", "The next input that sends frames goes on") { (element: Switch) in element.step(1) },
        Action("previous", "The previous input that sends frames goes on") { (element: Switch) in element.step(-1) },
        Action("switch-to", "This input goes on", ActionArgument("number")) { (element: Switch, number: UInt32) in
            element.go(to: number)
        },
    ]
}
