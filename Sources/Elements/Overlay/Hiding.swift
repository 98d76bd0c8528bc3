// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging

/// Determines the hidden area of each frame from the properties `hide` and `spare` and from the detections. Only the
/// streaming thread uses this value.
struct Hiding {
    private var rule: Made<HideChoice, HideRule>
    private var file: WatchedPicture
    /// `picture`: the image from `file`. `changes`: the value of `file.changes` when the image was created.
    private var covers: (picture: CoverPicture?, changes: Int)
    private var monitor = SearchMonitor()
    private var tracks = HideTracks()
    private var boxes = SteadyBoxes()
    /// The elements upstream that name regions; nil until a frame needs this list.
    private var namers: Namers?
    private var warned: Set<String> = []

    /// The image that covers hidden areas; nil if there is none.
    var picture: CoverPicture? { covers.picture }

    /// - Throws: `ElementError` for a malformed word or an unusable image.
    init(_ settings: Overlay.Settings, _ host: Host<Overlay.Settings>) throws {
        rule = try Made(HideChoice(settings), HideRule.init)
        file = try WatchedPicture(settings.hidePicture, load: { try CoverPicture.load($0, unless: $1) })
        covers = (file.picture.map { CoverPicture($0) }, file.changes)
        if settings.style == .picture, settings.hidePicture.value == nil { throw Self.noPicture }
        announce(host)
    }

    /// Discards the data of earlier frames, and the list of elements upstream that name regions.
    mutating func reset() {
        tracks.reset()
        boxes.reset()
        namers = nil
    }

    /// Returns the area to hide in the frame (nil to hide nothing), and the detections to draw. Hidden detections are
    /// returned without label, classifications, landmarks and outline.
    /// - Throws: an error if no detector upstream searches for the objects of a word in `hide`.
    mutating func cover(
        of frame: borrowing InputFrame, _ settings: Overlay.Settings, _ host: Host<Overlay.Settings>
    ) throws -> (cover: Cover?, detections: [Detection]) {
        follow(settings, host)
        let (detections, possible) = (frame.detections, frame.possibleDetections)
        monitor.note(frame, detections)
        let rule = rule.product
        if rule.hidden.concernsFaces, frame.searchMethod(for: .face) == .cascade {
            tell("cascade", Self.cascadesAlone, host)
        }
        guard !rule.isEmpty else {
            tracks.reset()
            boxes.reset()
            return (nil, detections)
        }
        guard try monitor.knows(rule.hidden, in: frame, detections, host) else {
            tracks.reset()
            return (.frame, detections.map { rule.concerns($0) ? $0.anonymous : $0 })
        }
        var namers = self.namers ?? Namers(upstreamOf: host)
        namers.note(detections)
        self.namers = namers
        warn(of: rule, detections, namers, host)
        let things = detections + possible
        let hidden = tracks.hidden(things, by: rule, namers)
        let cover = Cover.areas(
            zip(boxes.steady(things), hidden).filter(\.1).flatMap { Cover.Area.areas(of: $0.0) })
        return (cover.isEmpty ? nil : cover, zip(detections, hidden).map { $1 ? $0.anonymous : $0 })
    }

    // MARK: - Properties

    private mutating func follow(_ settings: Overlay.Settings, _ host: Host<Overlay.Settings>) {
        let choice = HideChoice(settings)
        if choice != rule.value {
            do {
                try rule.follow(choice, HideRule.init)
                reset()
                announce(host)
            } catch {
                // If the new words are malformed, the previous `HideRule` stays active.
                host.post(warning: error)
                host.set(\.hide, to: rule.value.hide, ifStill: choice.hide)
                host.set(\.spare, to: rule.value.spare, ifStill: choice.spare)
            }
        }
        file.follow(settings.hidePicture, host)
        if file.changes != covers.changes { covers = (file.picture.map { CoverPicture($0) }, file.changes) }
        if settings.style == .picture, settings.hidePicture.value == nil { tell("picture", Self.noPicture, host) }
    }

    private static let noPicture = ElementError(
        .settings, "hide-style=picture has no image. Set hide-picture to an image file.")

    // MARK: - Warnings

    private static let cascadesAlone = ElementError(
        .settings,
        "cascades detect the faces to hide. In real video, cascades miss many turned, dark, small and half hidden "
            + "faces. The network YuNet detects more faces. To install it: \"./launch models get yunet\" or "
            + "\"swiftvision models get yunet\".")

    /// Posts the warning, but only once for each value of `key`.
    private mutating func tell(
        _ key: String, _ warning: @autoclosure () -> ElementError, _ host: Host<Overlay.Settings>
    ) {
        if warned.insert(key).inserted { host.post(warning: warning()) }
    }

    /// Warns about words that are probably misspelt, and about `spare` without `hide`.
    private mutating func announce(_ host: Host<Overlay.Settings>) {
        let rule = rule.product
        for (word, type) in rule.hidden.doubtful + rule.spared.doubtful where warned.count < 20 {
            tell(
                word,
                ElementError(
                    .settings,
                    "\"\(word)\" is not a type, so svoverlay uses \"\(word)\" as a label. Did you mean \"\(type)\"?"),
                host)
        }
        if rule.isEmpty, !rule.spared.isEmpty {
            tell(
                "nothing",
                ElementError(.settings, "spare has no effect, because hide is not set. Set hide, such as hide=face."),
                host)
        }
    }

    /// Warns if no element upstream gives the names that `hide` or `spare` needs.
    private mutating func warn(
        of rule: HideRule, _ detections: [Detection], _ namers: Namers, _ host: Host<Overlay.Settings>
    ) {
        let faces = detections.filter { $0.type == .face }
        if !faces.isEmpty, !namers.namesFaces, !faces.contains(where: \.hasConfirmedPerson) {
            let recogniser = "svfacerecognize, with known people, before svoverlay."
            if let name = rule.hidden.people.min() {
                tell(
                    "hide-person",
                    ElementError(
                        .streamFailed,
                        "hide: no element upstream identifies \"\(name)\", so svoverlay hides all faces. "
                            + "Put \(recogniser)"),
                    host)
            }
            if let name = rule.spared.people.min() ?? rule.spared.labels.min() {
                tell(
                    "spare-person",
                    ElementError(
                        .streamFailed,
                        "spare: no element upstream identifies \"\(name)\", so svoverlay spares no face. "
                            + "Put \(recogniser)"),
                    host)
            }
        }
        if let label = rule.hidden.labels.min(), rule.hidden.asksNames, !namers.areThere, !detections.isEmpty {
            tell(
                "hide-label",
                ElementError(
                    .streamFailed,
                    "hide: no element upstream gives names to detections. Any detection can be \"\(label)\", so "
                        + "svoverlay hides all detections. Put svfacerecognize, svblobclassify or another element that "
                        + "gives names to detections before svoverlay."), host)
        }
    }
}
