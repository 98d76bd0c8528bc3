// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// What has to be searched so that a word can be hidden.
enum SearchNeed: Hashable {
    /// All kinds of faces.
    case faces
    case type(Detection.Kind)
    /// Whatever the stream is searched for, since any region may have a label.
    case anything

    /// Elements that search so.
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
    /// The needs, each with a word that has it.
    var needs: [(need: SearchNeed, word: String)] {
        var needs: [(need: SearchNeed, word: String)] = []
        if types.contains(.face) { needs.append((.faces, "face")) }
        // Hybrids replace faces.
        if types.contains(.hybridFace), !types.contains(.face) { needs.append((.faces, "hybrid-face")) }
        for type in [.catFace, .blob, .logo] as [Detection.Kind] where types.contains(type) {
            needs.append((.type(type), type.rawValue))
        }
        if let name = people.min() { needs.append((.faces, "person:\(name)")) }
        if let label = labels.min() { needs.append((.anything, label)) }
        return needs
    }
}

/// Determines from the frames of a stream whether elements upstream look for what is to be hidden.
struct SearchMonitor {
    /// Types that detectors have said to search for, as ours do, and types of regions that were seen; of those that words
    /// can need.
    private var told: Set<Detection.Kind> = []
    private var seen: Set<Detection.Kind> = []
    /// True if there were marks, or regions, of any type.
    private var isAnyTold = false
    private var isAnySeen = false
    /// Needs whose marks were lost from the beginning, and those of which a warning has told a loss.
    private var lost: Set<SearchNeed> = []
    private var warned: Set<SearchNeed> = []

    /// Takes note of a frame, whether anything is to be hidden or not.
    mutating func note(_ frame: borrowing InputFrame, _ detections: [Detection]) {
        let types = frame.searchTypes
        if !types.isEmpty { isAnyTold = true }
        if !detections.isEmpty { isAnySeen = true }
        told.formUnion(types.filter(HideWords.knownTypes.contains))
        seen.formUnion(detections.lazy.map(\.type).filter(HideWords.knownTypes.contains))
    }

    /// Returns whether all that is needed to hide these words is known of the frame; if not, a warning says why, once.
    /// - Throws: an error if there was no sign of a detector for one of them.
    mutating func knows(
        _ words: HideWords, in frame: borrowing InputFrame, _ detections: [Detection], _ host: Host<Overlay.Settings>
    ) throws(ElementError) -> Bool {
        var isKnown = true
        for (need, word) in words.needs {
            let state = state(of: need, in: frame)
            if isTold(need) || state.isMarked || isLost(need, in: frame, host) {
                if state == .lost || !state.isMarked { warn(of: need, on: host) }
                isKnown = isKnown && state == .searched
            } else if isSeen(need) {
                // Detectors of others put regions on the frames, but no marks: a frame without one looks like one that was
                // not searched.
                isKnown = isKnown && detections.contains { need.concerns($0.type) }
            } else {
                throw Self.undetected(need, word)
            }
        }
        return isKnown
    }

    /// Returns whether there is a detector upstream, though neither marks nor regions were seen: they have been lost from
    /// the first frame on.
    private mutating func isLost(
        _ need: SearchNeed, in frame: borrowing InputFrame, _ host: Host<Overlay.Settings>
    ) -> Bool {
        guard !lost.contains(need) else { return true }
        guard !isSeen(need), frame.searchTypes.isEmpty,
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

    private func isTold(_ need: SearchNeed) -> Bool {
        switch need {
        case .faces: told.contains(.face)
        case .type(let type): told.contains(type)
        case .anything: isAnyTold
        }
    }

    private func isSeen(_ need: SearchNeed) -> Bool {
        switch need {
        case .faces: seen.contains(.face)
        case .type(let type): seen.contains(type)
        case .anything: isAnySeen
        }
    }

    private func state(of need: SearchNeed, in frame: borrowing InputFrame) -> SearchState {
        switch need {
        case .faces:
            // Each kind of faces that is searched for must have been.
            let kinds = frame.joined(Detection.faceTypes + Detection.faceTypes.map(\.possible))
            let humans = frame.search(for: .face)
            return kinds == .lost || humans == .searched && kinds == .unsearched ? kinds : humans
        case .type(let type):
            return frame.search(for: type.possible).isMarked
                ? frame.joined([type, type.possible]) : frame.search(for: type)
        case .anything:
            let types = frame.searchTypes
            return told.isSubset(of: types) ? frame.joined(types) : .lost
        }
    }

    private static func undetected(_ need: SearchNeed, _ word: String) -> ElementError {
        let (what, remedy) =
            switch need {
            case .faces where word.hasPrefix("person:"):
                ("faces", "svfacedetect and svfacerecognize before svoverlay")
            case .faces: ("faces", "svfacedetect before svoverlay, with species=human+cat")
            case .type(.catFace): ("cat faces", "svfacedetect before svoverlay, with species=human+cat")
            case .type(.blob): ("blobs", "svblobdetect before svoverlay")
            case .type(.logo): ("logos", "svlogodetect before svoverlay")
            case .type, .anything:
                (
                    "anything with this label",
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
    /// The state of several types together.
    fileprivate func joined(_ types: [Detection.Kind]) -> SearchState {
        let states = types.map { search(for: $0) }
        for state in [.lost, .unsearched, .searched] as [SearchState] where states.contains(state) { return state }
        return .unmarked
    }
}
