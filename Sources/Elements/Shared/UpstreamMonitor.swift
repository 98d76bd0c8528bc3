// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Warns if no element upstream detects the objects that an element needs, or if the detections do not arrive.
///
/// Each warning is posted at most once: two seconds after the start of the stream, or at the end of a shorter stream.
/// Detectors attach search marks (metadata about the search) to frames. If these marks show earlier that detections are
/// missing, the monitor posts the warning immediately.
struct UpstreamMonitor {
    /// The names of elements that detect the required objects, such as svfacedetect. One of these elements upstream is
    /// enough.
    private let detectors: [String]
    /// The name of the detected objects in warnings, such as faces.
    private let objects: String
    private var hasFrame = false
    private var isDone = false
    private var loss = LossReport()

    init(detectors: [String], objects: String) {
        (self.detectors, self.objects) = (detectors, objects)
    }

    /// Checks a frame for detections and search marks (metadata about the search of a detector).
    /// - Parameters:
    ///   - states: the search states of the frame, for each type of object that the element needs.
    ///   - time: the `elapsed` time of the frame.
    mutating func check<Settings>(
        _ states: [SearchState], hasDetections: Bool, at time: ClockTime, _ host: Host<Settings>
    ) {
        if states.contains(.lost), let detector = detectors.first { loss.warn(of: detector, on: host) }
        hasFrame = true
        if hasDetections || states.contains(where: \.isMarked) { isDone = true }
        if !isDone, time >= 2 * .second { warn(host) }
    }

    /// Handles the end of the stream. Posts the warning if the stream had frames, but neither detections nor search
    /// marks.
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

/// Posts one warning if the detections of a detector do not arrive with the frames.
struct LossReport {
    private var isDone = false

    /// - Parameters:
    ///   - detector: the factory name of the detector.
    ///   - consequence: the effect for the user; nil if the effect is obvious.
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
