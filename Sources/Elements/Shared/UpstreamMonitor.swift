// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Warns, once each, if no element upstream looks for what an element works on, or if the findings do not arrive.
struct UpstreamMonitor {
    /// The name of the detector, such as svfacedetect, and what it finds, such as faces.
    private let detector: String
    private let objects: String
    private var start: ClockTime?
    private var isDone = false
    private var loss = LossReport()

    init(detector: String, objects: String) {
        (self.detector, self.objects) = (detector, objects)
    }

    /// Restarts the time after a seek; what was seen or reported stays.
    mutating func restart() { start = nil }

    /// Takes note of a frame.
    /// - Parameters:
    ///   - states: the frame's state for each type that the element works on.
    mutating func check<Settings>(
        _ states: [SearchState], hasDetections: Bool, at time: ClockTime?, _ host: Host<Settings>
    ) {
        if states.contains(.lost) { loss.warn(of: detector, on: host) }
        guard isMissing(hasDetections || states.contains(where: \.isMarked), at: time) else { return }
        if host.upstreamPath(to: detector) != nil {
            loss.warn(of: detector, on: host)
        } else {
            host.post(
                warning: ElementError(
                    .streamFailed,
                    "no \(objects) are marked on the frames: put \(detector) draw=false before \(host.name)"))
        }
    }

    /// Returns true for one frame, after two seconds of stream without a sign of a detector.
    private mutating func isMissing(_ hasDetector: Bool, at time: ClockTime?) -> Bool {
        guard !isDone, let time else { return false }
        if hasDetector {
            isDone = true
            return false
        }
        let begin = start ?? time
        start = begin
        guard let passed = time.since(begin), passed >= 2 * .second else { return false }
        isDone = true
        return true
    }
}

/// Warns once that a detector's findings do not arrive with the frames.
struct LossReport {
    private var isDone = false

    /// - Parameters:
    ///   - detector: the name of the detector's factory.
    ///   - consequence: the effect for users, if it is not obvious.
    mutating func warn<Settings>(
        of detector: String, _ consequence: String? = nil, on host: Host<Settings>
    ) {
        guard !isDone else { return }
        isDone = true
        let path = host.upstreamPath(to: detector)
        var text = "what \(path?.source ?? detector) finds does not come along with the frames"
        if let consequence { text += ", so that \(consequence)" }
        let between = path?.between ?? []
        if between.isEmpty {
            text += ": put \(host.name) directly after it"
        } else {
            let names = between.joined(separator: ", ")
            text +=
                ": \(between.count > 1 ? "one of " : "")\(names) changes or loses it; put \(host.name) before that, "
                + "directly after the detector"
        }
        host.post(warning: ElementError(.streamFailed, text))
    }
}
