// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Synchronization
import Vision

/// `svfacemerge` merges the faces that `svfacedetect` detects, with each other or with partner faces from image files.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svfacedetect draw=false ! svfacemerge partner=cat.jpg ! videoconvert !
///         autovideosink
final class FaceMerge: VideoFilter, SnapshotElement {
    static let metadata = ElementMetadata(
        name: "svfacemerge", longName: "Face Merger", category: .effect,
        description: "Merges faces in the video with each other, or with faces from image files (needs svfacedetect)")

    let host: Host<Settings>
    var hasOtherUseOfS: Bool { host.settings.layout == .studio }
    let requests = Mailbox<MergeRequests, MergeStatus>()
    /// The selected face of partner images. The streaming thread sets the value, and the worker reads it.
    private let selection = Mutex(PartnerSelection())

    struct State {
        var partner: WatchedFile<[FacePicture]>
        var partners: WatchedFile<[FacePicture]>
        var partnerFace: Made<String?, FaceChoice>
        var partnerPoints: Made<String?, PartnerPoints?>
        let merger: FaceMerger
        var stream: VideoFormat?
        var choice: Made<String?, FaceChoice>
        var session = MergeSession()
        var merged = MergedFaces()
        var upstream = UpstreamMonitor(detectors: ["svfacedetect"], objects: "faces")
        var reporter = DetectionReporter()
        /// The faces of the current frame that `face` and `layout` select. `prepare` sets this value.
        var faces: [Detection] = []
        var layout: Layout
        var requests = MergeRequests()
        var hasWarnedOfPartner = false
        var absence = AbsenceReport()
        var placer = InsetPlacer()
        var hasToldOfTurnedFace = false
        var hasToldOfCascade = false
    }

    init(host: Host<Settings>) { self.host = host }

    func keyPressed(_ key: String) {
        let settings = host.settings
        guard settings.keys else { return }
        switch key {
        case "1", "KP_1": select(1)
        case "2", "KP_2": select(2)
        case "m":
            host.tell(
                requests.merge()
                    ? "merged both faces" : "nothing to merge: press the keys 1 and 2 to select two faces")
        case "s" where settings.layout == .studio: save(settings)
        case "c":
            requests.reset()
            host.tell("removed the merged face and the selected faces")
        default: break
        }
    }

    /// Requests the handling of a click with `layout=studio`; see `MergeSession.click`.
    func pointed(_ event: PointerEvent) -> Bool {
        let settings = host.settings
        guard event.isClick, settings.keys, settings.layout == .studio else { return false }
        requests.click(event.place)
        return true
    }

    private func select(_ slot: UInt32) {
        host.tell(requests.select(slot) ? "selected face \(slot)" : "no face to select")
    }

    private func save(_ settings: Settings) {
        guard let location = settings.saveLocation else {
            return host.tell("cannot save: no file is set. Set save-location to a path.")
        }
        if !requests.save(.next(in: location)) { host.tell("no merged face to save") }
    }

    // MARK: - Streaming thread

    func start(_ settings: Settings) throws -> State {
        requests.publish(MergeStatus())
        let partnerFaces: @Sendable () throws -> PartnerFaces = { [host] in
            try PartnerFaces(
                host.settings.detector.model { host.post(warning: $0) }, self.selection.withLock { $0 })
        }
        let face = try Made(settings.partnerFace, Self.partnerFace)
        let points = try Made(settings.partnerPoints, PartnerPoints.init)
        selection.withLock { $0 = PartnerSelection(face: face.product, points: points.product) }
        return State(
            partner: try WatchedFile(settings.partner) { try partnerFaces().load($0, unless: $1) },
            partners: try WatchedFile(settings.partners) { try partnerFaces().loadAll($0, unless: $1) },
            partnerFace: face, partnerPoints: points,
            merger: try FaceMerger(), choice: try Made(settings.face, FaceChoice.init), layout: settings.layout)
    }

    private static func partnerFace(_ text: String?) throws -> FaceChoice { try FaceChoice(text, of: "partner-face") }

    func configure(_ state: inout State, for video: VideoFormat) {
        state.stream = video
        state.merger.reset()
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        follow(\.partnerFace, &state.partnerFace, settings, Self.partnerFace)
        follow(\.partnerPoints, &state.partnerPoints, settings, PartnerPoints.init)
        follow(\.face, &state.choice, settings, FaceChoice.init)
        followSelection(
            PartnerSelection(face: state.partnerFace.product, points: state.partnerPoints.product), settings)
        state.partner.follow(settings.partner, host)
        state.partners.follow(settings.partners, host)
        if state.layout != settings.layout {
            state.layout = settings.layout
            state.merger.dropHybrids()
        }
        let all = frame.detections.filter { [.face, .catFace].contains($0.type) }
        state.upstream.check(
            [.face, .catFace].map { frame.search(for: $0) }, hasDetections: !all.isEmpty, at: frame.time.elapsed,
            host)
        let wanted = all.filter { settings.species.contains($0.type == .face ? .human : .cat) }
        tellOfCascade(&state, settings, wanted)
        state.faces = state.choice.product.faces(of: wanted.largestFirst, for: settings.layout)

        state.requests = requests.take()
        if settings.layout != .studio { requests.publish(MergeStatus()) }
        switch settings.layout {
        case .studio:
            state.session.automate(&state.requests, at: frame.time.elapsed, every: settings.selectEvery)
            return .transform
        case .replace:
            let hasPartner = state.partners.content?.isEmpty == false || state.partner.content?.isEmpty == false
            if !hasPartner, !state.hasWarnedOfPartner, settings.partner.value == nil, settings.partners.value == nil {
                state.hasWarnedOfPartner = true
                host.post(warning: Self.noPartner)
            }
            let isMerged = hasPartner && !state.faces.isEmpty
            if hasPartner { reportAbsence(isMerged, &state, settings, frame, wanted) }
            return handling(isMerged, &state, settings, frame.time)
        case .swap, .pair:
            reportAbsence(state.faces.count >= 2, &state, settings, frame, wanted)
            return handling(state.faces.count >= 2, &state, settings, frame.time)
        }
    }

    /// Reports once if there is nothing to merge for two seconds, and why.
    private func reportAbsence(
        _ hasFaces: Bool, _ state: inout State, _ settings: Settings, _ frame: borrowing InputFrame,
        _ wanted: [Detection]
    ) {
        let isTurned = settings.preset == .smooth && Self.areTurned(state.faces, settings.layout)
        let isSearched = [.face, .catFace].contains { frame.search(for: $0).isMarked }
        let isMerged = hasFaces && !isTurned || !isSearched
        guard state.absence.isDue(isMerged: isMerged, at: frame.time.elapsed) else { return }
        let all = (frame.detections + frame.possibleDetections).filter {
            [.face, .catFace].contains($0.type.certain)
        }
        let report = frame.withPixels {
            AbsenceReport.reason(
                all: all, wanted: wanted, isTurned: isTurned, settings, brightness: $0.brightness, frame: $0.size)
        }
        guard let (reason, text) = report else { return }
        host.tell("nothing to merge for 2 s: \(text).")
        guard settings.message != .none else { return }
        host.post(event: "nothing-to-merge", at: frame.time) { $0.set("reason", reason.rawValue) }
    }

    /// Returns true if no face is merged, because faces are turned away.
    private static func areTurned(_ faces: [Detection], _ layout: Layout) -> Bool {
        func isTurned(_ face: Detection) -> Bool { FacePoints(face)?.isTurnedAway ?? false }
        // swap and pair need both faces.
        return layout == .replace
            ? !faces.isEmpty && faces.allSatisfy(isTurned) : faces.prefix(2).contains(where: isTurned)
    }

    /// Posts a message once if the detector does not measure the directions of faces.
    private func tellOfCascade(_ state: inout State, _ settings: Settings, _ faces: [Detection]) {
        guard !state.hasToldOfCascade, settings.preset == .smooth, let face = faces.first(where: { $0.type == .face }),
            let landmarks = face.landmarks
        else { return }
        // Network detectors measure the direction and the mouth of each face.
        state.hasToldOfCascade = true
        guard landmarks.pose == nil, !landmarks.isMouthFound else { return }
        host.tell(
            "svfacedetect detects faces without the network YuNet, so svfacemerge cannot detect which faces are "
                + "in profile, and covers these faces, too. To install YuNet, run ./launch models get yunet.",
            isPrinted: true)
    }

    /// Applies a property. If the value is invalid, posts a warning and restores the previous value.
    private func follow<Product>(
        _ path: SettingPath<Settings, String?>, _ made: inout Made<String?, Product>, _ settings: Settings,
        _ make: (String?) throws -> Product
    ) {
        do {
            try made.follow(settings[keyPath: path], make)
        } catch {
            host.post(warning: error)
            host.set(path, to: made.value, ifStill: settings[keyPath: path])
        }
    }

    /// Loads the partner images again if another face is selected.
    private func followSelection(_ new: PartnerSelection, _ settings: Settings) {
        let isNew = selection.withLock { last in
            defer { last = new }
            return last != new
        }
        guard isNew else { return }
        // Assigning a property again loads its files again.
        for path in [\Settings.partner, \.partners] where settings[keyPath: path].value != nil {
            host.set(path, to: Assigned(settings[keyPath: path].value), ifStill: settings[keyPath: path])
        }
    }

    /// Passes a frame without faces through unchanged, but reports that the frame has no merged faces.
    private func handling(
        _ hasFaces: Bool, _ state: inout State, _ settings: Settings, _ time: FrameTime
    ) -> FrameHandling {
        guard !hasFaces else { return .transform }
        // Hybrids of earlier frames fade out.
        if state.merger.hasVisibleHybrids, settings.layout == .replace { return .transform }
        state.merger.skip(to: time.elapsed.seconds)
        state.reporter.report([], settings.message, at: time, host)
        return .passThrough
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        let faces = state.faces.compactMap { face in FacePoints(face).map { (detection: face, points: $0) } }
        let time = frame.time.elapsed.seconds
        let merge = settings.merge
        var drawn: [(face: Detection?, points: FacePoints)] = []
        switch settings.layout {
        case .replace:
            let book = state.partners.content ?? state.partner.content ?? []
            let pairs = faces.enumerated().compactMap { index, face in
                state.merged.partner(of: face.detection.id, at: index, among: book).map { (face.points, $0) }
            }
            let results = try state.merger.replace(pairs, on: frame.pixels, at: time, merge)
            for ((face, _), result) in zip(zip(faces, pairs), results) {
                if let result { drawn.append((face.detection, result)) }
            }
        case .swap:
            guard faces.count >= 2 else {
                state.merger.skip(to: time)
                break
            }
            let results = try state.merger.swap(faces[0].points, faces[1].points, on: frame.pixels, at: time, merge)
            for (face, result) in zip(faces, results) {
                if let result { drawn.append((face.detection, result)) }
            }
        case .pair:
            guard faces.count >= 2 else { break }
            let area = state.placer.place(
                0, size: settings.inset(in: frame.pixels), at: settings.insetPosition.places,
                avoiding: settings.insetPosition == .auto ? InsetPlacer.areas(of: state.faces.map(\.box)) : [],
                in: (frame.pixels.width, frame.pixels.height))
            let result = try state.merger.pair(
                faces[0].points, faces[1].points, into: area, of: frame.pixels, at: time, merge)
            if let result { drawn.append((nil, result)) }
        case .studio:
            for point in state.requests.clicks {
                let message = state.session.click(
                    point, faces: faces.map(\.points), on: frame.pixels, &state.requests)
                if let message { host.tell(message) }
            }
            try state.session.carryOut(
                state.requests, faces: faces.map(\.points), on: frame.pixels, state.merger, merge)
            save(state)
            let shown = try state.session.draw(on: frame.pixels, avoiding: state.faces.map(\.box), state.merger)
            if let hybrid = shown.hybrid { drawn.append((nil, hybrid)) }
            // The face detector is upstream and does not see the slots. So attach the metadata of their faces here.
            frame.attach(shown.slots.enumerated().compactMap { state.merged.detection(of: $1, inSlot: $0) })
            requests.publish(
                MergeStatus(
                    hasFace: !faces.isEmpty, filled: state.session.filled, hasHybrid: state.session.hybrid != nil))
        }
        if state.merger.hasTurnedFace, !state.hasToldOfTurnedFace {
            state.hasToldOfTurnedFace = true
            host.tell("a face is turned too far to the side, up or down. svfacemerge leaves such faces unchanged.")
        }
        let hybrids = drawn.enumerated().compactMap { index, hybrid in
            state.merged.detection(of: hybrid.points, over: hybrid.face, at: index)
        }
        let lost = state.merger.fading.compactMap { state.merged.detection(ofLost: $0) }
        state.reporter.report(frame.attach(hybrids + lost), settings.message, at: frame.time, host)
    }

    func discontinuity(_ state: inout State) {
        state.merger.reset()
        state.session.discontinuity()
        state.absence.discontinuity()
    }

    func endOfStream(_ state: inout State) { state.upstream.end(host) }

    private func save(_ state: State) {
        guard !state.requests.saves.isEmpty else { return }
        guard let hybrid = state.session.hybrid else {
            host.post(warning: Self.noHybrid)
            return
        }
        guard let picture = Picture(copying: hybrid.image, format: state.stream) else {
            host.post(warning: Picture.outOfMemory(hybrid.image.size))
            return
        }
        for target in state.requests.saves {
            host.snapshots.write(picture, to: target, host) { [host] path in
                host.tell("saved to \(path)")
                guard host.settings.message != .none else { return }
                host.post(event: "saved") { message in
                    message.set("location", path)
                    message.set(picture.fileSize)
                }
            }
        }
    }

    private static let noHybrid = ElementError(
        .write, "cannot save: there is no merged face. First, select and merge two faces.")
    private static let noPartner = ElementError(
        .unsuitable,
        "layout=replace has no partner image. Set partner to an image file, partners to a folder, or layout to "
            + "another value.")
}

extension FaceMerge.Settings {
    /// Returns the size of the square in which layout=pair shows the hybrid.
    func inset(in frame: FrameImage) -> (width: Int, height: Int) {
        let side = max(1, Int(Double(min(frame.width, frame.height)) * insetSize))
        return (side, side)
    }
}
