// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Vision

/// The properties that say what to hide, and what not.
struct HideChoice: Equatable {
    var hide: String?
    var spare: String?
    /// True if faces are hidden by one of the short forms.
    var hidesFaces: Bool
}

extension HideChoice {
    init(_ settings: Overlay.Settings) {
        self.init(
            hide: settings.hide, spare: settings.spare, hidesFaces: settings.blurFaces || settings.pixelateFaces)
    }
}

/// Words to hide and to spare, and what they say of single regions.
struct HideRule {
    let hidden: HideWords
    let spared: HideWords

    /// - Throws: an error that names the property and the part that is wrong.
    init(_ choice: HideChoice) throws(ElementError) {
        var hidden = try HideWords(choice.hide, of: "hide")
        if choice.hidesFaces { hidden.addFaces() }
        self.hidden = hidden
        spared = try HideWords(choice.spare, of: "spare")
    }

    var isEmpty: Bool { hidden.isEmpty }

    /// Whether a region is what a word means.
    enum Verdict {
        case yes, no
        /// Nobody has said yet what would tell.
        case unanswered
    }

    /// Returns whether a region is to be hidden, as far as this frame tells.
    /// - Parameter namers: who gives names to regions of which types.
    func verdict(on region: Detection, _ namers: Namers) -> Verdict {
        if hidden.matches(typeOf: region) || hidden.matches(labelOf: region) { return .yes }
        if !hidden.people.isEmpty, region.kinds.contains(.face), region.person == nil { return .unanswered }
        if hidden.asksMore(about: region) { return .unanswered }
        let mayBeNamed = region.kinds.contains { namers.mayName($0) }
        return hidden.asksNames && !region.isNamed && mayBeNamed ? .unanswered : .no
    }

    /// What speaks for sparing a region.
    struct Evidence {
        /// The type or label by which it is spared.
        let name: String
        /// How often that was confirmed; nil if each frame is a confirmation.
        let confirmations: Int?
    }

    /// Returns what this frame says for sparing a region; nil if nothing.
    func evidence(for region: Detection) -> Evidence? {
        guard !spared.isEmpty, !region.type.isPossible else { return nil }
        if spared.matches(typeOf: region) { return Evidence(name: region.type.rawValue, confirmations: nil) }
        guard region.isFace else {
            let name = region.names.first { spared.labels.contains($0.folded) }
            return name.map { Evidence(name: $0, confirmations: nil) }
        }
        // Who else gives names to faces does not say how sure they are in this very frame.
        guard let person = region.person, person.labelID > 0, let confirmations = person.confirmations,
            spared.people.contains(person.label.folded) || spared.labels.contains(person.label.folded)
        else { return nil }
        return Evidence(name: person.label, confirmations: max(0, Int(confirmations)))
    }

    /// Returns whether the region is of a kind that may be hidden: nothing of it may be told where the frame is hidden.
    func concerns(_ region: Detection) -> Bool {
        hidden.matches(typeOf: region) || !hidden.labels.isEmpty || !hidden.people.isEmpty && region.isFace
    }
}

extension HideWords {
    /// `face` means faces of all kinds. Where its detector is in doubt, a region is of both types.
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

    /// Answers of svfacedetect to questions other than for names.
    private static let answers = [("smile", ["smiling", "not-smiling"]), ("eyes", ["closed", "open"])]

    /// True if a label may be a name, and not only the answer to another question.
    var asksNames: Bool { !labels.isSubset(of: Self.answers.flatMap(\.1)) }

    /// Returns whether a word is the answer to a question that nobody has answered for a face.
    fileprivate func asksMore(about region: Detection) -> Bool {
        guard !labels.isEmpty, region.kinds.contains(.face) else { return false }
        return Self.answers.contains { question, words in
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

    /// Its type, and the one that it may have in place of that. A possible face may be a face.
    var kinds: [Kind] { ([type] + (alternative.map { [$0] } ?? [])).map(\.certain) }

    /// Whose face it is, as svfacerecognize says it.
    fileprivate var person: Classification? { classifications.first { $0.name == "person" } }

    /// True if somebody has said whose face it is, in a way that counts for sparing.
    var hasConfirmedPerson: Bool { person?.confirmations != nil }

    /// A stranger with a number is unknown, too.
    fileprivate var names: [String] {
        let isStranger = person.map { $0.labelID == 0 && Strangers.isLabel($0.label) } ?? false
        return [label] + classifications.map(\.label) + (isStranger ? ["unknown"] : [])
    }

    /// True if it is called anything but its type.
    fileprivate var isNamed: Bool { naming != nil || !label.isEmpty && label != type.rawValue }
}

/// Elements upstream that give names to regions.
struct Namers {
    private static let factories: [Detection.Kind: String] = [.face: "svfacerecognize", .blob: "svblobclassify"]

    private var types: Set<Detection.Kind> = []
    /// True if anybody names anything.
    private(set) var areThere = false

    init() {}

    init(upstreamOf host: Host<Overlay.Settings>) {
        types = Set(Self.factories.filter { host.upstreamPath(to: $0.value) != nil }.keys)
        areThere = !types.isEmpty || host.upstreamPath(to: "svlogodetect") != nil
    }

    /// Takes note of names that others have given.
    mutating func note(_ regions: [Detection]) {
        guard !areThere || types.count < 2 else { return }
        for region in regions where region.isNamed {
            areThere = true
            if Self.factories[region.type] != nil { types.insert(region.type) }
        }
    }

    /// True if somebody tells whose face it is.
    var namesFaces: Bool { types.contains(.face) }

    /// Returns whether regions of this type may get a name. Where nobody names anything, any might.
    func mayName(_ type: Detection.Kind) -> Bool { !areThere || types.contains(type) }
}
