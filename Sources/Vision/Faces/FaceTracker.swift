import Pixels

/// Finds faces in the frames of a stream and follows them.
///
/// After the first frame and cuts a search covers only what has changed beside known faces, every `interval` frames. In
/// between each face is followed by template matching, and every few frames a close examination (`FaceJudge`)
/// corrects position, size and tilt. A track lives on where the cascade does not find the face, as long as its pattern
/// still fits. A strong find is shown at once, a weak one when it was found again twice, in the same frame or in
/// later ones. A cut drops all tracks.
///
/// One thread at a time may use it.
package final class FaceTracker {
    package var settings: FaceSettings { detector.settings }
    let detector: FaceDetector
    private let nextID: () -> Int
    private let scene = SceneWatch()
    private let patch = GrayPlane()
    private var tracks: [Track] = []
    /// Faces of the last frame.
    private var shown: [Face] = []
    private var lastFrame: Int?
    /// Frames in which humans and cats were last searched everywhere.
    private var lastSearch: [Species: Int] = [:]
    /// Number that grows when everything known is forgotten: earlier results of a search elsewhere are then useless.
    private var generation = 0
    private var isSearched = false
    /// Proposals of searches that have not been examined yet.
    private var leftOver: [FaceProposal] = []
    /// True if a search has covered the picture and all its proposals were examined: with tracks since the beginning or
    /// the last cut, without them in this very frame.
    package var hasSearched: Bool { isSearched && leftOver.isEmpty }
    /// Search that has become due with the last frame, with `.elsewhere`; for `FaceDetector.search`.
    package private(set) var dueSearch: FaceSearch?

    /// - Parameter nextID: returns the number of each new track.
    package init(
        settings: FaceSettings, library: CascadeLibrary, nextID: @escaping () -> Int
    ) throws(CascadeError) {
        detector = try FaceDetector(settings: settings, library: library)
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

    /// Ways of searching the frame when that is due.
    package enum Searching: Sendable {
        case here
        /// Search in another thread, through `dueSearch`; known faces are followed meanwhile, new ones come with `add`.
        case elsewhere
        /// No search for now: one elsewhere is still under way.
        case later
    }

    /// Returns the faces in `plane`, which is grey.
    /// - Parameters:
    ///   - frame: the frame's number; frames may be skipped. One that is not greater than the last starts again.
    ///   - searching: the way of searching the frame when that is due.
    package func faces(
        in plane: Image, frame: Int, searching: Searching = .here
    ) throws(VisionError) -> [Face] {
        if let lastFrame, frame <= lastFrame { reset() }
        defer { lastFrame = frame }
        dueSearch = nil
        shown = settings.track ? try tracked(plane, frame, searching) : try untracked(plane, searching)
        return shown
    }

    /// Adds what a search of the recent frame `plane` found. The faces are where they were in that frame; they are
    /// followed from there with the next one. Results from before a cut or a `reset` are dropped.
    package func add(_ findings: FaceFindings, seenIn plane: Image) throws(VisionError) {
        guard findings.generation == generation else { return }
        guard settings.track else {
            shown = findings.faces.map(numbered)
            return
        }
        try add(findings, in: try detector.prepare(plane))
        removeDoubles()
    }

    private var knownBoxes: [Box] { tracks.map(\.placement.box) }

    // MARK: - Without tracks

    /// Searches every frame, or, elsewhere, as many as possible; the others repeat the last result.
    private func untracked(_ plane: Image, _ searching: Searching) throws(VisionError) -> [Face] {
        // Without tracks changes are not watched: only the frame that was searched counts as searched.
        isSearched = false
        guard searching != .later else { return shown }
        guard searching == .here else {
            dueSearch = FaceSearch(generation: generation)
            return shown
        }
        isSearched = true
        return try detector.faces(in: plane).map(numbered)
    }

    private func numbered(_ face: Face) -> Face {
        var face = face
        face.id = nextID()
        return face
    }

    // MARK: - With tracks

    private func tracked(_ plane: Image, _ frame: Int, _ searching: Searching) throws(VisionError) -> [Face] {
        let planes = try detector.prepare(plane)
        let change = try scene.change(planes.reduced)
        if change == .still, tracks.allSatisfy({ $0.isShown && $0.id != 0 }) {
            // Changes from before the picture came to rest are searched without waiting for their turn.
            lastSearch.removeAll()
            try search(planes, frame, searching)
            return tracks.contains { $0.id == 0 } ? output() : shown
        }
        if change == .cut { forget() }
        for i in tracks.indices { try follow(&tracks[i], in: planes) }
        if tracks.contains(where: \.isLost) { scene.forgetSearches() }
        tracks.removeAll(where: \.isLost)
        try search(planes, frame, searching)
        removeDoubles()
        return output()
    }

    /// Searches what has changed for the species whose turn it is, humans and cats half an interval apart, and the
    /// proposals left over from earlier searches.
    private func search(_ planes: FramePlanes, _ frame: Int, _ searching: Searching) throws(VisionError) {
        guard searching != .later else { return }
        var areas: [Species: Box] = [:]
        for (species, kind) in [(Species.human, FaceSettings.SpeciesSet.human), (.cat, .cat)]
        where settings.species.contains(kind) {
            let last = lastSearch[species]
            guard last.map({ frame &- $0 >= settings.interval }) ?? true,
                let area = scene.news(for: species, beside: knownBoxes, in: planes)
            else { continue }
            areas[species] = area
            lastSearch[species] = frame &+ (last == nil && species == .cat ? settings.interval / 2 : 0)
        }
        guard !areas.isEmpty || !leftOver.isEmpty else { return }
        let search = FaceSearch(areas: areas, known: knownBoxes, leftOver: leftOver, generation: generation)
        guard searching == .here else {
            dueSearch = search
            return
        }
        try add(try detector.findings(of: search, in: planes, atMost: settings.looksPerFrame), in: planes)
    }

    private func add(_ findings: FaceFindings, in planes: FramePlanes) throws(VisionError) {
        isSearched = true
        leftOver = findings.leftOver
        for verdict in findings.verdicts {
            guard verdict.neighbors >= detector.search(for: verdict.species).minNeighbors else { continue }
            var track = Track(verdict, isShown: detector.isStrong(verdict))
            try renewPattern(&track, in: planes)
            try findLandmarks(&track, in: planes)
            for _ in 0..<2 where !track.isShown { try look(at: &track, in: planes) }
            tracks.append(track)
        }
    }

    // MARK: - Following

    /// Side of the pattern, and radius around it that is searched in the next frame, in pixels of the patch.
    private static let patternSide = 24
    private static let margin = 7

    private func follow(_ track: inout Track, in planes: FramePlanes) throws(VisionError) {
        track.age += 1
        // An unchanged picture means an unchanged place, and another look would only make it jitter.
        if track.isShown, track.age &- track.lastLook < 30, try isStill(track, in: planes) {
            track.velocity = Point(0, 0)
            return
        }
        let before = track.placement.center
        try matchPattern(&track, in: planes)
        let isDue = track.age &- track.lastLook >= 4 || track.fit < 0.75 || !track.isShown
        if isDue { try look(at: &track, in: planes) }
        let moved = Point(track.placement.center.x - before.x, track.placement.center.y - before.y)
        track.velocity.x += 0.5 * (moved.x - track.velocity.x)
        track.velocity.y += 0.5 * (moved.y - track.velocity.y)
        let bounds = planes.bounds
        let center = track.placement.center
        let isInside =
            center.x >= bounds.x && center.y >= bounds.y && center.x <= bounds.x + bounds.width
            && center.y <= bounds.y + bounds.height
        if track.trust <= 0 || !isInside || !(track.placement.size >= 4) { track.isLost = true }
    }

    /// Returns whether the face looks as it did when it was last examined: the mean difference is less than one level.
    private func isStill(_ track: Track, in planes: FramePlanes) throws(VisionError) -> Bool {
        let side = FaceTracker.patternSide
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
    private func matchPattern(_ track: inout Track, in planes: FramePlanes) throws(VisionError) {
        var expected = track.placement
        expected.center.x += track.velocity.x
        expected.center.y += track.velocity.y
        let side = FaceTracker.patternSide
        let whole = side + 2 * FaceTracker.margin
        try detector.cutter.cut(
            expected, span: Double(whole) / Double(side), side: whole, from: planes, into: patch)
        guard let found = try match(track.pattern.image, in: patch.image) else {
            track.fit = 0
            return
        }
        track.fit = found.score
        guard found.score >= 0.5 else { return }
        let margin = Double(FaceTracker.margin)
        track.placement.center = expected.point(
            (found.corner.x - margin) / Double(side), (found.corner.y - margin) / Double(side))
    }

    /// Examines the place of the track, and corrects it.
    private func look(at track: inout Track, in planes: FramePlanes) throws(VisionError) {
        track.lastLook = track.age
        let numbers = detector.search(for: track.species)
        // A face that is tilted more than before has fewer neighbours.
        let verdict = try detector.judge.verdict(
            track.species, at: track.placement, reach: .close, turned: [0, -10, 10],
            enough: max(2, Int(track.neighbors * 0.6)), in: planes)
        try compareSpecies(&track, verdict, in: planes)
        guard let verdict, verdict.neighbors >= max(2, numbers.minNeighbors / 2) else {
            track.neighbors *= 0.95
            track.trust -= track.fit < 0.5 ? 3 : track.fit < 0.8 ? 1 : 0.25
            if track.fit >= 0.6, track.fit < 0.85 { try renewPattern(&track, in: planes) }
            return
        }
        track.hits += 1
        track.trust = min(60, track.trust + 2 + 4 * verdict.score)
        track.neighbors += 0.3 * (Double(verdict.neighbors) - track.neighbors)
        if !track.isShown, track.hits >= 3 || detector.isStrong(verdict) { track.isShown = true }
        track.correct { correct(&$0, by: verdict.placement) }
        try findLandmarks(&track, in: planes)
        try renewPattern(&track, in: planes)
    }

    /// Moves a placement towards what was found: a little if they are close, as the cascade's boxes jitter, and all the
    /// way if they are not.
    private func correct(_ placement: inout Placement, by found: Placement) {
        let (u, v) = placement.fractions(of: found.center)
        let distance = (u * u + v * v).squareRoot()
        let share = min(1, 0.25 + 4 * max(0, distance - 0.05))
        placement.center.x += share * (found.center.x - placement.center.x)
        placement.center.y += share * (found.center.y - placement.center.y)
        let growth = (found.size / placement.size - 1).magnitude
        placement.size += min(1, 0.2 + 3 * max(0, growth - 0.1)) * (found.size - placement.size)
        placement.angle += 0.5 * (found.angle - placement.angle)
    }

    /// Tries the other species' cascade: often while the track is new, occasionally later.
    private func compareSpecies(
        _ track: inout Track, _ verdict: FaceJudge.Verdict?, in planes: FramePlanes
    ) throws(VisionError) {
        track.note(verdict?.score ?? 0, of: track.species)
        guard settings.species == [.human, .cat], track.age < 12 || track.age % 15 == 0 else { return }
        let other: Species = track.species == .human ? .cat : .human
        track.note(
            try detector.judge.verdict(other, at: track.placement, reach: .wide, in: planes)?.score ?? 0, of: other)
        let (own, rival) =
            track.species == .human ? (track.humanScore, track.catScore) : (track.catScore, track.humanScore)
        if rival > 1.3 * own + 0.1 { track.species = other }
    }

    private func renewPattern(_ track: inout Track, in planes: FramePlanes) throws(VisionError) {
        try detector.cutter.cut(
            track.placement, span: 1, side: FaceTracker.patternSide, from: planes, into: track.pattern)
    }

    private func findLandmarks(_ track: inout Track, in planes: FramePlanes) throws(VisionError) {
        // Eyes that are followed well are searched only occasionally.
        let areFollowed = track.leftEye.isFresh && track.rightEye.isFresh
        let areSearched = !areFollowed || track.hits % 4 == 0 || settings.eyesClosed
        var found = try detector.landmarks(
            of: track.species, at: track.placement, in: planes,
            known: (track.leftEye.seen(in: track.placement), track.rightEye.seen(in: track.placement)),
            areEyesSearched: areSearched)
        if !areSearched { found.hasClosedEyes = track.hasClosedEyes }
        if let left = found.leftEye, let right = found.rightEye {
            let tilt = slope(from: left, to: right)
            if (tilt - track.placement.angle).magnitude < 20 {
                track.correct { $0.angle += 0.3 * (tilt - $0.angle) }
            }
        }
        track.take(found)
    }

    // MARK: - Results

    /// Removes the less trusted of two tracks in the same place.
    private func removeDoubles() {
        guard tracks.count > 1 else { return }
        var kept: [Track] = []
        for track in tracks.sorted(by: { ($0.isShown ? 1 : 0, $0.trust) > ($1.isShown ? 1 : 0, $1.trust) })
        where kept.allSatisfy({ $0.placement.box.coverage(track.placement.box) < 0.5 }) {
            kept.append(track)
        }
        tracks = kept
    }

    private func output() -> [Face] {
        for i in tracks.indices where tracks[i].isShown && tracks[i].id == 0 { tracks[i].id = nextID() }
        let faces = tracks.filter(\.isShown).map(\.face).sorted { $0.id < $1.id }
        guard settings.maxFaces > 0, faces.count > settings.maxFaces else { return faces }
        return Array(faces.sorted { $0.confidence > $1.confidence }.prefix(settings.maxFaces))
    }
}
