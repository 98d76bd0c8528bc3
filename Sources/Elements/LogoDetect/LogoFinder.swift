import ElementKit
import Imaging
import Vision

/// Finds logos according to some settings, in the calling thread or with background searches.
final class LogoFinder {
    /// The settings and templates that a finder follows from; a new one is made when one of these changes.
    struct Configuration: Equatable {
        let settings: LogoSettings
        private let template: WatchedFile<[LogoTemplate]>
        private let folder: WatchedFile<[LogoTemplate]>

        init(
            _ settings: LogoDetect.Settings, _ template: WatchedFile<[LogoTemplate]>,
            _ folder: WatchedFile<[LogoTemplate]>
        ) {
            (self.settings, self.template, self.folder) = (settings.logos, template, folder)
        }

        /// All templates, the folder's last.
        var templates: [LogoTemplate] { (template.content ?? []) + (folder.content ?? []) }

        static func == (one: Configuration, other: Configuration) -> Bool {
            one.template.changes == other.template.changes && one.folder.changes == other.folder.changes
                && one.settings == other.settings
        }
    }

    private let templates: [LogoTemplate]
    private let tracker: LogoTracker
    private let search: BackgroundSearch<LogoDetector, LogoSearch, LogoFindings>

    /// - Throws: `ElementError` if a template does not suit the settings.
    init(_ configuration: Configuration) throws {
        let (settings, templates) = (configuration.settings, configuration.templates)
        self.templates = templates
        tracker = try LogoTracker(settings: settings, templates: templates) { Int(Detection.newID()) }
        search = BackgroundSearch {
            try LogoDetector(settings: settings, templates: templates)
        } search: { detector, plane, search in
            try detector.search(plane, search)
        }
    }

    /// True if a whole frame has been searched since the beginning, or `reset`.
    var hasSearched: Bool { tracker.hasSearched }

    /// Returns the name of the match's template.
    func name(of match: LogoMatch) -> String {
        templates.indices.contains(match.template) ? templates[match.template].name : ""
    }

    func reset() { tracker.reset() }

    /// Returns the logos in a grey plane, searched or tracked according to the interval.
    func logos(in plane: Image, frame: Int) throws -> [LogoMatch] {
        try tracker.logos(in: plane, frame: frame)
    }

    /// Returns the logos in a grey plane as known so far, tracked; searches run on `worker`.
    func logos(in plane: Image, frame: Int, searchingOn worker: Worker) throws -> [LogoMatch] {
        try search.takeResult { findings, _ in tracker.add(findings) }
        let logos = try tracker.logos(in: plane, frame: frame, searching: search.isIdle ? .elsewhere : .later)
        if let due = tracker.dueSearch { search.begin(due, in: plane, on: worker) }
        return logos
    }
}

extension TemplateError: ElementErrorConvertible {
    package var elementError: ElementError { ElementError(.unsuitable, "\(self)") }
}
