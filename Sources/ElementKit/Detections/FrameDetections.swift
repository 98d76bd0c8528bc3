// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

extension DetectionMeta {
    init(_ frame: Frame) { self.init(buffer: frame.buffer, size: frame.size) }
}

extension Frame {
    /// Detections by elements upstream, without possible ones.
    package var detections: [Detection] { DetectionMeta(self).detections(truth: false) }

    /// True if there are any detections, of whatever type.
    package var hasDetections: Bool { DetectionMeta(self).hasRegions }

    /// The objects known to be in the frame, from a drawn scene; for tests.
    package var truth: [Detection] { DetectionMeta(self).detections(truth: true) }

    /// Puts detections on the frame, for elements downstream. One whose id is there already gets the new landmarks,
    /// outline and classifications, and keeps its others. What lies outside the frame is cut off.
    /// - Parameters:
    ///   - types: the types for which the element searches the stream.
    ///   - isComplete: true if the whole frame was searched for them, and everything found is among the detections.
    ///   - methods: what searches for the types, if it matters.
    /// - Returns: the detections as they are in the metadata now: cut off, without those outside.
    @discardableResult
    package func attach(
        _ detections: [Detection], searchedFor types: [Detection.Kind] = [], isComplete: Bool = false,
        by methods: [Detection.Kind: SearchMethod] = [:]
    ) -> [Detection] {
        DetectionMeta(self).attach(
            detections, searched: isComplete ? types : [], unsearched: isComplete ? [] : types, by: methods)
    }
}

extension Frame {
    /// Gives detections of elements upstream other ids, in one step.
    package func renumber(_ changes: [(detection: Detection, id: Int32)]) {
        DetectionMeta(self).renumber(changes.filter { $0.detection.id != $0.id && $0.detection.id != 0 })
    }
}

extension InputFrame {
    private var meta: DetectionMeta { DetectionMeta(buffer: buffer, size: format.size) }

    /// Detections by elements upstream, without possible ones.
    package var detections: [Detection] { meta.detections(truth: false) }

    /// Detections of which their detectors are not certain.
    package var possibleDetections: [Detection] { meta.detections.filter(\.type.isPossible) }

    /// The objects known to be in the frame, from a drawn scene; for tests.
    package var truth: [Detection] { meta.detections(truth: true) }

    /// Returns whether elements upstream have searched the frame for objects of this type and reported everything
    /// found.
    package func search(for type: Detection.Kind) -> SearchState { meta.search(for: type) }

    /// Returns what searches the stream for objects of this type; nil if no detector says so.
    package func searchMethod(for type: Detection.Kind) -> SearchMethod? { meta.searchMethod(for: type) }

    /// The types for which elements upstream search the stream.
    package var searchTypes: [Detection.Kind] { meta.searchTypes }
}
