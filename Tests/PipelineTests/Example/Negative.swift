// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Synchronization

/// `svnegative` turns the stream into its photographic negative.
///
///     gst-launch-1.0 videotestsrc ! svnegative strength=0.8 ! videoconvert ! autovideosink
final class Negative: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svnegative", longName: "Negative", category: .effect,
        description: "Turns the stream into its photographic negative")
    static let formats = FrameFormat.allPacked

    struct Settings: ElementSettings {
        var strength = 1.0
    }

    static let properties: [Property<Settings>] = [
        Property(
            "strength", \.strength, in: 0...1,
            "Strength of the effect: 0 = unchanged, 0.5 = uniform grey, 1 = negative", flags: .animated)
    ]

    static let actions: [Action<Negative>] = [
        Action("toggle", "Turn the effect off or on, and return true if it is on") { (negative: Negative) in
            negative.isOn.withLock { isOn in
                isOn.toggle()
                return isOn
            }
        }
    ]

    private let isOn = Mutex(true)

    init(host: Host<Settings>) {}

    struct State {
        var strength = 0.0
        /// The output value for each input value, at the current strength.
        var table = [UInt8](0...255)
    }

    func start(_ settings: Settings) -> State { State() }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        guard isOn.withLock({ $0 }), settings.strength > 0 else { return .passThrough }
        if settings.strength != state.strength {
            state.strength = settings.strength
            state.table = (0...255).map { UInt8(Double($0) + (255 - 2 * Double($0)) * settings.strength + 0.5) }
        }
        return .transform
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) {
        guard let image = frame.image else { return }
        // In GRAY8, red, green and blue are the same byte.
        let channels = Set([image.format.red, image.format.green, image.format.blue])
        for y in 0..<image.height {
            let row = image.row(y)
            for channel in channels {
                for x in stride(from: channel, to: image.rowBytes, by: image.format.bytesPerPixel) {
                    row[x] = state.table[Int(row[x])]
                }
            }
        }
    }
}
