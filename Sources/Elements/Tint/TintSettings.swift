// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension Tint {
    struct Settings: ElementSettings {
        var red = 1.0
        var green = 1.0
        var blue = 1.0
        var random = false
        var interval = 2 * ClockTime.second
        var seed: UInt32 = 0
        var transition = Transition.smooth
        var whiteBalance = Balance.none
        var balanceTime = ClockTime.second
    }

    static let properties: [Property<Settings>] = [
        Property("red", \.red, in: 0...4, "Factor of red", flags: .animated),
        Property("green", \.green, in: 0...4, "Factor of green", flags: .animated),
        Property("blue", \.blue, in: 0...4, "Factor of blue", flags: .animated),
        Property("random", \.random, "Multiply by a random tint, too, a new one after each interval"),
        Property(
            "interval", \.interval,
            "Time from one random tint to the next, in nanoseconds of stream time; 0: another one with each frame"),
        Property(
            "seed", \.seed, in: 0...UInt32.max,
            "Which sequence of random tints; the same number gives the same in each run; 0: any"),
        Property("transition", \.transition, "How one random tint becomes the next"),
        Property("white-balance", \.whiteBalance, "How the cast of the light is taken off before the gains"),
        Property(
            "balance-time", \.balanceTime,
            "Time constant in nanoseconds by which the white balance follows the picture; 0: each frame for itself"),
    ]

    enum Transition: Int32, PropertyEnum {
        case smooth, step
        static let typeName = "GstSvTintTransition"

        static let members: [(value: Self, blurb: String)] = [
            (.smooth, "It glides over the whole interval"), (.step, "It stays for the interval, then jumps"),
        ]
    }

    enum Balance: Int32, PropertyEnum {
        case none, grayWorld, simple, learned
        static let typeName = "GstSvWhiteBalance"

        static let members: [(value: Self, blurb: String)] = [
            (.none, "As it is"), (.grayWorld, "The means of red, green and blue become equal"),
            (.simple, "Each of red, green and blue is stretched over the whole range"),
            (.learned, "OpenCV's estimate by a learned model (needs its module xphoto)"),
        ]
    }
}
