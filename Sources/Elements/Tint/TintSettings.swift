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
        .double("red", \.red, in: 0...4, nick: "Red", blurb: "Factor of red"),
        .double("green", \.green, in: 0...4, nick: "Green", blurb: "Factor of green"),
        .double("blue", \.blue, in: 0...4, nick: "Blue", blurb: "Factor of blue"),
        .boolean(
            "random", \.random, nick: "Random", blurb: "Multiply by a random tint, too, a new one after each interval"),
        .uint64(
            "interval", \.interval, in: 0...UInt64.max, nick: "Interval",
            blurb: "Stream time in nanoseconds from one random tint to the next; 0: another one with each frame"),
        .uint(
            "seed", \.seed, in: 0...UInt32.max, nick: "Seed",
            blurb: "Which sequence of random tints; the same number gives the same in each run; 0: any",
            flags: .mutablePlaying),
        .enumeration(
            "transition", \.transition, nick: "Transition", blurb: "How one random tint becomes the next"),
        .enumeration(
            "white-balance", \.whiteBalance, nick: "White balance",
            blurb: "How the cast of the light is taken off before the gains"),
        .uint64(
            "balance-time", \.balanceTime, in: 0...UInt64.max, nick: "Balance time",
            blurb:
                "Time constant in nanoseconds by which the white balance follows the picture; 0: each frame for itself"),
    ]

    enum Transition: Int32, PropertyEnum {
        case smooth, step
        static let typeName = "GstSvTintTransition"

        var blurb: String {
            switch self {
            case .smooth: "It glides over the whole interval"
            case .step: "It stays for the interval, then jumps"
            }
        }
    }

    enum Balance: Int32, PropertyEnum {
        case none, grayWorld, simple, learned
        static let typeName = "GstSvWhiteBalance"

        var blurb: String {
            switch self {
            case .none: "As it is"
            case .grayWorld: "The means of red, green and blue become equal"
            case .simple: "Each of red, green and blue is stretched over the whole range"
            case .learned: "OpenCV's estimate by a learned model (needs its module xphoto)"
            }
        }
    }
}
