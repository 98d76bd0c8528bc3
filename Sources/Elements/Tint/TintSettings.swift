// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension Tint {
    struct Settings: SnapshotSettings {
        var red = 1.0
        var green = 1.0
        var blue = 1.0
        var random = false
        var interval = 2 * ClockTime.second
        var seed: UInt32 = 0
        var transition = Transition.smooth
        var whiteBalance = Balance.none
        var balanceTime = ClockTime.second
        var snapshotLocation: String?
    }

    static let properties: [Property<Settings>] = [
        Property("red", \.red, in: 0...4, "Gain of red", flags: .animated),
        Property("green", \.green, in: 0...4, "Gain of green", flags: .animated),
        Property("blue", \.blue, in: 0...4, "Gain of blue", flags: .animated),
        Property("random", \.random, "Multiply the gains by a random tint. The tint changes after each interval"),
        Property(
            "interval", \.interval,
            "Interval between random tints, in nanoseconds of stream time (0 = a new tint in each frame, "
                + "2000000000 = 2 s)"),
        Property(
            "seed", \.seed, in: 0...UInt32.max,
            "Seed of the random tints (0 = different tints in each run). The same seed gives the same tints"),
        Property("transition", \.transition, "Transition between random tints"),
        Property(
            "white-balance", \.whiteBalance,
            "Method of the white balance. svtint applies the white balance before the gains"),
        Property(
            "balance-time", \.balanceTime,
            "Time constant of the white balance, in nanoseconds (0 = balance each frame separately, "
                + "1000000000 = 1 s)"),
        .snapshotLocation,
    ]

    enum Transition: Int32, PropertyEnum {
        case smooth, step
        static let typeName = "GstSvTintTransition"

        static let members: [(value: Self, blurb: String)] = [
            (.smooth, "Gradual change during each interval"),
            (.step, "Sudden change after each interval"),
        ]
    }

    enum Balance: Int32, PropertyEnum {
        case none, grayWorld, simple, learned
        static let typeName = "GstSvWhiteBalance"

        static let members: [(value: Self, blurb: String)] = [
            (.none, "No white balance"), (.grayWorld, "Make the mean values of red, green and blue equal"),
            (.simple, "Stretch red, green and blue to the whole range of 0 to 255"),
            (.learned, "Estimate the colour of the light with OpenCV's learned model (needs OpenCV's module xphoto)"),
        ]
    }
}
