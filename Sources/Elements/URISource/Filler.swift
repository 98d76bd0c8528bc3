// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// Creates the output frames while no camera frames arrive.
struct Filler {
    /// The caps of the last camera frame.
    private var caps: StreamCaps?
    private var lastFrame: StreamFrame?
    private var card: (content: SignalCard, frame: StreamFrame)?
    /// The time of the last filler frame in the current outage.
    private var sent: ClockTime?

    /// Records a frame of the camera.
    /// - Parameter keeps: true to keep a copy of the frame for repetition.
    mutating func note(_ frame: StreamFrame, keeps: Bool) {
        if caps != frame.caps { card = nil }
        caps = frame.caps
        lastFrame = keeps ? frame.copy() : nil
    }

    /// Makes the next filler frame due immediately. Called when an outage begins, or when the reason of the outage
    /// changes.
    mutating func reset() { sent = nil }

    func due(_ settings: URISource.Settings) -> ClockTime {
        guard settings.onLoss != .nothing, settings.onLoss == .card || lastFrame != nil else { return .max }
        return sent.map { $0 + interval(settings) } ?? .zero
    }

    /// Returns the interval between filler frames. The camera's frame rate determines the interval, up to 120 frames
    /// per second. If this rate is unknown or below 0.1 frames per second, `card-framerate` determines the interval.
    private func interval(_ settings: URISource.Settings) -> ClockTime {
        guard let rate = caps?.format?.frameRate, rate >= 0.1 else {
            return ClockTime.second / UInt64(max(1, settings.cardFramerate))
        }
        return max(ClockTime.second / 120, ClockTime(nearest: 1e9 / rate))
    }

    /// Returns the filler frame to send at this time; nil if no frame is due.
    mutating func frame(
        at time: ClockTime, _ settings: URISource.Settings, _ reason: LossReason?, _ host: Host<URISource.Settings>
    ) -> StreamFrame? {
        let due = due(settings)
        guard due <= time else { return nil }
        if caps == nil {
            let size = PixelSize(width: settings.cardWidth, height: settings.cardHeight)
            caps = host.allowedCaps?.nearest(to: size, framesPerSecond: settings.cardFramerate)
        }
        let interval = interval(settings)
        // Counts the next interval from the due time, so that the intervals are exact. After a delay of one interval or
        // more, counts from the current time.
        sent = sent != nil && time < due + interval ? due : time
        let frame = settings.onLoss == .card ? card(settings, reason) : lastFrame?.copy()
        frame?.duration = interval
        return frame
    }

    private mutating func card(_ settings: URISource.Settings, _ reason: LossReason?) -> StreamFrame? {
        guard let caps else { return nil }
        let content = SignalCard(
            heading: settings.cardText ?? "", name: settings.cardName, reason: reason.map(\.text) ?? "")
        if card?.content != content || card?.frame.caps != caps {
            card = content.frame(caps).map { (content, $0) }
        }
        return card?.frame.copy()
    }
}
