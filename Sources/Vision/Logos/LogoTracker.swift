// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A request to search a whole frame in another thread.
package struct LogoSearch: Sendable {
    /// Indices of the templates to search for.
    let templates: [Int]
    /// The logos of the previous frame, whose poses are verified.
    let known: [LogoMatch]
    let usesKeypoints: Bool
    /// A copy of the frame's colours; nil if the frame has none.
    let colors: LogoStill?
    let generation: Int
}

/// The results of a requested search.
package struct LogoFindings: Sendable {
    let matches: [LogoMatch]
    let regionCount: Int
    let generation: Int
}

/// A reduced copy of a frame for another thread.
struct LogoStill: Sendable {
    private let bytes: [UInt8]
    private let width, height: Int
    private let format: PixelFormat

    init(_ frame: FrameImage) throws(VisionError) {
        let plane = ColorPlane()
        let shorter = Double(max(1, min(frame.width, frame.height)))
        try plane.fill(frame, reducedBy: min(1, LogoTuning.viewSide / shorter))
        (bytes, format) = (plane.image.bytes, plane.image.format)
        (width, height) = (plane.image.width, plane.image.height)
        withExtendedLifetime(plane) {}
    }

    /// Calls `body` with the copy, which is valid until `body` returns.
    func withFrame<Result>(_ body: (FrameImage) throws(VisionError) -> Result) throws(VisionError) -> Result {
        try bytes.withImage(width: width, height: height, format: format) { image throws(VisionError) in
            try body(FrameImage(image))
        }
    }
}

extension LogoDetector {
    /// Performs a search that a tracker has requested. Any thread may call this function, if it is the only user of the
    /// detector.
    package func search(_ plane: Image, _ search: LogoSearch) throws(VisionError) -> LogoFindings {
        func logos(_ colors: FrameImage?) throws(VisionError) -> [LogoMatch] {
            try matches(
                in: plane, colors: colors, of: search.templates, known: search.known,
                usesKeypoints: search.usesKeypoints)
        }
        let found =
            if let still = search.colors {
                try still.withFrame { frame throws(VisionError) in try logos(frame) }
            } else {
                try logos(nil)
            }
        return LogoFindings(matches: found, regionCount: regionCount, generation: search.generation)
    }
}

/// Detects and tracks logos in the frames of a stream. The tracker follows the poses of visible logos from frame to
/// frame, and searches a logo near its expected position if its pose is lost. It searches a whole frame at intervals.
package final class LogoTracker {
    private let detector: LogoDetector
    private let nextID: () -> Int
    private var settings: LogoSettings { detector.settings }
    private var tracks: [LogoTrack] = []
    /// For each template, the IDs of its instances.
    private var ids: [BoxTracker]
    private var schedule = LogoSchedule()
    private var generation = 0
    /// The search of the last frame that another thread should perform; nil if no search is due.
    package private(set) var dueSearch: LogoSearch?
    /// True if a whole frame was searched for all templates since the start or the last `reset`. If logos are not
    /// tracked, true if the last frame was searched.
    package private(set) var hasSearched = false
    /// Number of regions in the last search of a whole frame.
    package private(set) var regionCount = 0
    /// The last result, if logos are not tracked.
    private var shown: [LogoMatch] = []

    /// - Parameters:
    ///   - nextID: returns the ID of each new logo.
    /// - Throws: the errors of `LogoDetector.init(settings:templates:)`.
    package init(
        settings: LogoSettings, templates: [LogoTemplate], nextID: @escaping () -> Int
    ) throws {
        detector = try LogoDetector(settings: settings, templates: templates)
        self.nextID = nextID
        ids = templates.map { _ in BoxTracker(nextID: nextID) }
    }

    /// Removes all tracks, for example after a seek.
    package func reset() {
        tracks = []
        for i in ids.indices { ids[i].reset() }
        shown = []
        schedule = LogoSchedule()
        dueSearch = nil
        hasSearched = false
        generation &+= 1
    }

    /// Adds the logos that another thread found in an earlier frame. Logos that are visible in the newest frame keep
    /// their newer positions.
    package func add(_ findings: LogoFindings) {
        guard findings.generation == generation else { return }
        regionCount = findings.regionCount
        guard settings.track else {
            shown = findings.matches.map(numbered)
            return
        }
        hasSearched = true
        for match in findings.matches where ids.indices.contains(match.template) { adopt(match) }
    }

    /// Returns the logos in a frame, in the order of the templates.
    /// - Parameters:
    ///   - plane: the frame's grey plane.
    ///   - pixels: the frame with its colours; nil if the colours are not known.
    ///   - frame: the index of the frame, greater than the index in the previous call.
    ///   - searching: where a search of the whole frame may take place.
    package func logos(
        in plane: Image, of pixels: FrameImage? = nil, frame: Int, searching: Searching = .here
    ) throws(VisionError) -> [LogoMatch] {
        dueSearch = nil
        let colors = pixels.flatMap { $0.format.isGray ? nil : $0 }
        guard settings.track else { return try untracked(plane, colors, frame, searching) }
        return try tracked(plane, colors, frame, searching)
    }

    // MARK: - Without tracks

    /// Searches every frame in this thread, or requests a search in another thread. Until its results arrive, the last
    /// result is repeated. A search by keypoints takes long, so unchanged frames have it only at intervals.
    private func untracked(
        _ plane: Image, _ colors: FrameImage?, _ frame: Int, _ searching: Searching
    ) throws(VisionError) -> [LogoMatch] {
        hasSearched = searching == .here
        if searching != .later {
            let plan = LogoSchedule.Plan(
                templates: Array(ids.indices), usesKeypoints: try schedule.needsKeypoints(plane, frame), isForAll: true)
            try schedule.searched(plane, frame, plan)
            let matches = try search(plane, colors, searching, plan, known: shown)
            if searching == .here { shown = matches.map(numbered) }
        }
        return shown
    }

    private func numbered(_ match: LogoMatch) -> LogoMatch {
        var match = match
        match.id = nextID()
        return match
    }

    /// Searches a whole frame in this thread, or requests a search in another thread, which returns no logos yet.
    private func search(
        _ plane: Image, _ colors: FrameImage?, _ searching: Searching, _ plan: LogoSchedule.Plan,
        known: [LogoMatch] = []
    ) throws(VisionError) -> [LogoMatch] {
        guard searching == .here else {
            let usesColors = settings.verification == .shape
            dueSearch = LogoSearch(
                templates: plan.templates, known: known, usesKeypoints: plan.usesKeypoints,
                colors: usesColors ? try colors.map { frame throws(VisionError) in try LogoStill(frame) } : nil,
                generation: generation)
            return []
        }
        let matches = try detector.matches(
            in: plane, colors: colors, of: plan.templates, known: known, usesKeypoints: plan.usesKeypoints)
        regionCount = detector.regionCount
        return matches
    }

    // MARK: - With tracks

    private func tracked(
        _ plane: Image, _ colors: FrameImage?, _ frame: Int, _ searching: Searching
    ) throws(VisionError) -> [LogoMatch] {
        for index in tracks.indices {
            let match = try follow(tracks[index], in: plane, colors)
            if let match, !tracks[..<index].contains(where: { $0.shows(match) }) {
                tracks[index].see(match)
            } else {
                tracks[index].miss()
            }
        }
        tracks.removeAll { $0.isLost }
        let visible = Set(tracks.filter { $0.misses == 0 }.map(\.template))
        let missing = ids.indices.filter { !visible.contains($0) }
        let plan = try schedule.plan(
            plane, frame, missing: missing, all: Array(ids.indices), interval: settings.interval,
            hasInstances: settings.verification == .shape)
        if let plan, searching != .later {
            try schedule.searched(plane, frame, plan)
            try search(plane, colors, searching, plan).forEach(adopt)
            if searching == .here { hasSearched = true }
        }
        return result(frame)
    }

    /// Returns the visible logos with their IDs.
    private func result(_ frame: Int) -> [LogoMatch] {
        var logos: [LogoMatch] = []
        for template in ids.indices {
            let visible = tracks.filter { $0.template == template && $0.misses == 0 }.map(\.match)
            guard !visible.isEmpty else { continue }
            let numbers = ids[template].ids(of: visible.map(\.box), frame: frame)
            for (match, id) in zip(visible, numbers) {
                var match = match
                match.id = id
                logos.append(match)
            }
        }
        return logos
    }

    /// Adds a logo that was found in a whole frame. The logo continues a lost track of its template, if there is one.
    private func adopt(_ match: LogoMatch) {
        let own = tracks.indices.filter { tracks[$0].template == match.template }
        if own.contains(where: { tracks[$0].misses == 0 && tracks[$0].shows(match) }) { return }
        if let lost = own.first(where: { tracks[$0].misses > 0 }) {
            tracks[lost] = LogoTrack(match)
        } else if own.isEmpty || settings.verification == .shape {
            tracks.append(LogoTrack(match))
        }
    }

    /// The search for a tracked logo reduces the image so that the logo's longer side has this length, in pixels.
    private static let side = 110.0

    /// Follows the pose of a logo. If the pose is lost, searches the logo's region near its expected position.
    private func follow(
        _ track: LogoTrack, in plane: Image, _ colors: FrameImage?
    ) throws(VisionError) -> LogoMatch? {
        let expected = track.expected
        let longer = max(expected.width, expected.height)
        let around = max(12, (0.5 + 0.2 * Double(track.misses)) * longer)
        guard longer >= 1, longer < 1e6, expected.x.magnitude < 1e6, expected.y.magnitude < 1e6 else { return nil }
        let part = plane.bounds.intersection(
            Rectangle(
                x: Int(expected.x - around), y: Int(expected.y - around), width: Int(expected.width + 2 * around),
                height: Int(expected.height + 2 * around)))
        guard !part.isEmpty else { return nil }
        let offset = expected.corner - track.match.box.corner
        if let match = try detector.follow(track.match, offset: offset, in: plane, colors: colors, part: part) {
            return match
        }
        // The area of the logo's region is a fraction of its box's area, and may change between frames.
        let share = expected.area / Double(part.width * part.height)
        return try detector.match(
            of: track.template, in: plane, colors: colors, part: part, scale: min(1, Self.side / longer),
            areas: Limits(minimum: 0.1 * share, maximum: min(0.9, 1.5 * share)))
    }
}

/// The tracking state of a logo.
private struct LogoTrack {
    private(set) var match: LogoMatch
    private var path: MovingBox
    /// Number of frames since the logo was last detected.
    private(set) var misses = 0

    /// Number of frames for which a logo that has disappeared is searched near its expected position.
    private static let patience = 5

    init(_ match: LogoMatch) { (self.match, path) = (match, MovingBox(match.box)) }

    var template: Int { match.template }
    /// Expected box in the current frame.
    var expected: Box { path.expected(after: misses + 1) }
    var isLost: Bool { misses > Self.patience }

    mutating func see(_ match: LogoMatch) {
        path.move(to: match.box, after: misses + 1)
        (self.match, misses) = (match, 0)
    }

    mutating func miss() { misses += 1 }

    /// Returns true if a match shows the visible logo of this track.
    func shows(_ match: LogoMatch) -> Bool {
        misses == 0 && template == match.template && self.match.box.overlapOfSmaller(match.box) > LogoTuning.sameLogo
    }
}

/// Schedules the searches of whole frames.
private struct LogoSchedule {
    struct Plan {
        let templates: [Int]
        let usesKeypoints: Bool
        let isForAll: Bool
    }

    private var (lastSearch, lastKeypoints, lastForAll): (Int?, Int?, Int?)
    /// A small version of the last frame that was searched by keypoints, and of the current frame.
    private let searched = OwnedImage(.gray8)
    private let current = OwnedImage(.gray8)

    /// Maximum length of the longer side of the small versions, in pixels.
    private static let cells = 64.0

    private static func isDue(_ last: Int?, _ frame: Int, _ interval: Int) -> Bool {
        last.map { frame &- $0 >= max(1, interval) || frame < $0 } ?? true
    }

    /// Returns true if a search by keypoints is due: at intervals, and when the frame has changed.
    func needsKeypoints(_ plane: Image, _ frame: Int) throws(VisionError) -> Bool {
        if Self.isDue(lastKeypoints, frame, LogoTuning.keypointInterval) { return true }
        try Self.reduce(plane, to: current)
        let (a, b) = (current.image, searched.image)
        guard a.width == b.width, a.height == b.height else { return true }
        let difference = (0..<a.height).reduce(0) { sum, y in
            let (rowA, rowB) = (a.row(y), b.row(y))
            return (0..<a.width).reduce(sum) { $0 + abs(Int(rowA[$1]) - Int(rowB[$1])) }
        }
        return difference >= LogoTuning.changedLevels * a.width * a.height
    }

    private static func reduce(_ plane: Image, to small: OwnedImage) throws(VisionError) {
        let longer = Double(max(plane.width, plane.height))
        // OpenCV averages by integer factors much faster.
        try small.reduce(plane, by: 1 / max(1, (longer / cells).rounded(.up)))
    }

    /// Returns the search that is due; nil if none is due.
    /// - Parameters:
    ///   - missing: the templates without a visible logo.
    ///   - hasInstances: true if a template can have several instances.
    func plan(
        _ plane: Image, _ frame: Int, missing: [Int], all: [Int], interval: Int, hasInstances: Bool
    ) throws(VisionError) -> Plan? {
        guard Self.isDue(lastSearch, frame, interval) else { return nil }
        let isForAll = hasInstances && Self.isDue(lastForAll, frame, LogoTuning.instanceInterval)
        guard isForAll || !missing.isEmpty else { return nil }
        return Plan(
            templates: isForAll ? all : missing, usesKeypoints: try needsKeypoints(plane, frame), isForAll: isForAll)
    }

    mutating func searched(_ plane: Image, _ frame: Int, _ plan: Plan) throws(VisionError) {
        lastSearch = frame
        if plan.isForAll { lastForAll = frame }
        guard plan.usesKeypoints else { return }
        lastKeypoints = frame
        try Self.reduce(plane, to: searched)
    }
}
