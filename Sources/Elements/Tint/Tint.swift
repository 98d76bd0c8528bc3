// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters
import Imaging
import Vision

/// `svtint` multiplies red, green and blue by one gain each, and balances white.
///
///     gst-launch-1.0 videotestsrc ! svtint random=true ! videoconvert ! autovideosink
final class Tint: VideoFilter, SnapshotElement {
    static let metadata = ElementMetadata(
        name: "svtint", longName: "Tint", category: .effect,
        description: "Tints the video by fixed or random gains for red, green and blue, and adjusts the white balance")
    static let formats = FrameFormat.all

    let host: Host<Settings>

    struct State {
        var random: RandomTint?
        var balance = WhiteBalance()
        let filter = ColorGainFilter()
        // The gains for the current frame. `prepare` sets this value for `transform`.
        var gains = ChannelGains()
    }

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings) throws -> State {
        if settings.whiteBalance == .learned { try WhiteBalance.checkLearned() }
        return State()
    }

    func configure(_ state: inout State, for video: VideoFormat) {
        state.balance = WhiteBalance()
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        state.gains = ChannelGains(red: settings.red, green: settings.green, blue: settings.blue)
        if settings.random {
            if state.random?.seed != settings.seed { state.random = RandomTint(seed: settings.seed) }
            let beat =
                frame.time.position.seconds * Double(ClockTime.second.nanoseconds)
                / Double(max(1, settings.interval.nanoseconds))
            if let tint = state.random?.gains(at: beat, settings.transition) {
                state.gains = tint.then(state.gains)
            }
        } else {
            // `random` is off, so forget the current sequence of tints. If `random` is set again, a new sequence
            // starts, unless the user has set a seed.
            state.random = nil
        }
        return state.gains.isIdentity && settings.whiteBalance == .none ? .passThrough : .transform
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) {
        var gains = state.gains
        do {
            gains = try state.balance.gains(
                of: frame.pixels, settings.whiteBalance, at: frame.time.elapsed.seconds,
                settlingIn: settings.balanceTime
            ).then(gains)
        } catch {
            // After an error, the stream continues with the white balance of the last frame.
            host.post(warning: error)
            gains = state.balance.last.then(gains)
        }
        if !gains.isIdentity { state.filter.apply(gains, to: frame.pixels) }
    }

    func discontinuity(_ state: inout State) { state.balance = WhiteBalance() }
}

/// Random gains that depend only on the seed and the stream time, so that each position in the stream has the same
/// gains after a seek.
struct RandomTint {
    let seed: UInt32
    private let key: UInt64

    /// - Parameter seed: 0 for a different sequence in each run.
    init(seed: UInt32) {
        self.seed = seed
        // Distribute the seed over all 64 bits, so that no sequence is part of another sequence.
        var random = SeededRandom(seed: UInt64(seed))
        key = seed == 0 ? .random(in: .min ... .max) : random.next()
    }

    /// Returns the gains at a stream time.
    /// - Parameter beat: the stream time divided by the interval between tints.
    func gains(at beat: Double, _ transition: Tint.Transition) -> ChannelGains {
        let number = floored(beat)
        let gains = gains(number)
        guard transition == .smooth else { return gains }
        // Smoothstep: the gains change slowly near the start and the end of a transition between two tints.
        let share = min(1, max(0, beat - Double(number)))
        return gains.moved(towards: self.gains(number + 1), by: share * share * (3 - 2 * share))
    }

    private func gains(_ number: Int) -> ChannelGains {
        var random = SeededRandom(seed: key ^ UInt64(bitPattern: Int64(number)) &* 0xD1B5_4A32_D192_ED03)
        let (red, green) = (random.between(0.5, 1.5), random.between(0.6, 1.4))
        return ChannelGains(red: red, green: green, blue: random.between(0.4, 1.6))
    }
}
