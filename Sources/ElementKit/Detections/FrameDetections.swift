// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

extension DetectionMeta {
    init(_ frame: Frame) { self.init(buffer: frame.buffer, size: frame.size) }
}

extension Frame {
    /// The detections of elements upstream, without uncertain detections.
    package var detections: [Detection] { DetectionMeta(self).detections(truth: false) }

    /// True if the frame has any detections, of any type.
    package var hasDetections: Bool { DetectionMeta(self).hasRegions }

    /// The ground truth of a synthetic scene, for tests.
    package var truth: [Detection] { DetectionMeta(self).detections(truth: true) }

    /// Attaches detections to the frame, for elements downstream. If the frame already has a detection with the same
    /// ID, the existing detection gets the new landmarks, outline and classifications. The other data of the existing
    /// detection does not change. Boxes are clipped to the frame.
    /// - Parameters:
    ///   - types: the types that the element searches for.
    ///   - isComplete: true if the element has searched the whole frame and `detections` contains all results.
    ///   - methods: the search method of each type, if the element declares one.
    /// - Returns: the detections in the metadata: clipped, and without detections outside the frame.
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
    /// Changes the IDs of detections from elements upstream, in one step.
    package func renumber(_ changes: [(detection: Detection, id: Int32)]) {
        DetectionMeta(self).renumber(changes.filter { $0.detection.id != $0.id && $0.detection.id != 0 })
    }
}

extension InputFrame {
    private var meta: DetectionMeta { DetectionMeta(buffer: buffer, size: format.size) }

    /// The detections of elements upstream, without uncertain detections.
    package var detections: [Detection] { meta.detections(truth: false) }

    /// The uncertain detections.
    package var possibleDetections: [Detection] { meta.detections.filter(\.type.isPossible) }

    /// The ground truth of a synthetic scene, for tests.
    package var truth: [Detection] { meta.detections(truth: true) }

    /// Returns the state of the search for objects of this type by elements upstream.
    package func search(for type: Detection.Kind) -> SearchState { meta.search(for: type) }

    /// Returns the search method for objects of this type; nil if no detector has declared a method.
    package func searchMethod(for type: Detection.Kind) -> SearchMethod? { meta.searchMethod(for: type) }

    /// The types that elements upstream search for.
    package var searchTypes: [Detection.Kind] { meta.searchTypes }
}

extension SharedFrame {
    /// The detections of elements upstream, without uncertain detections.
    package var detections: [Detection] { DetectionMeta(buffer: buffer, size: size).detections(truth: false) }
}
