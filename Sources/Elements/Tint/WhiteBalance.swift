// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters
import Imaging
import Vision

/// A white balance that adapts to the frames over time.
///
/// The colours are analysed ten times per second of the stream. The gains then approach the result exponentially, so
/// that noise and short-lived objects do not cause flicker. The first frame gets its exact gains immediately.
struct WhiteBalance {
    /// The gains of the last frame.
    private(set) var last = ChannelGains()
    private var target = ChannelGains()
    private var mode = Tint.Balance.none
    private var time = 0.0
    /// The time of the last analysis, in seconds.
    private var looked = 0.0
    /// True after an error in the current mode. No further attempt is made until the mode changes.
    private var hasFailed = false
    private let sample = ColorSample()

    private static let period = 0.1

    /// Returns the white balance gains of a frame.
    /// - Parameters:
    ///   - time: the `elapsed` time of the frame, in seconds.
    ///   - settling: the time constant. After this time, the gains have made 63 % (1 − 1/e) of a change. If 0, each
    ///     frame gets its exact gains.
    mutating func gains(
        of frame: FrameImage, _ mode: Tint.Balance, at time: Double, settlingIn settling: ClockTime
    ) throws -> ChannelGains {
        let isNew = mode != self.mode
        let passed = time - self.time
        self.time = time
        self.mode = mode
        guard mode != .none else {
            last = ChannelGains()
            return last
        }
        if isNew { hasFailed = false }
        if hasFailed { return last }
        if isNew || settling == .zero || time < looked || time - looked >= Self.period {
            looked = time
            do {
                target = try look(at: frame, mode)
            } catch {
                hasFailed = true
                throw error
            }
        }
        let share =
            1
            - exponential(-max(0, passed) * Double(ClockTime.second.nanoseconds) / Double(max(1, settling.nanoseconds)))
        last = isNew || settling == .zero ? target : last.moved(towards: target, by: share)
        return last
    }

    private func look(at frame: FrameImage, _ mode: Tint.Balance) throws -> ChannelGains {
        // A grey frame has no colours to balance. Only the mode `simple` has an effect: it stretches the range of the
        // grey levels.
        if frame.format.isGray, mode != .simple { return ChannelGains() }
        sample.take(frame)
        switch mode {
        case .none: return ChannelGains()
        case .grayWorld: return sample.grayWorld
        case .simple: return sample.stretch
        case .learned: return try Self.learned(sample.image) ?? ChannelGains()
        }
    }

    private static func learned(_ image: Image) throws -> ChannelGains? {
        do {
            return try learnedBalance(of: image)
        } catch {
            throw ElementError(
                .failed,
                "white-balance=learned is not available. Install OpenCV's module xphoto (Debian: libopencv-contrib406), "
                    + "or use gray-world or simple.", details: "\(error)")
        }
    }

    /// Throws `ElementError` if OpenCV has no learned white balance.
    static func checkLearned() throws {
        let picture = OwnedImage(.rgb, width: 64, height: 64)
        fill(picture.image, color: 0xFF80_8080)
        _ = try withExtendedLifetime(picture) { try learned(picture.image) }
    }
}
