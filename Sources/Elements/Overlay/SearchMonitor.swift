// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// The objects that a detector must search for, so that no object of a word in `hide` stays undetected.
enum SearchNeed: Hashable {
    /// Faces of all types.
    case faces
    case type(Detection.Kind)
    /// Objects of every type that detectors search for, because a region of any type can have a label.
    case anything

    /// The names of the elements that can search for the required objects.
    fileprivate var detectors: [String] {
        switch self {
        case .faces, .type(.catFace): ["svfacedetect"]
        case .type(.blob): ["svblobdetect"]
        case .type(.logo): ["svlogodetect"]
        case .type, .anything: ["svfacedetect", "svblobdetect", "svlogodetect"]
        }
    }
}

extension HideWords {
    /// The search needs of all words. `word` is one of the words that cause the need, as an example for messages.
    var needs: [(need: SearchNeed, word: String)] {
        var needs: [(need: SearchNeed, word: String)] = []
        if types.contains(.face) { needs.append((.faces, "face")) }
        // svfacemerge makes hybrid faces from detected faces, so the word `hybrid-face` needs the search for faces.
        if types.contains(.hybridFace), !types.contains(.face) { needs.append((.faces, "hybrid-face")) }
        for type in [.catFace, .blob, .logo] as [Detection.Kind] where types.contains(type) {
            needs.append((.type(type), type.rawValue))
        }
        if let name = people.min() { needs.append((.faces, "person:\(name)")) }
        if let label = labels.min() { needs.append((.anything, label)) }
        return needs
    }
}

/// Determines from the frames of a stream whether elements upstream search for the objects to hide.
struct SearchMonitor {
    /// `markedTypes`: the types with search marks in previous frames. A search mark is metadata that says that a
    /// detector has searched the frame for a type. `detectedTypes`: the types of previous detections. Both sets contain
    /// only types of `HideWords.knownTypes`.
    private var markedTypes: Set<Detection.Kind> = []
    private var detectedTypes: Set<Detection.Kind> = []
    /// `isAnyMarked`: true if a previous frame had a search mark of any type. `isAnyDetected`: true if a previous frame
    /// had a detection of any type.
    private var isAnyMarked = false
    private var isAnyDetected = false
    /// `lost`: the needs for which the first frame had no search mark, although a detector is upstream. `warned`: the
    /// needs for which a warning was posted.
    private var lost: Set<SearchNeed> = []
    private var warned: Set<SearchNeed> = []

    /// Records the search marks and detections of a frame, even if nothing is hidden.
    mutating func note(_ frame: borrowing InputFrame, _ detections: [Detection]) {
        let types = frame.searchTypes
        if !types.isEmpty { isAnyMarked = true }
        if !detections.isEmpty { isAnyDetected = true }
        markedTypes.formUnion(types.filter(HideWords.knownTypes.contains))
        detectedTypes.formUnion(detections.lazy.map(\.type).filter(HideWords.knownTypes.contains))
    }

    /// Returns true if detectors have searched the whole frame for the objects of all words in `hide`. If search marks
    /// (metadata of the detectors) are missing or lost, posts a warning, once per need.
    /// - Throws: an error if no detector upstream searches for the objects of a word.
    mutating func knows(
        _ words: HideWords, in frame: borrowing InputFrame, _ detections: [Detection], _ host: Host<Overlay.Settings>
    ) throws(ElementError) -> Bool {
        var isKnown = true
        for (need, word) in words.needs {
            let state = state(of: need, in: frame)
            if isMarked(need) || state.isMarked || isLost(need, in: frame, host) {
                if state == .lost || !state.isMarked { warn(of: need, on: host) }
                isKnown = isKnown && state == .searched
            } else if isDetected(need) {
                // Detectors of other vendors attach no search marks. If they attach no region to a frame, it is unknown
                // whether they have searched this frame.
                isKnown = isKnown && detections.contains { need.concerns($0.type) }
            } else {
                throw Self.undetected(need, word)
            }
        }
        return isKnown
    }

    /// Returns true if a detector is upstream, but no frame had search marks or detections. In this case, an element
    /// between the detector and svoverlay removes the marks and detections.
    private mutating func isLost(
        _ need: SearchNeed, in frame: borrowing InputFrame, _ host: Host<Overlay.Settings>
    ) -> Bool {
        guard !lost.contains(need) else { return true }
        guard !isDetected(need), frame.searchTypes.isEmpty,
            need.detectors.contains(where: { host.upstreamPath(to: $0) != nil })
        else { return false }
        lost.insert(need)
        return true
    }

    private mutating func warn(of need: SearchNeed, on host: Host<Overlay.Settings>) {
        guard warned.insert(need).inserted else { return }
        var loss = LossReport()
        let detector = need.detectors.first { host.upstreamPath(to: $0) != nil } ?? need.detectors[0]
        loss.warn(of: detector, "svoverlay hides whole frames", on: host)
    }

    private func isMarked(_ need: SearchNeed) -> Bool {
        switch need {
        case .faces: markedTypes.contains(.face)
        case .type(let type): markedTypes.contains(type)
        case .anything: isAnyMarked
        }
    }

    private func isDetected(_ need: SearchNeed) -> Bool {
        switch need {
        case .faces: detectedTypes.contains(.face)
        case .type(let type): detectedTypes.contains(type)
        case .anything: isAnyDetected
        }
    }

    private func state(of need: SearchNeed, in frame: borrowing InputFrame) -> SearchState {
        switch need {
        case .faces:
            // If svfacedetect is set to detect other types of faces, too, it must also have searched for these types.
            let kinds = frame.joined(Detection.faceTypes + Detection.faceTypes.map(\.possible))
            let humans = frame.search(for: .face)
            return kinds == .lost || humans == .searched && kinds == .unsearched ? kinds : humans
        case .type(let type):
            return frame.search(for: type.possible).isMarked
                ? frame.joined([type, type.possible]) : frame.search(for: type)
        case .anything:
            let types = frame.searchTypes
            return markedTypes.isSubset(of: types) ? frame.joined(types) : .lost
        }
    }

    private static func undetected(_ need: SearchNeed, _ word: String) -> ElementError {
        let (what, remedy) =
            switch need {
            case .faces where word.hasPrefix("person:"):
                ("faces", "svfacedetect and svfacerecognize before svoverlay")
            case .faces: ("faces", "svfacedetect with species=human+cat before svoverlay")
            case .type(.catFace): ("cat faces", "svfacedetect with species=human+cat before svoverlay")
            case .type(.blob): ("blobs", "svblobdetect before svoverlay")
            case .type(.logo): ("logos", "svlogodetect before svoverlay")
            case .type, .anything:
                (
                    "detections with this label",
                    "a detector before svoverlay: svfacedetect and svfacerecognize for people, svblobdetect and "
                        + "svblobclassify for things, svlogodetect for logos"
                )
            }
        return ElementError(
            .streamFailed,
            "cannot hide \"\(word)\": no element has searched the frames for \(what). Put \(remedy).")
    }
}

extension SearchNeed {
    fileprivate func concerns(_ type: Detection.Kind) -> Bool {
        switch self {
        case .faces: type == .face
        case .type(let wanted): type == wanted
        case .anything: true
        }
    }
}

extension InputFrame {
    /// The combined search state of several types. The result is the first of the states `lost`, `unsearched` and
    /// `searched` that any of the types has; otherwise `unmarked`.
    fileprivate func joined(_ types: [Detection.Kind]) -> SearchState {
        let states = types.map { search(for: $0) }
        for state in [.lost, .unsearched, .searched] as [SearchState] where states.contains(state) { return state }
        return .unmarked
    }
}
