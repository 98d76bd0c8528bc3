// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// What is sent while no frames come.
struct Filler {
    /// The caps of the last frame.
    private var caps: StreamCaps?
    private var lastFrame: StreamFrame?
    private var card: (content: SignalCard, frame: StreamFrame)?
    /// When the last one was sent, in this outage.
    private var sent: ClockTime?

    /// Takes note of a frame of the camera.
    mutating func note(_ frame: StreamFrame, keeps: Bool) {
        if caps != frame.caps { card = nil }
        caps = frame.caps
        lastFrame = keeps ? frame.copy() : nil
    }

    /// An outage begins, or has another reason.
    mutating func reset() { sent = nil }

    func due(_ settings: URISource.Settings) -> ClockTime {
        guard settings.onLoss != .nothing, settings.onLoss == .card || lastFrame != nil else { return .max }
        return sent.map { $0 + interval(settings) } ?? .zero
    }

    /// The camera's rate, if it is known and can be kept up.
    private func interval(_ settings: URISource.Settings) -> ClockTime {
        guard let rate = caps?.format?.frameRate, rate >= 0.1 else {
            return ClockTime.second / UInt64(max(1, settings.cardFramerate))
        }
        return max(ClockTime.second / 120, ClockTime(nearest: 1e9 / rate))
    }

    /// Returns what is to be sent now; nil if nothing is due.
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
        // In step, unless something has held it up.
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
