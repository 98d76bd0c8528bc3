// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Finds faces in the frames of a stream and follows them.
///
/// After the first frame and cuts a search covers only what has changed beside known faces, every `interval` frames. In
/// between each face is followed by template matching, and every few frames a close examination (`FaceVerifier`)
/// corrects position, size and tilt. A track lives on where the cascade does not find the face, as long as its pattern
/// still fits. A strong find is shown at once, a weak one when it was found again twice, in the same frame or in
/// later ones. A cut drops all tracks.
///
/// A face that is not certain (`FaceEvidence`) is reported as a possible face, without a number.
///
/// With an interval of 1 and a search in the calling thread each search covers all that has changed, known faces, too, and
/// everything that it finds is reported where it was found: tracks give it numbers, and add faces that it has missed.
///
/// One thread at a time may use it.
package final class FaceTracker {
    package var settings: FaceSettings { detector.settings }
    /// True if a network finds humans, false if a cascade does.
    package var usesNetwork: Bool { detector.network != nil }
    let detector: FaceDetector
    private let nextID: () -> Int
    let scene = SceneChangeDetector()
    private let patch = OwnedImage(.gray8)
    var tracks: [FaceTrack] = []
    /// Faces of the last frame.
    private var shown: [Face] = []
    private var lastFrame: Int?
    /// Frames in which humans and cats were last searched everywhere.
    private var lastSearch: [Species: Int] = [:]
    /// Number that grows when everything known is forgotten: earlier results of a search elsewhere are then useless.
    var generation = 0
    var isSearched = false
    /// Number that grows when a face is lost from sight: an earlier search elsewhere does not know where it is.
    private var losses = 0
    /// Candidates of searches that have not been examined yet.
    var leftOver: [FaceCandidate] = []
    /// True if a search has covered the picture and all its candidates were examined: with tracks since the beginning, the
    /// last cut, or the last loss of a face that a search elsewhere has to find again; without them in this very frame.
    package var hasSearched: Bool { isSearched && leftOver.isEmpty }
    /// Search that has become due with the last frame, with `.elsewhere`; for `FaceDetector.search`.
    package private(set) var dueSearch: FaceSearch?

    /// - Parameter nextID: returns the number of each new track.
    package init(
        settings: FaceSettings, library: CascadeLibrary, model: FaceModel? = nil, nextID: @escaping () -> Int
    ) throws(CascadeError) {
        detector = try FaceDetector(settings: settings, library: library, model: model)
        self.nextID = nextID
    }

    /// Forgets all tracks, as after a seek.
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

    /// Returns the faces in `plane`, which is grey.
    /// - Parameters:
    ///   - colors: the same frame in its colours, by which a network finds more.
    ///   - frame: the frame's number; frames may be skipped. One that is not greater than the last starts again.
    ///   - searching: the way of searching the frame when that is due.
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

    /// Adds what a search of the recent frame `plane` found. The faces are where they were in that frame; they are
    /// followed from there with the next one, and dropped if they are not there any more: that frame then counts as not
    /// searched. Results from before a cut or a `reset` are dropped.
    package func add(_ findings: FaceFindings, seenIn plane: Image) throws(VisionError) {
        guard findings.generation == generation else { return }
        guard settings.track else {
            shown = findings.faces.map(numbered).map(repeated)
            return
        }
        try add(findings, in: try detector.prepare(plane), isLate: true)
        removeDoubles()
    }

    /// Places in which no other face is searched for.
    private var knownBoxes: [Box] { tracks.filter { !$0.isOutOfSight }.map(\.placement.box) }

    // MARK: - Without tracks

    /// Searches every frame, or, elsewhere, as many as possible; the others repeat the last result.
    private func untracked(
        _ plane: Image, _ colors: ColorSource?, _ searching: Searching
    ) throws(VisionError) -> [Face] {
        // Without tracks changes are not watched: only the frame that was searched counts as searched.
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

    /// Returns a face as later frames repeat it.
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
        if change == .still, tracks.allSatisfy({ $0.isShown && !$0.isLate }) {
            // Changes from before the picture came to rest are searched without waiting for their turn.
            lastSearch.removeAll()
            try search(planes, frame, searching)
            return output(in: planes)
        }
        if change == .cut { forget() }
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

    /// Removes the tracks that have ended. A search elsewhere comes late: from the frame in which a face was lost from sight
    /// until the result of a later search the frames do not count as searched.
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

    /// Searches what has changed for the species whose turn it is, humans and cats half an interval apart, and the
    /// candidates left over from earlier searches.
    private func search(_ planes: FramePlanes, _ frame: Int, _ searching: Searching) throws(VisionError) {
        guard searching != .later else { return }
        var areas: [Species: Box] = [:]
        for species in settings.species.all {
            let last = lastSearch[species]
            guard last.map({ frame &- $0 >= settings.interval }) ?? true,
                let area = scene.changedArea(for: species, beside: knownBoxes, by: 8, in: planes)
            else { continue }
            areas[species] = area
            lastSearch[species] = frame &+ (last == nil && species == .cat ? settings.interval / 2 : 0)
        }
        guard !areas.isEmpty || !leftOver.isEmpty else { return }
        var search = FaceSearch(areas: areas, known: knownBoxes, leftOver: leftOver, generation: generation)
        search.losses = losses
        guard searching == .here else {
            if let area = areas[.human] { search.colors = try detector.network?.still(of: area, of: planes) }
            dueSearch = search
            return
        }
        try add(try detector.findings(of: search, in: planes, atMost: settings.candidatesPerFrame), in: planes)
    }

    /// - Parameter isLate: true if the planes are those of an earlier frame.
    private func add(
        _ findings: FaceFindings, in planes: FramePlanes, isLate: Bool = false
    ) throws(VisionError) {
        isSearched = findings.losses == losses
        leftOver = findings.leftOver
        for face in findings.verified where detector.isEnough(face) {
            if let index = tracks.firstIndex(where: { $0.isOutOfSight && $0.isInPlace(of: face) }) {
                // It is seen again.
                (tracks[index].isOutOfSight, tracks[index].isLate) = (false, isLate)
                tracks[index].correct { $0 = face.placement }
                tracks[index].confirm(face)
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

    /// Looks twice again at what is not shown yet.
    func examineWeak(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) {
        for _ in 0..<2 where !track.isShown { try examine(&track, in: planes) }
    }

    /// Cuts out the pattern of a track, and looks for its landmarks, where a search has found it.
    func begin(
        _ track: inout FaceTrack, with face: FaceVerifier.Verification, in planes: FramePlanes
    ) throws(VisionError) {
        try renewPattern(&track, in: planes)
        try findLandmarks(&track, face, in: planes)
    }

    // MARK: - Following

    /// Side of the pattern, and radius around it that is searched in the next frame, in pixels of the patch.
    private static let patternSide = 24
    private static let margin = 7
    /// Correlation from which on a pattern surely shows the face.
    private static let goodFit = 0.75

    private func follow(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) {
        if try !move(&track, in: planes) { try examineIfDue(&track, in: planes) }
    }

    /// Moves the track to where its pattern is in the next frame. Returns true if the face stands still and needs no look.
    func move(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) -> Bool {
        track.age += 1
        (track.isFound, track.isJustLost) = (false, false)
        track.isUnchanged = track.isShown ? try isStill(track, in: planes) : false
        // An unchanged picture means an unchanged place, and another look would only make it jitter.
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

    func isLookDue(_ track: FaceTrack) -> Bool {
        // The network is right more often than the cascade, and costs more.
        let most = track.confidence == nil ? 4 : track.isTurning ? 2 : 6
        return track.age &- track.lastExamined >= most || track.vote.isOpen
    }

    /// Examines the place of the track if it is time, or if its pattern fits badly.
    func examineIfDue(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) {
        let before = track.placement.center
        var isGone = false
        if isLookDue(track) || track.fit < Self.goodFit || !track.isShown || track.isLate {
            isGone = try !examine(&track, in: planes) && track.fit < Self.goodFit
        }
        track.isJustLost = isGone && !track.isOutOfSight
        track.isOutOfSight = isGone
        // It may be anywhere since it was seen.
        if isGone, track.isLate { track.isLost = true }
        track.isLate = false
        track.velocity = track.velocity + (track.placement.center - before) * 0.5
        let isInside = planes.bounds.contains(Box(center: track.placement.center, width: 0, height: 0))
        if track.trust <= 0 || !isInside || !(track.placement.size >= 4) { track.isLost = true }
    }

    /// Returns whether the face looks as it did when it was last examined: the mean difference is less than one level.
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

    /// Moves the track to the best match of its pattern.
    private func matchPattern(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) {
        var expected = track.placement
        expected.center = expected.center + track.velocity
        let side = Self.patternSide
        let whole = side + 2 * Self.margin
        try detector.cutter.cut(
            expected, span: Double(whole) / Double(side), side: whole, from: planes, into: patch)
        guard let found = try match(track.pattern.image, in: patch.image) else {
            track.fit = 0
            return
        }
        track.fit = found.score
        guard found.score >= 0.5 else { return }
        let margin = Double(Self.margin)
        track.placement.center = expected.point(
            (found.corner.x - margin) / Double(side), (found.corner.y - margin) / Double(side))
    }

    /// Examines the place of the track, and corrects it. Returns whether the face is seen there.
    @discardableResult
    private func examine(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) -> Bool {
        track.lastExamined = track.age
        // Another look at the frame in which the track began, or at one that is the same, shows nothing new.
        let isNews = track.age > 0 && !track.isUnchanged
        let face = try compareSpecies(&track, try look(for: &track, in: planes), in: planes)
        let numbers = settings.search(for: track.species)
        let isStill = face.map { face in
            face.confidence.map { $0 >= settings.keptConfidence }
                ?? (face.neighbors >= max(2, numbers.minNeighbors / 2))
        }
        guard let face, isStill == true else {
            track.evidence.miss(isNews: isNews)
            track.neighbors *= 0.95
            track.confidence = track.confidence.map { $0 * 0.95 }
            track.trust -= track.fit < 0.5 ? 3 : track.fit < 0.8 ? 1 : 0.25
            if track.fit >= 0.6, track.fit < 0.85 { try renewPattern(&track, in: planes) }
            return false
        }
        track.confirm(face)
        track.evidence.confirm(face, isNews: isNews, by: detector)
        if !track.isShown, track.hits >= 3 || detector.isStrong(face) { track.isShown = true }
        track.correct { correct(&$0, by: face.placement) }
        try findLandmarks(&track, face, in: planes)
        try renewPattern(&track, in: planes)
        return true
    }

    func renewPattern(_ track: inout FaceTrack, in planes: FramePlanes) throws(VisionError) {
        try detector.cutter.cut(
            track.placement, span: 1, side: Self.patternSide, from: planes, into: track.pattern)
    }

    // MARK: - Results

    /// Removes the less trusted of two tracks in the same place; never one that the search of this frame has found.
    private func removeDoubles() {
        guard tracks.count > 1 else { return }
        func rank(_ track: FaceTrack) -> (Int, Int, Double) {
            (
                track.isFound ? 2 : track.isShown && !track.isOutOfSight ? 1 : 0, track.evidence.isCertain ? 1 : 0,
                track.trust
            )
        }
        var kept: [FaceTrack] = []
        for track in tracks.sorted(by: { rank($0) > rank($1) })
        where track.isFound || kept.allSatisfy({ $0.placement.box.overlapOfSmaller(track.placement.box) < 0.5 }) {
            kept.append(track)
        }
        tracks = kept
    }

    private func output(in planes: FramePlanes) -> [Face] {
        for i in tracks.indices where tracks[i].isShown && tracks[i].evidence.isCertain && tracks[i].id == 0 {
            tracks[i].id = nextID()
        }
        let faces = tracks.filter(\.isShown).map(\.face).sorted { $0.id < $1.id }
        return detector.reported(faces, in: planes)
    }
}
