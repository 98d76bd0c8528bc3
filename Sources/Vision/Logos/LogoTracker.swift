// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// A request to search a whole frame in another thread.
package struct LogoSearch: Sendable {
    /// Indices of the templates to search for.
    let templates: [Int]
    let generation: Int
}

/// The results of a requested search.
package struct LogoFindings: Sendable {
    let matches: [LogoMatch]
    let generation: Int
}

extension LogoDetector {
    /// Performs a search that a tracker has requested. Any thread may call this function, if it is the only user of the
    /// detector.
    package func search(_ plane: Image, _ search: LogoSearch) throws(VisionError) -> LogoFindings {
        LogoFindings(matches: try matches(in: plane, of: search.templates), generation: search.generation)
    }
}

/// Detects and tracks logos in the frames of a stream. The tracker searches visible logos only near their expected
/// positions. For the other logos, it searches a whole frame at intervals.
package final class LogoTracker {
    private let detector: LogoDetector
    private let nextID: () -> Int
    private var settings: LogoSettings { detector.settings }
    private var tracks: [LogoTrack]
    private var lastSearch: Int?
    private var generation = 0
    /// The search of the last frame that another thread should perform; nil if no search is due.
    package private(set) var dueSearch: LogoSearch?
    /// True if a whole frame was searched for all templates since the start or the last `reset`. If logos are not
    /// tracked, true if the last frame was searched.
    package private(set) var hasSearched = false
    /// The last result, if logos are not tracked.
    private var shown: [LogoMatch] = []

    /// The tracking state of a template's logo.
    private struct LogoTrack {
        /// The motion of the logo; nil if the logo is not visible.
        var path: MovingBox?
        /// Number of frames since the logo was last detected.
        var misses = 0
        var ids: BoxTracker

        /// Expected box in the current frame.
        var expected: Box? { path?.expected(after: misses + 1) }

        /// Number of frames for which a logo that has disappeared is searched near its expected position.
        private static let patience = 5

        mutating func see(_ box: Box) {
            if path?.move(to: box, after: misses + 1) == nil { path = MovingBox(box) }
            misses = 0
        }

        mutating func miss() {
            guard path != nil else { return }
            misses += 1
            if misses > Self.patience { forget() }
        }

        mutating func forget() { (path, misses) = (nil, 0) }
    }

    /// - Parameters:
    ///   - nextID: returns the ID of each new logo.
    /// - Throws: the errors of `LogoDetector.init(settings:templates:)`.
    package init(
        settings: LogoSettings, templates: [LogoTemplate], nextID: @escaping () -> Int
    ) throws {
        detector = try LogoDetector(settings: settings, templates: templates)
        self.nextID = nextID
        tracks = templates.map { _ in LogoTrack(ids: BoxTracker(nextID: nextID)) }
    }

    /// Removes all tracks, for example after a seek.
    package func reset() {
        for i in tracks.indices {
            tracks[i].forget()
            tracks[i].ids.reset()
        }
        shown = []
        lastSearch = nil
        dueSearch = nil
        hasSearched = false
        generation &+= 1
    }

    /// Adds the logos that another thread found in an earlier frame. Logos that are visible in the newest frame keep
    /// their newer positions.
    package func add(_ findings: LogoFindings) {
        guard findings.generation == generation else { return }
        guard settings.track else {
            shown = findings.matches.map(numbered)
            return
        }
        hasSearched = true
        for match in findings.matches where tracks.indices.contains(match.template) {
            guard tracks[match.template].path == nil || tracks[match.template].misses > 0 else { continue }
            tracks[match.template].forget()
            tracks[match.template].see(match.box)
        }
    }

    /// Returns the logos in a grey plane, at most one for each template.
    /// - Parameters:
    ///   - plane: the frame's grey plane.
    ///   - frame: the index of the frame, greater than the index in the previous call.
    ///   - searching: where a search of the whole frame may take place.
    package func logos(
        in plane: Image, frame: Int, searching: Searching = .here
    ) throws(VisionError) -> [LogoMatch] {
        dueSearch = nil
        return settings.track ? try tracked(plane, frame, searching) : try untracked(plane, searching)
    }

    // MARK: - Without tracks

    /// Searches every frame in this thread, or requests a search in another thread. Until its results arrive, the last
    /// result is repeated.
    private func untracked(_ plane: Image, _ searching: Searching) throws(VisionError) -> [LogoMatch] {
        hasSearched = searching == .here
        switch searching {
        case .here: shown = try detector.matches(in: plane).map(numbered)
        case .elsewhere: dueSearch = LogoSearch(templates: Array(tracks.indices), generation: generation)
        case .later: break
        }
        return shown
    }

    private func numbered(_ match: LogoMatch) -> LogoMatch {
        var match = match
        match.id = nextID()
        return match
    }

    // MARK: - With tracks

    private func tracked(
        _ plane: Image, _ frame: Int, _ searching: Searching
    ) throws(VisionError) -> [LogoMatch] {
        var matches: [Int: LogoMatch] = [:]
        for template in tracks.indices {
            if let match = try follow(template, in: plane) { matches[template] = match }
        }
        let missing = tracks.indices.filter { matches[$0] == nil }
        let isDue = lastSearch.map { frame &- $0 >= max(1, settings.interval) || frame < $0 } ?? true
        if isDue, !missing.isEmpty, searching != .later {
            lastSearch = frame
            if searching == .here {
                for match in try detector.matches(in: plane, of: missing) { matches[match.template] = match }
                hasSearched = true
            } else {
                dueSearch = LogoSearch(templates: missing, generation: generation)
            }
        }
        return tracks.indices.compactMap { template in
            guard var logo = matches[template] else {
                tracks[template].miss()
                return nil
            }
            tracks[template].see(logo.box)
            logo.id = tracks[template].ids.ids(of: [logo.box], frame: frame).first ?? nextID()
            return logo
        }
    }

    /// The search for a tracked logo reduces the image so that the logo's longer side has this length, in pixels.
    private static let side = 110.0

    /// Searches a logo near its expected position.
    private func follow(_ template: Int, in plane: Image) throws(VisionError) -> LogoMatch? {
        guard let expected = tracks[template].expected else { return nil }
        let longer = max(expected.width, expected.height)
        let around = max(12, (0.5 + 0.2 * Double(tracks[template].misses)) * longer)
        guard longer >= 1, longer < 1e6, expected.x.magnitude < 1e6, expected.y.magnitude < 1e6 else { return nil }
        let part = plane.bounds.intersection(
            Rectangle(
                x: Int(expected.x - around), y: Int(expected.y - around), width: Int(expected.width + 2 * around),
                height: Int(expected.height + 2 * around)))
        guard !part.isEmpty else { return nil }
        // The area of the logo's region is a fraction of its box's area, and may change between frames.
        let share = expected.area / Double(part.width * part.height)
        let match = try detector.matches(
            in: plane.cropped(to: part), scale: min(1, Self.side / longer),
            areas: Limits(minimum: 0.1 * share, maximum: min(0.9, 1.5 * share)), of: [template]
        ).first
        guard var match else { return nil }
        match.box.corner = match.box.corner + part.corner
        return match
    }
}
