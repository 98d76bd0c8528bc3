// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters
import Imaging
import Vision

/// A white balance that follows the picture.
///
/// The colours are analysed ten times a second of the stream, which is often enough. The gains then approach the result
/// exponentially, so that neither noise nor something that passes through the picture makes it flicker; the first frame
/// has its own gains immediately.
struct WhiteBalance {
    /// The gains used for the last frame.
    private(set) var last = ChannelGains()
    private var target = ChannelGains()
    private var mode = Tint.Balance.none
    private var time = 0.0
    /// The time of the last analysis.
    private var looked = 0.0
    /// True if the mode has failed; it is not tried again until another one is set.
    private var hasFailed = false
    private let sample = ColorSample()

    private static let period = 0.1

    /// - Parameters:
    ///   - time: the frame's `elapsed`, in seconds.
    ///   - settling: nanoseconds after which two thirds (1 − 1/e) of a change are done; 0: gains of each frame alone.
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
        // A grey channel has no white balance, but it can be stretched.
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

    /// Throws if there is no learned balance.
    static func checkLearned() throws {
        let picture = OwnedImage(.rgb, width: 64, height: 64)
        fill(picture.image, color: 0xFF80_8080)
        _ = try withExtendedLifetime(picture) { try learned(picture.image) }
    }
}
