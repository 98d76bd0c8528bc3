// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Warns, once each, if no element upstream looks for what an element works on, or if the findings do not arrive: after
/// two seconds of stream, or at its end if that comes before.
struct UpstreamMonitor {
    /// The names of the detectors of which one is needed, such as svfacedetect.
    private let detectors: [String]
    /// What they find, such as faces.
    private let objects: String
    private var hasFrame = false
    private var isDone = false
    private var loss = LossReport()

    init(detectors: [String], objects: String) {
        (self.detectors, self.objects) = (detectors, objects)
    }

    /// Takes note of a frame.
    /// - Parameters:
    ///   - states: the frame's state for each type that the element works on.
    ///   - time: the frame's `elapsed`.
    mutating func check<Settings>(
        _ states: [SearchState], hasDetections: Bool, at time: ClockTime, _ host: Host<Settings>
    ) {
        if states.contains(.lost), let detector = detectors.first { loss.warn(of: detector, on: host) }
        hasFrame = true
        if hasDetections || states.contains(where: \.isMarked) { isDone = true }
        if !isDone, time >= 2 * .second { warn(host) }
    }

    /// Takes note of the end of the stream.
    mutating func end<Settings>(_ host: Host<Settings>) {
        if hasFrame, !isDone { warn(host) }
    }

    private mutating func warn<Settings>(_ host: Host<Settings>) {
        isDone = true
        if let detector = detectors.first(where: { host.upstreamPath(to: $0) != nil }) {
            loss.warn(of: detector, on: host)
        } else if let detector = detectors.first {
            let names = detectors.count > 1 ? "a detector, such as \(detector) draw=false," : "\(detector) draw=false"
            host.post(
                warning: ElementError(
                    .streamFailed, "no element upstream detects \(objects). Put \(names) before \(host.name)."))
        }
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
        var text = "the detections of \(path?.source ?? detector) do not arrive with the frames"
        if let consequence { text += ", so \(consequence)" }
        let between = path?.between ?? []
        if between.isEmpty {
            text += ". Put \(host.name) directly after the detector."
        } else {
            let names = between.joined(separator: ", ")
            text +=
                ": \(between.count > 1 ? "one of " : "")\(names) changes or removes the detections. Put "
                + "\(host.name) directly after the detector."
        }
        host.post(warning: ElementError(.streamFailed, text))
    }
}
