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
        (.linear, "Constant speed"), (.smooth, "Slow start and end"),
    ]
}

extension Switch {
    struct Settings: SnapshotSettings {
        var active: UInt32 = 0
        /// The number of the input that `take` and `cut` switch to; negative if there is none.
        var preview: Int32 = -1
        var position = 0.0 {
            didSet { if position <= 0 { rests &+= 1 } }
        }
        /// The number of times that `position` was set to 0. After a manual transition has ended, the next manual
        /// transition can start only when this number has changed.
        private(set) var rests: UInt32 = 0
        /// The input that the action `cut` has selected; nil after the switch to this input. Not a property.
        var cut: UInt32?
        var transition = Transition.dissolve
        var duration = ClockTime.second
        var easing = Easing.smooth
        var every = ClockTime.zero
        var followsClips = false
        var seed: UInt32 = 0
        var timeout = ClockTime.second
        var mask = Assigned<String>()
        var backgroundColor = Color.black
        var message = MessagePolicy.onChange
        var keys = true
        var threads: UInt32 = 0
        var snapshotLocation: String?

        var postsMessages: Bool { message != .none }
    }

    static let properties: [Property<Settings>] = [
        Property(
            "active", \.active, in: 0...UInt32(Int32.max),
            "Number of the active input, which svswitch shows (3 = sink_3). A new value starts a transition to the new "
                + "input"),
        Property(
            "preview", \.preview, in: -1...Int32.max,
            "Number of the preview input, to which the actions take and cut switch (3 = sink_3, -1 = none). After the "
                + "switch, the previous input becomes the preview"),
        Property(
            "position", \.position, in: 0...1,
            "Position of a manual transition from the active input to the preview input. A value above 0 starts the "
                + "transition, 1 finishes it, and 0 cancels it",
            flags: .animated),
        Property(
            "transition", \.transition,
            "Type of the transition between two inputs. A new value does not affect a transition that has started"),
        Property("duration", \.duration, "Duration of a transition, in nanoseconds (0 = cut, 500000000 = 500 ms)"),
        Property("easing", \.easing, "Easing of the transition"),
        Property(
            "every", \.every,
            "Time from the end of a transition to the next automatic switch, in nanoseconds "
                + "(0 = off, 5000000000 = 5 s)"),
        Property(
            "follow", \.followsClips,
            "Switch to the next input at the end of the active input's clip. The transition ends together with the "
                + "clip (used only with svclip)"),
        Property(
            "seed", \.seed, in: 0...UInt32.max,
            "Seed of the random choice with transition=random, and of the noise with transition=disintegrate"
        ),
        Property(
            "timeout", \.timeout,
            "Maximum time without frames from the active input, in nanoseconds (1000000000 = 1 s). After this time, "
                + "svswitch switches to another input"),
        Property(
            "transition-mask", \.mask,
            "Image file for transition=disintegrate, which changes dark pixels of this image first (if not set: noise)",
            text: .file(.image)),
        .color(
            "background-color", \.backgroundColor, "Colour around inputs and behind transparent parts of inputs"),
        Property("message", \.message, "When to post element messages about transitions and inputs"),
        Property(
            "keys", \.keys,
            "React to keys in the video window: n = next input, p = previous input, 0 to 9 = input with this number, "
                + "t = next transition"),
        .snapshotLocation,
        .threads(\.threads),
    ]

    static let actions: [Action<Switch>] = [
        Action("next", "Switch to the next input that sends frames") { (element: Switch) in element.step(1) },
        Action("previous", "Switch to the previous input that sends frames") { (element: Switch) in element.step(-1) },
        Action("switch-to", "Switch to the input with this number", ActionArgument("number")) {
            (element: Switch, number: UInt32) in
            element.go(to: number)
        },
        Action(
            "take", "Switch to the preview input with the transition. The previous input becomes the preview"
        ) { (element: Switch) in element.take() },
        Action(
            "cut", "Switch to the preview input without a transition. The previous input becomes the preview"
        ) { (element: Switch) in element.take(cuts: true) },
        .snapshot,
    ]
}
