import ElementKit
import Pixels
import Vision

/// Finds logos as some settings say, in the calling thread or with searches beside it.
final class LogoFinder {
    private let templates: [LogoTemplate]
    private let tracker: LogoTracker
    private let search: BackgroundSearch<LogoDetector, LogoSearch, LogoFindings>

    /// - Throws: `ElementError` where a template does not suit the settings.
    init(_ settings: LogoSettings, templates: [LogoTemplate]) throws {
        self.templates = templates
        do {
            tracker = try LogoTracker(settings: settings, templates: templates) { Int(Detection.newID()) }
        } catch let error as TemplateError {
            throw ElementError(.unsuitable, "\(error)")
        }
        search = BackgroundSearch {
            try LogoDetector(settings: settings, templates: templates)
        } search: { detector, plane, search in
            try detector.search(plane, search)
        }
    }

    /// Whether a whole frame has been searched since the beginning, or `reset`.
    var hasSearched: Bool { tracker.hasSearched }

    /// What the template is called whose match this is.
    func name(of match: LogoMatch) -> String {
        templates.indices.contains(match.template) ? templates[match.template].name : ""
    }

    func reset() { tracker.reset() }

    /// The logos in a grey plane, searched or followed as the interval says.
    func logos(in plane: Image, frame: Int) throws -> [LogoMatch] {
        try tracker.logos(in: plane, frame: frame)
    }

    /// The logos in a grey plane as they are known so far, followed; searches run on `worker`.
    func logos(in plane: Image, frame: Int, searchingOn worker: Worker) throws -> [LogoMatch] {
        try search.takeResult { findings, _ in tracker.add(findings) }
        let logos = try tracker.logos(in: plane, frame: frame, searching: search.isIdle ? .elsewhere : .later)
        if let due = tracker.dueSearch { search.begin(due, in: plane, on: worker) }
        return logos
    }
}
