// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Vision

/// `svlogodetect` detects logos, which are learned from image files, in any rotation and size.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svlogodetect template=logo.png ! videoconvert ! autovideosink
final class LogoDetect: VideoFilter, SnapshotElement {
    static let metadata = ElementMetadata(
        name: "svlogodetect", longName: "Logo Detector", category: .analyzer,
        description: "Detects logos learned from images, and tracks them")

    let host: Host<Settings>

    struct State {
        var template: WatchedFile<Templates>
        var templates: WatchedFile<Templates>
        var finder: Made<Configuration, Finder<LogoTracker>>
        var reporter = DetectionReporter()
        var meter = FrameRateMeter()
        var writing: LabelWriter?
    }

    /// Settings and templates of a `Finder`, which tracks the logos. If one of them changes, a new `Finder` is made.
    struct Configuration: Equatable {
        let settings: LogoSettings
        /// True to use even templates that also match plain shapes, such as circles (property `force`).
        let force: Bool
        fileprivate let template: WatchedFile<Templates>
        fileprivate let folder: WatchedFile<Templates>

        fileprivate init(
            _ settings: Settings, _ template: WatchedFile<Templates>, _ folder: WatchedFile<Templates>
        ) {
            (self.settings, force) = (settings.logos, settings.force)
            (self.template, self.folder) = (template, folder)
        }

        static func == (lhs: Configuration, rhs: Configuration) -> Bool {
            lhs.template.changes == rhs.template.changes && lhs.folder.changes == rhs.folder.changes
                && lhs.settings == rhs.settings && lhs.force == rhs.force
        }

        /// All templates: first from the property `template`, then from the property `templates`.
        private var all: [LogoTemplate] { (template.content?.logos ?? []) + (folder.content?.logos ?? []) }

        /// The templates that suit the settings, in the same order.
        var templates: [LogoTemplate] { all.filter { refusal(of: $0) == nil } }

        /// The reason why a template is not used, with the fix; nil if it is used.
        private func refusal(of template: LogoTemplate) -> String? {
            if let problem = template.problem(with: settings.verification) { return problem }
            guard settings.verification == .shape, template.quality.isUseless, !force else { return nil }
            let problem = template.quality.problem ?? ""
            return "\(template.name): \(problem). Use a logo with more details, or set force=true."
        }

        /// The problems of all templates, with advice.
        fileprivate var problems: [String] {
            all.compactMap { template in
                if let refusal = refusal(of: template) { return "template ignored: \(refusal)" }
                guard settings.verification == .shape else { return nil }
                return template.quality.problem.map { "\(template.name): \($0)." }
            }
        }

        /// - Throws: `ElementError` if there are templates, but none suits the settings.
        fileprivate func check() throws {
            guard let first = all.first, templates.isEmpty, let refusal = refusal(of: first) else { return }
            throw ElementError(.unsuitable, refusal)
        }

        /// Posts a warning for each problem that an earlier configuration did not have.
        fileprivate func report(to host: Host<Settings>, since earlier: Configuration? = nil) {
            let known = Set(earlier?.problems ?? [])
            for problem in problems where !known.contains(problem) {
                host.post(warning: ElementError(.unsuitable, problem))
            }
            guard folder.changes != earlier?.folder.changes else { return }
            for error in folder.content?.errors ?? [] { host.post(warning: error) }
        }
    }

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings) throws -> State {
        try host.lines.open(settings.messageLocation)
        let template = try WatchedFile(settings.template) { try Templates.load($0, unless: $1) }
        let templates = try WatchedFile(settings.templates) { try Templates.loadAll($0, unless: $1) }
        let configuration = Configuration(settings, template, templates)
        try configuration.check()
        guard !configuration.templates.isEmpty else { throw Templates.missing }
        configuration.report(to: host)
        var state = State(template: template, templates: templates, finder: try Made(configuration, Finder.init))
        // Reports a missing font at the start. The letter size is not known before the first frame.
        if settings.fps || settings.regions { state.writing = try LabelWriter(font: nil, frame: .zero) }
        return state
    }

    func configure(_ state: inout State, for video: VideoFormat) { state.finder.product.reset() }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        host.lines.follow(settings.messageLocation, host)
        state.template.follow(settings.template, host)
        state.templates.follow(settings.templates, host)
        host.warning {
            let before = state.finder.value
            try state.finder.follow(Configuration(settings, state.template, state.templates), Finder.init)
            if state.finder.value != before { state.finder.value.report(to: host, since: before) }
        }
        if settings.fps { state.meter.frame(at: .now) }
        return settings.draw || settings.fps || settings.regions ? .transform : .read
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        let finder = state.finder.product
        let logos = try finder.objects(in: frame.pixels, settings.mode, host)
        let templates = logos.isEmpty ? [] : state.finder.value.templates
        let named = logos.map { logo in
            Detection(logo, name: templates.indices.contains(logo.template) ? templates[logo.template].name : "")
        }
        let isComplete = finder.tracker.hasSearched
        let detections = frame.attach(named, searchedFor: [.logo], isComplete: isComplete)
        state.reporter.report(
            detections, areTracked: settings.logos.track, settings.message, at: frame.time, size: frame.visibleSize,
            host)
        var taken: [Rectangle] = []
        if settings.fps || settings.regions { try write(&taken, &state, settings, on: frame.pixels) }
        if settings.draw { draw(detections, isComplete, &taken, &state, on: frame.pixels) }
    }

    private static let green: Color = 0xFF00_FF00
    private static let red: Color = 0xFFFF_0000

    private func draw(
        _ logos: [Detection], _ isSearched: Bool, _ taken: inout [Rectangle], _ state: inout State, on frame: FrameImage
    ) {
        let boxes = logos.map { frame.drawBox(around: $0.box, color: Self.green) }
        if logos.isEmpty, isSearched {
            frame.outline(frame.bounds, lineWidth: 2 * frame.usualLineWidth, color: Self.red)
        }
        // If there is only one template, users know the name. Without a font, only the boxes are drawn.
        guard state.finder.value.templates.count > 1, !logos.isEmpty,
            let writing = try? LabelWriter.matching(&state.writing, font: nil, frame: frame.shape)
        else { return }
        for (logo, box) in zip(logos, boxes) {
            writing.label(
                "\u{2068}\(logo.name)\u{2069}", at: box, on: frame, color: Self.green, avoiding: &taken,
                objects: boxes)
        }
    }

    /// Writes the frame rate and the number of regions.
    private func write(
        _ taken: inout [Rectangle], _ state: inout State, _ settings: Settings, on frame: FrameImage
    ) throws {
        let rate = settings.fps ? state.meter.text : nil
        let tracker = state.finder.product.tracker
        let regions = settings.regions && tracker.hasSearched ? "\(tracker.regionCount) regions" : nil
        let texts = [rate, regions].compactMap { $0 }
        guard !texts.isEmpty else { return }
        let writing = try LabelWriter.matching(&state.writing, font: nil, frame: frame.shape)
        writing.label(inCornerOf: frame, texts.joined(separator: " · "), avoiding: &taken)
    }

    func discontinuity(_ state: inout State) { state.finder.product.reset() }
}

extension Finder<LogoTracker> {
    /// - Throws: `ElementError` if a template does not suit the settings.
    fileprivate convenience init(_ configuration: LogoDetect.Configuration) throws {
        try configuration.check()
        let (settings, templates) = (configuration.settings, configuration.templates)
        self.init(try LogoTracker(settings: settings, templates: templates) { Int(Detection.newID()) }) {
            try LogoDetector(settings: settings, templates: templates).search
        }
    }
}

extension LogoTracker: ObjectTracker {
    func objects(in plane: Image, of pixels: FrameImage, frame: Int, searching: Searching) throws -> [LogoMatch] {
        try logos(in: plane, of: pixels, frame: frame, searching: searching)
    }

    func add(_ findings: LogoFindings, seenIn plane: Image) { add(findings) }
}

extension TemplateError: ElementErrorConvertible {
    package var elementError: ElementError { ElementError(.unsuitable, "\(self)") }
}

extension Detection {
    /// - Parameter name: the name of the template.
    fileprivate init(_ logo: LogoMatch, name: String) {
        self.init(
            type: .logo, id: Int32(clamping: logo.id), box: Rectangle(logo.box), confidence: logo.confidence,
            classifications: [
                Classification(
                    name: "logo", label: name, labelID: Int32(clamping: logo.template + 1),
                    confidence: logo.confidence, modelName: logo.source == .regions ? "mser" : "orb",
                    distance: logo.distance)
            ])
    }
}
