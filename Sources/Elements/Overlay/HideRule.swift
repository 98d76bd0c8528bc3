// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// The values of the properties that select the detections to hide and to spare.
struct HideChoice: Equatable {
    var hide: String?
    var spare: String?
    /// True if `blur-faces` or `pixelate-faces` is set.
    var hidesFaces: Bool
}

extension HideChoice {
    init(_ settings: Overlay.Settings) {
        self.init(
            hide: settings.hide, spare: settings.spare, hidesFaces: settings.blurFaces || settings.pixelateFaces)
    }
}

/// The parsed words of `hide` and `spare`, with functions that compare a region with these words.
struct HideRule {
    let hidden: HideWords
    let spared: HideWords

    /// - Throws: an error that names the property and quotes the malformed part.
    init(_ choice: HideChoice) throws(ElementError) {
        var hidden = try HideWords(choice.hide, of: "hide")
        if choice.hidesFaces { hidden.addFaces() }
        self.hidden = hidden
        spared = try HideWords(choice.spare, of: "spare")
    }

    var isEmpty: Bool { hidden.isEmpty }

    /// Result of matching a region against the words of `hide`.
    enum Verdict {
        case yes, no
        /// Unknown: no element has published the classification that decides whether a word matches.
        case unanswered
    }

    /// Compares the region with the words of `hide`, based on the current frame only.
    /// - Parameter namers: the elements upstream that name regions, with the types of the regions.
    func verdict(on region: Detection, _ namers: Namers) -> Verdict {
        if hidden.matches(typeOf: region) || hidden.matches(labelOf: region) { return .yes }
        if !hidden.people.isEmpty, region.kinds.contains(.face), region.person == nil { return .unanswered }
        if hidden.asksMore(about: region) { return .unanswered }
        // A region of type `possible-blob` has no name, but it can contain an object with a name.
        if region.type == .blob.possible, hidden.asksNames { return .unanswered }
        let mayBeNamed = region.kinds.contains { namers.mayName($0) }
        return hidden.asksNames && !region.isNamed && mayBeNamed ? .unanswered : .no
    }

    /// A match of a region with a word of `spare`.
    struct Evidence {
        /// The type or label that matches.
        let name: String
        /// How many frames have confirmed the name so far, see `Classification.confirmations`; nil if each frame with a
        /// match counts as a confirmation.
        let confirmations: Int?
    }

    /// Returns the match of the region with a word of `spare` in the current frame; nil if there is no match.
    func evidence(for region: Detection) -> Evidence? {
        guard !spared.isEmpty, !region.type.isPossible, !region.isEstimate else { return nil }
        if spared.matches(typeOf: region) { return Evidence(name: region.type.rawValue, confirmations: nil) }
        guard region.isFace else {
            let name = region.spareNames.first { spared.labels.contains($0.folded) }
            return name.map { Evidence(name: $0, confirmations: nil) }
        }
        // For faces, only a name with `confirmations` counts. For other names, it is unknown whether the naming element
        // has verified the name in the current frame.
        guard let person = region.person, person.labelID > 0, let confirmations = person.confirmations,
            spared.people.contains(person.label.folded) || spared.labels.contains(person.label.folded)
        else { return nil }
        return Evidence(name: person.label, confirmations: max(0, Int(confirmations)))
    }

    /// Returns true if a word of `hide` could match the region. While the whole frame is hidden, the label of such a
    /// region must not reveal a name.
    func concerns(_ region: Detection) -> Bool {
        hidden.matches(typeOf: region) || !hidden.labels.isEmpty || !hidden.people.isEmpty && region.isFace
    }
}

extension HideWords {
    /// Returns true if a word is the type of the region. The word `face` matches all types of faces. A region with an
    /// alternative type matches both types.
    func matches(typeOf region: Detection) -> Bool {
        region.kinds.contains { kind in
            types.contains(kind) || kind.isFace && types.contains(.face)
                || !labels.isEmpty && labels.contains(kind.rawValue.folded)
        }
    }

    func matches(labelOf region: Detection) -> Bool {
        if !people.isEmpty, region.person != nil, region.names.contains(where: { people.contains($0.folded) }) {
            return true
        }
        return !labels.isEmpty && region.names.contains { labels.contains($0.folded) }
    }

    /// The classifications of svfacedetect that are not names, each with its possible labels.
    private static let stateLabels = [("smile", ["smiling", "not-smiling"]), ("eyes", ["closed", "open"])]

    /// True if at least one label can be a name, which means that the label is not in `stateLabels`.
    var asksNames: Bool { !labels.isSubset(of: Self.stateLabels.flatMap(\.1)) }

    /// Returns true if a word is a label of the classification `smile` or `eyes`, and the face does not have this
    /// classification yet.
    fileprivate func asksMore(about region: Detection) -> Bool {
        guard !labels.isEmpty, region.kinds.contains(.face) else { return false }
        return Self.stateLabels.contains { question, words in
            words.contains(where: labels.contains) && !region.classifications.contains { $0.name == question }
        }
    }
}

extension Detection.Kind {
    var isFace: Bool { Detection.faceTypes.contains(self) }
}

extension Detection {
    static let faceTypes: [Kind] = [.face, .catFace, .hybridFace]

    var isFace: Bool { kinds.contains(where: \.isFace) }

    /// The type of the region, and the alternative type if there is one. Uncertain types are replaced by certain types:
    /// a possible face counts as a face.
    var kinds: [Kind] { ([type] + (alternative.map { [$0] } ?? [])).map(\.certain) }

    /// The classification of svfacerecognize that names the person.
    fileprivate var person: Classification? { classifications.first { $0.name == "person" } }

    /// True if the region has a name with `confirmations`. Only such a name can spare a face.
    var hasConfirmedPerson: Bool { person?.confirmations != nil }

    /// The label and all classifications. If svfacerecognize has numbered an unknown person, the names also contain
    /// `unknown`.
    fileprivate var names: [String] {
        let isStranger = person.map { $0.labelID == 0 && Strangers.isLabel($0.label) } ?? false
        return [label] + classifications.map(\.label) + (isStranger ? ["unknown"] : [])
    }

    /// The names without the names of zones. A zone can have any name, such as the name of a person, so a zone must not
    /// spare a region.
    fileprivate var spareNames: [String] {
        var region = self
        region.classifications.removeAll { $0.name == Classification.zone }
        return region.names
    }

    /// True if the region has a name, or a label that differs from the type of the region.
    fileprivate var isNamed: Bool { naming != nil || !label.isEmpty && label != type.rawValue }
}

/// The elements upstream that name regions.
struct Namers {
    private static let factories: [Detection.Kind: String] = [.face: "svfacerecognize", .blob: "svblobclassify"]

    private var types: Set<Detection.Kind> = []
    /// True if at least one element upstream names regions, of any type.
    private(set) var areThere = false

    init() {}

    init(upstreamOf host: Host<Overlay.Settings>) {
        types = Set(Self.factories.filter { host.upstreamPath(to: $0.value) != nil }.keys)
        areThere = !types.isEmpty || host.upstreamPath(to: "svlogodetect") != nil
    }

    /// If a region has a name, records that an element upstream names regions of this type. `init` finds only elements
    /// with known factory names.
    mutating func note(_ regions: [Detection]) {
        guard !areThere || types.count < 2 else { return }
        for region in regions where region.isNamed {
            areThere = true
            if Self.factories[region.type] != nil { types.insert(region.type) }
        }
    }

    /// True if an element upstream names faces.
    var namesFaces: Bool { types.contains(.face) }

    /// Returns true if regions of this type may get a name. If no naming element is known, the result is true for all
    /// types.
    func mayName(_ type: Detection.Kind) -> Bool { !areThere || types.contains(type) }
}
