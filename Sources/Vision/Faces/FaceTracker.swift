// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Detects faces in the frames of a stream, and tracks the faces.
///
/// The tracker searches the first frame, and the first frame after a cut, completely. After that, it searches only in
/// every `interval`-th frame, and only the area outside known faces that has changed. Between searches, template
/// matching follows each face. Every few frames, a verification (`FaceVerifier`) corrects position, size and angle. As
/// long as the template of a track matches the frame, the track continues without detections. A strong detection is
/// reported immediately. A weak detection is reported after two further verifications have detected the face, in the
/// same frame or in later frames. A cut ends all tracks.
///
/// The tracker reports a face that is not certain (`FaceEvidence`) as a possible face, without a track ID.
///
/// If the interval is 1 and the search runs in the calling thread, each search covers the whole changed area, including
/// known faces. All detections are then reported at their measured positions. The tracks only assign IDs, and add faces
/// that the search missed.
///
/// Only one thread at a time may use a tracker.
package final class FaceTracker {
    package var settings: FaceSettings { detector.settings }
    /// True if a network detects humans; false if a cascade detects humans.
    package var usesNetwork: Bool { detector.network != nil }
    let detector: FaceDetector
    private let nextID: () -> Int
    let scene = SceneChangeDetector()
    private let patch = OwnedImage(.gray8)
    var tracks: [FaceTrack] = []
    private var shown: [Face] = []
    private var lastFrame: Int?
    /// For each species, the index of the frame from which the interval to the next search is counted.
    private var lastSearch: [Species: Int] = [:]
    /// Counter of resets and cuts. The tracker drops the results of a search that it requested before the last reset or
    /// cut.
    var generation = 0
    var isSearched = false
    /// Counter of losses of faces: it increases when a face is no longer visible. A search that another thread began
    /// before the last loss does not show if the lost face is visible again.
    private var losses = 0
    /// Candidates from earlier searches that are not verified yet.
    var leftOver: [FaceCandidate] = []
    /// True if a search has covered the whole frame and all candidates of this search were verified.
    ///
    /// With tracking, the searched frame may be an earlier frame. Without tracking, it must be the current frame. A
    /// reset or a cut makes the value false until the next search ends. If searches run in another thread, the loss of
    /// a face has the same effect.
    package var hasSearched: Bool { isSearched && leftOver.isEmpty }
    /// The request for a search in another thread. Nil if no search was due in the last frame, or if `searching` was
    /// not `.elsewhere` in the last call. Pass the request to `FaceDetector.search`.
    package private(set) var dueSearch: FaceSearch?

    /// - Parameter nextID: returns an ID for a new track.
    package init(
        settings: FaceSettings, library: CascadeLibrary, model: FaceModel? = nil, nextID: @escaping () -> Int
    ) throws(CascadeError) {
        detector = try FaceDetector(settings: settings, library: library, model: model)
        self.nextID = nextID
    }

    /// Removes all tracks, for example after a seek.
    package func reset() {
        shown.removeAll()
        lastFrame = nil
        scene.reset()
        forget()
    }

    private func forget() {
        tracks.removeAll()
        lastSearch.removeAll()
        scene.forgetSearches()
        generation &+= 1
        isSearched = false
        leftOver.removeAll()
    }

    /// Returns the faces in a frame.
    /// - Parameters:
    ///   - plane: the grey image of the frame.
    ///   - colors: the same frame in colour. A network detects more faces in colour than in grey.
    ///   - frame: the frame's index. Frames may be skipped. If the index is not greater than the previous index, the
    ///     tracker resets itself.
    ///   - searching: selects how to search the frame if a search is due.
    package func faces(
        in plane: Image, colors: FrameImage? = nil, frame: Int, searching: Searching = .here
    ) throws(VisionError) -> [Face] {
        if let lastFrame, frame <= lastFrame { reset() }
        defer { lastFrame = frame }
        dueSearch = nil
        let source = colors.map { ColorSource($0) }
        shown =
            settings.track
            ? try tracked(plane, source, frame, searching) : try untracked(plane, source, searching)
        return shown
    }

    /// Adds the faces that another thread found in an earlier frame. From the next frame on, the tracker follows the
    /// new faces, starting at their positions in `plane`. If a new face is not visible in the next frame, its track
    /// ends, and another search becomes due. Drops the results of a search that was requested before the last cut or
    /// `reset`.
    /// - Parameter plane: the grey image of the searched frame.
    package func add(_ findings: FaceFindings, seenIn plane: Image) throws(VisionError) {
        guard findings.generation == generation else { return }
        guard settings.track else {
            shown = findings.faces.map(numbered).map(repeated)
            return
        }
        try add(findings, in: try detector.prepare(plane), isLate: true)
        removeDoubles()
    }

    /// The boxes of the visible tracks. A search for cats ignores changes in these boxes. A search for humans also
    /// examines the boxes of tracks that need a search (`FaceTrack.needsSearch`).
    private var trackedBoxes: [Box] { tracks.filter { !$0.isOutOfSight }.map(\.placement.box) }

    // MARK: - Without tracks

    /// Returns the faces without tracking. If another thread searches, returns the last result until the next result
    /// arrives.
    private func untracked(
        _ plane: Image, _ colors: ColorSource?, _ searching: Searching
    ) throws(VisionError) -> [Face] {
        // Without tracking, the positions of faces from an earlier frame may be outdated. So only a search of the
        // current frame counts for `hasSearched`.
        isSearched = searching == .here
        switch searching {
        case .here: shown = try detector.faces(in: try detector.prepare(plane, colors)).map(numbered)
        case .elsewhere:
            shown = shown.map(repeated)
            var search = FaceSearch(generation: generation)
            if let network = detector.network {
                let planes = try detector.prepare(plane, colors)
                search.colors = try network.still(of: planes.bounds, of: planes)
            }
            dueSearch = search
        case .later: shown = shown.map(repeated)
        }
        return shown
    }

    private func numbered(_ face: Face) -> Face {
        var face = face
        face.id = nextID()
        return face
    }

    /// Returns a copy of `face` for a later frame, in which the box of the face was not measured.
    private func repeated(_ face: Face) -> Face {
        var face = face
        face.isExact = false
        return face
    }

    // MARK: - With tracks

    private func tracked(
        _ plane: Image, _ colors: ColorSource?, _ frame: Int, _ searching: Searching
    ) throws(VisionError) -> [Face] {
        let planes = try detector.prepare(plane, colors)
        let change = try scene.change(planes.reduced)
        if change == .still, tracks.allSatisfy({ $0.isShown && !$0.isLate && !$0.isOutOfSight }) {
            // The image has stopped changing. So search the areas that changed before, now instead of at the end of the
            // interval.
            lastSearch.removeAll()
            try search(planes, frame, searching)
            return output(in: planes)
        }
        if change == .cut { forget() }
        noteCoveredFaces()
        if searching == .here, settings.interval == 1 {
            try searchAll(planes)
        } else {
            for i in tracks.indices { try follow(&tracks[i], in: planes) }
            noteLosses(searching)
            try search(planes, frame, searching)
        }
        removeDoubles()
        return output(in: planes)
    }

    /// Removes the tracks that have ended. If a face was lost and searches run in another thread, `hasSearched` stays
    /// false until the result of a later search arrives.
    private func noteLosses(_ searching: Searching) {
        if tracks.contains(where: \.isLost) { scene.forgetSearches() }
        if searching != .here, tracks.contains(where: \.isJustLost) {
            scene.forgetSearches()
            lastSearch.removeAll()
            isSearched = false
            losses &+= 1
        }
        tracks.removeAll(where: \.isLost)
    }

    /// For each species whose search is due, searches the changed area. Also verifies candidates of earlier searches.
    /// The searches for humans and for cats are shifted by half an interval, so that the two searches run in different
    /// frames.
    private func search(_ planes: FramePlanes, _ frame: Int, _ searching: Searching) throws(VisionError) {
        guard searching != .later else { return }
        var areas: [Species: Box] = [:]
        let ignored = tracks.filter { !$0.isOutOfSight && !$0.needsSearch }.map(\.placement.box)
        for species in settings.species.all {
            let last = lastSearch[species]
            let boxes = species == .human ? ignored : trackedBoxes
            guard last.map({ frame &- $0 >= settings.interval }) ?? true,
                let area = scene.changedArea(for: species, beside: boxes, by: 8, in: planes)
            else { continue }
            areas[species] = area
            lastSearch[species] = frame &+ (last == nil && species == .cat ? settings.interval / 2 : 0)
        }
        guard !areas.isEmpty || !leftOver.isEmpty else { return }
        var search = FaceSearch(areas: areas, trackedBoxes: ignored, leftOver: leftOver, generation: generation)
        search.followed = tracks.filter(\.needsSearch).map {
            .init(box: $0.placement.box, species: $0.species, isVerified: true)
        }
        search.losses = losses
        guard searching == .here else {
            if let area = areas[.human] { search.colors = try detector.network?.still(of: area, of: planes) }
            dueSearch = search
            return
        }
        try add(try detector.findings(of: search, in: planes, atMost: settings.candidatesPerFrame), in: planes)
    }

    /// Adds the results of a search to the tracks.
    /// - Parameter isLate: true if `planes` shows an earlier frame.
    private func add(
        _ findings: FaceFindings, in planes: FramePlanes, isLate: Bool = false
    ) throws(VisionError) {
        isSearched = findings.losses == losses
        leftOver = findings.leftOver
        for face in findings.verified where detector.isEnough(face) {
            if let index = tracks.firstIndex(where: { $0.isOutOfSight && $0.isInPlace(of: face) }) {
                // The face of an existing track was not visible, but is visible again.
                (tracks[index].isOutOfSight, tracks[index].isLate) = (false, isLate)
                tracks[index].placement = face.placement
                tracks[index].forgetLandmarks()
                tracks[index].confirm(face)
                try begin(&tracks[index], with: face, in: planes)
                continue
            }
            if let index = tracks.firstIndex(where: { $0.needsSearch && $0.isInPlace(of: face) }) {
                // The pattern match may have followed another object. So the track gets the position of the detection.
                (tracks[index].placement, tracks[index].isLate) = (face.placement, isLate)
                tracks[index].forgetLandmarks()
                tracks[index].confirm(face)
                try addEvidence(face, to: &tracks[index], isNews: !tracks[index].isUnchanged, in: planes)
                try begin(&tracks[index], with: face, in: planes)
                continue
            }
            var track = FaceTrack(
                face, isShown: detector.isStrong(face),
                evidence: FaceEvidence(face, isCertain: try detector.isCertain(face, in: planes)))
            track.isLate = isLate
            try begin(&track, with: face, in: planes)
            try examineWeak(&track, in: planes)
            tracks.append(track)
        }
    }

    /// If the detection of a new track is weak, verifies the face up to two more times.
    func examineWeak(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) {
        for _ in 0..<2 where !track.isShown { try examine(&track, in: planes) }
    }

    /// Starts or restarts a track: sets its image `pattern` and its landmarks from a new detection.
    func begin(
        _ track: inout FaceTrack, with face: FaceVerifier.Verification, in planes: FramePlanes
    ) throws(VisionError) {
        try renewPattern(&track, in: planes)
        try findLandmarks(&track, face, in: planes)
    }

    // MARK: - Following

    /// `patternSide`: side of the image `pattern`, in pixels. `margin`: maximum offset of the face in the next frame,
    /// in pixels of `pattern`.
    private static let patternSide = 24
    private static let margin = 7
    /// If the correlation between the image `pattern` and the frame is at least this value, the tracker trusts the
    /// matched position.
    static let goodFit = 0.75

    private func follow(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) {
        if try !move(&track, in: planes) { try examineIfDue(&track, in: planes) }
    }

    /// Moves the track to the position at which its image `pattern` matches the frame best. Returns true if the face
    /// has not changed and needs no verification.
    func move(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) -> Bool {
        track.age += 1
        (track.isFound, track.isJustLost) = (false, false)
        track.isUnchanged = track.isShown ? try isStill(track, in: planes) : false
        // Keep the position of an unchanged face. A new verification would move the position slightly, which causes
        // visible jitter.
        if track.isUnchanged, track.age &- track.lastExamined < 30 {
            (track.velocity, track.isLate, track.isOutOfSight) = (Point(0, 0), false, false)
            return true
        }
        track.isExact = false
        let before = track.placement.center
        try matchPattern(&track, in: planes)
        track.velocity = track.velocity.moved(towards: track.placement.center - before, by: 0.5)
        return false
    }

    func isVerificationDue(_ track: FaceTrack) -> Bool {
        // Verifications by the network are less frequent than by the cascade, because the network is more reliable but
        // slower.
        let interval = track.isTurning || track.isCovered ? 2 : track.confidence == nil ? 4 : 6
        return track.age &- track.lastExamined >= interval || track.vote.isOpen
    }

    /// Verifies the face if a verification is due or if the image `pattern` does not match the frame well. Ends the
    /// track if the face is lost.
    func examineIfDue(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) {
        let before = track.placement.center
        var isGone = false
        if isVerificationDue(track) || track.fit < Self.goodFit || !track.isShown || track.isLate {
            isGone = try !examine(&track, in: planes) && track.fit < Self.goodFit
        }
        track.isJustLost = isGone && !track.isOutOfSight
        track.isOutOfSight = isGone
        // A search in another thread detected the face only in an earlier frame. So the position of the face in this
        // frame is unknown, and the track ends.
        if isGone, track.isLate { track.isLost = true }
        track.isLate = false
        track.velocity = track.velocity + (track.placement.center - before) * 0.5
        let isInside = planes.bounds.contains(Box(center: track.placement.center, width: 0, height: 0))
        if track.trust <= 0 || !isInside || !(track.placement.size >= 4) { track.isLost = true }
    }

    /// Returns true if the face is unchanged since the last verification: the mean absolute difference of the pixels is
    /// below one grey level.
    private func isStill(_ track: FaceTrack, in planes: FramePlanes) throws(VisionError) -> Bool {
        let side = Self.patternSide
        try detector.cutter.cut(track.placement, span: 1, side: side, from: planes, into: patch)
        let (now, then) = (patch.image, track.pattern.image)
        guard now.width == then.width, now.height == then.height, !now.isEmpty else { return false }
        var sum = 0
        for y in 0..<now.height {
            let (a, b) = (now.row(y), then.row(y))
            for x in 0..<now.width { sum &+= abs(Int(a[x]) &- Int(b[x])) }
        }
        return sum < now.width * now.height
    }

    private func matchPattern(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) {
        var expected = track.placement
        expected.center = expected.center + track.velocity
        let side = Self.patternSide
        let patchSide = side + 2 * Self.margin
        try detector.cutter.cut(
            expected, span: Double(patchSide) / Double(side), side: patchSide, from: planes, into: patch)
        guard let match = try match(track.pattern.image, in: patch.image) else {
            track.fit = 0
            return
        }
        track.fit = match.score
        guard match.score >= 0.5 else { return }
        let margin = Double(Self.margin)
        track.placement.center = expected.point(
            (match.corner.x - margin) / Double(side), (match.corner.y - margin) / Double(side))
    }

    /// Verifies the face, and corrects the track. Returns true if the verification detects the face.
    @discardableResult
    private func examine(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) -> Bool {
        track.lastExamined = track.age
        // A verification in an unchanged frame is not new evidence.
        let isNews = track.age > 0 && !track.isUnchanged
        let face = try compareSpecies(&track, try verifyFace(for: &track, in: planes), in: planes)
        let search = settings.search(for: track.species)
        let isStill = face.map { face in
            face.confidence.map { $0 >= settings.keptConfidence }
                ?? (face.neighbors >= max(2, search.minNeighbors / 2))
        }
        guard let face, isStill == true else {
            track.evidence.miss(isNews: isNews, isCovered: track.isCovered)
            track.neighbors *= 0.95
            track.confidence = track.confidence.map { $0 * 0.95 }
            track.trust -= track.fit < 0.5 ? 3 : track.fit < 0.8 ? 1 : 0.25
            if track.fit >= 0.6, track.fit < 0.85 { try renewPattern(&track, in: planes) }
            return false
        }
        track.confirm(face)
        try addEvidence(face, to: &track, isNews: isNews, in: planes)
        if !track.isShown, track.hits >= 3 || detector.isStrong(face) { track.isShown = true }
        if track.fit < Self.goodFit { track.forgetLandmarks() }
        track.correct { correct(&$0, by: face.placement) }
        try findLandmarks(&track, face, in: planes)
        try renewPattern(&track, in: planes)
        // The new image `pattern` shows the face in this frame. So set the correlation to 1. Otherwise an earlier bad
        // match would reduce the reported confidence.
        track.fit = 1
        return true
    }

    func renewPattern(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) {
        try detector.cutter.cut(
            track.placement, span: 1, side: Self.patternSide, from: planes, into: track.pattern)
    }

    // MARK: - Results

    private func output(in planes: FramePlanes) -> [Face] {
        for i in tracks.indices where tracks[i].isShown && tracks[i].evidence.isCertain && tracks[i].id == 0 {
            tracks[i].id = nextID()
        }
        let faces = tracks.filter(\.isShown).map(\.face).sorted { $0.id < $1.id }
        return detector.reported(faces, in: planes)
    }
}
