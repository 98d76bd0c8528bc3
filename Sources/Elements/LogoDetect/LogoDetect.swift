import Drawing
import ElementKit
import Imaging
import Vision

/// `svlogodetect` finds logos that it learned from pictures, in any rotation and size.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svlogodetect template=logo.png ! videoconvert ! autovideosink
final class LogoDetect: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svlogodetect", longName: "Logo detector", category: .analyzer,
        description: "Finds logos that it learned from pictures, and follows them")

    private let host: Host<Settings>

    struct State {
        var template: WatchedFile<[LogoTemplate]>
        var templates: WatchedFile<[LogoTemplate]>
        var finder: Made<LogoFinder.Configuration, LogoFinder>
        var frame = 0
        var liveness = LivenessProbe()
        let luma = LumaPlane()
        var reporter = DetectionReporter()
        var meter = FrameRateMeter()
        var writing: LabelWriter?
    }

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings) throws -> State {
        let template = try WatchedFile(settings.template) { try Templates.load($0, unless: $1) }
        let templates = try WatchedFile(settings.templates) { try Templates.loadAll($0, unless: $1) }
        let configuration = LogoFinder.Configuration(settings, template, templates)
        guard !configuration.templates.isEmpty else { throw Templates.missing }
        var state = State(template: template, templates: templates, finder: try Made(configuration, LogoFinder.init))
        // Before the first frame it is known whether there are fonts, but not how large letters will be.
        if settings.fps { state.writing = try LabelWriter(font: nil, frame: .zero) }
        return state
    }

    func configure(_ state: inout State, for video: VideoFormat) {
        state.finder.product.reset()
        state.liveness = LivenessProbe()
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        state.template.follow(settings.template, host)
        state.templates.follow(settings.templates, host)
        host.warning {
            try state.finder.follow(
                LogoFinder.Configuration(settings, state.template, state.templates), LogoFinder.init)
        }
        if settings.fps { state.meter.frame(at: .now) }
        return settings.draw || settings.fps ? .transform : .read
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        state.frame += 1
        let plane = try state.luma.of(frame.pixels)
        let finder = state.finder.product
        let logos =
            state.liveness.waits(settings.mode, host)
            ? try finder.logos(in: plane, frame: state.frame)
            : try finder.logos(in: plane, frame: state.frame, searchingOn: host.worker)
        let found = logos.map { Detection($0, name: finder.name(of: $0)) }
        let isWhole = finder.hasSearched
        let detections = frame.attach(found, searchedFor: [.logo], isComplete: isWhole)
        state.reporter.report(detections, areTracked: settings.logos.track, settings.message, at: frame.time, host)
        if settings.draw { draw(detections, isWhole, on: frame.pixels) }
        if settings.fps { try write(&state, on: frame.pixels) }
    }

    private static let green: Color = 0xFF00_FF00
    private static let red: Color = 0xFFFF_0000

    private func draw(_ logos: [Detection], _ isSearched: Bool, on frame: FrameImage) {
        let width = frame.usualLineWidth
        for logo in logos { frame.outline(logo.box, lineWidth: width, color: Self.green) }
        if logos.isEmpty, isSearched { frame.outline(frame.bounds, lineWidth: 2 * width, color: Self.red) }
    }

    private func write(_ state: inout State, on frame: FrameImage) throws {
        guard let rate = state.meter.text else { return }
        let writing = try LabelWriter.matching(&state.writing, font: nil, frame: frame.size)
        var taken: [Rectangle] = []
        writing.label(inCornerOf: frame, rate, avoiding: &taken)
    }

    func discontinuity(_ state: inout State) { state.finder.product.reset() }
}

extension Detection {
    /// - Parameter name: the template's.
    fileprivate init(_ logo: LogoMatch, name: String) {
        self.init(
            type: .logo, id: Int32(clamping: logo.id), box: Rectangle(logo.box), confidence: logo.confidence,
            classifications: [
                Classification(
                    name: "logo", label: name, labelID: Int32(clamping: logo.template + 1),
                    confidence: logo.confidence, modelName: "mser", distance: logo.distance)
            ])
    }
}
