// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging

/// `svoverlay` draws detections, and hides the detections that the user selects.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svfacedetect draw=false ! svoverlay ! videoconvert ! autovideosink
final class Overlay: VideoFilter, SnapshotElement, HidingElement {
    static let metadata = ElementMetadata(
        name: "svoverlay", longName: "Detection Overlay", category: .effect,
        description: "Draws detections, and hides faces or other regions")

    let host: Host<Settings>

    struct State {
        var colors: Made<String?, ColorTable>
        var writing: LabelWriter?
        var meter = FrameRateMeter()
        var hiding: Hiding
        var upstream = UpstreamMonitor(
            detectors: ["svfacedetect", "svblobdetect", "svlogodetect"], objects: "objects")
        /// The changes to the current frame. `prepare` sets this value for `transform`.
        var work = Work()
    }

    /// The changes to make to a frame.
    struct Work {
        /// The area to hide; nil to hide nothing.
        var cover: Cover?
        var detections: [Detection] = []
        var truth: [Detection] = []
        var rate: String?
        var counter: String?

        var isEmpty: Bool {
            cover == nil && detections.isEmpty && truth.isEmpty && rate == nil && counter == nil
        }
    }

    init(host: Host<Settings>) { self.host = host }

    /// `isOn`: true if a property selects detections to hide. `activations`: the number of times that such a property
    /// was set.
    var hiding: (isOn: Bool, activations: UInt32) {
        let settings = host.settings
        return (settings.hide != nil || settings.blurFaces || settings.pixelateFaces, settings.activations)
    }

    func start(_ settings: Settings) throws -> State {
        var state = State(colors: try Made(nil, ColorTable.init), hiding: try Hiding(settings, host))
        follow(&state, settings)
        // Creates a `LabelWriter` at the start only to report a missing font. The first frame determines the font size.
        if settings.writes { state.writing = try LabelWriter(font: settings.font, frame: .zero) }
        return state
    }

    /// Applies changes of the property `colors`. If the text is malformed, posts a warning and restores the previous
    /// value.
    private func follow(_ state: inout State, _ settings: Settings) {
        do {
            try state.colors.follow(settings.colors, ColorTable.init)
        } catch {
            host.post(warning: error)
            host.set(\.colors, to: state.colors.value, ifStill: settings.colors)
        }
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) throws -> FrameHandling {
        follow(&state, settings)
        state.work = Work()
        let (cover, detections) = try state.hiding.cover(of: frame, settings, host)
        state.work.cover = cover
        state.work.detections = detections.compactMap { settings.drawn($0) }
        state.work.counter = settings.counterText(detections)
        if settings.truth { state.work.truth = frame.truth }
        // With `fps`, missing detections cause no warning, because the frame rate needs no detector.
        state.upstream.check(
            frame.searchTypes.map { frame.search(for: $0) },
            hasDetections: !detections.isEmpty || !state.work.truth.isEmpty || settings.fps, at: frame.time.elapsed,
            host)
        if settings.fps {
            state.meter.frame(at: .now)
            state.work.rate = state.meter.text
        }
        return state.work.isEmpty ? .passThrough : .transform
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        let (work, pixels, colors) = (state.work, frame.pixels, state.colors.product)
        let lineWidth = settings.lineWidth > 0 ? settings.lineWidth : pixels.usualLineWidth
        work.cover?.hide(on: pixels, settings.style, state.hiding.picture)
        for object in work.truth {
            pixels.drawBox(
                around: object.box, lineWidth: lineWidth, dash: 4 * lineWidth, color: colors.color(of: object))
        }
        var boxes = work.detections.map(\.box)
        if settings.boxes {
            boxes = work.detections.map { object in
                pixels.drawBox(around: object.box, lineWidth: lineWidth, color: colors.color(of: object))
            }
        }
        if settings.outlines {
            for object in work.detections {
                guard let outline = object.outline else { continue }
                pixels.outline(outline.corners, lineWidth: Double(lineWidth), color: colors.color(of: object))
            }
        }
        if settings.landmarks {
            for object in work.detections {
                pixels.drawLandmarks(of: object, [.eyes, .nose, .mouth], lineWidth: lineWidth)
            }
        }
        guard settings.writes else { return }
        let writing = try LabelWriter.matching(&state.writing, font: settings.font, frame: pixels.shape)
        var taken: [Rectangle] = []
        let lines = [work.rate, work.counter].compactMap { $0 }
        if !lines.isEmpty {
            writing.label(inCornerOf: pixels, lines.joined(separator: "\n"), avoiding: &taken)
        }
        if settings.labels {
            let objects = Array(zip(work.detections, boxes))
            for (object, box) in Self.labelled(objects) {
                writing.label(
                    object.caption(settings), at: box, on: pixels, color: colors.color(of: object), avoiding: &taken,
                    objects: boxes.count > Self.maxAvoided ? [] : boxes)
            }
        }
    }

    func configure(_ state: inout State, for video: VideoFormat) { state.hiding.reset() }

    func discontinuity(_ state: inout State) { state.hiding.reset() }

    func endOfStream(_ state: inout State) { state.upstream.end(host) }

    /// If a frame has more detections than this number, labels avoid only other labels and not boxes. Comparing each
    /// label with each box would take too long.
    private static let maxAvoided = 60

    /// Returns the detections to label: all detections, or the 200 largest detections if there are more than 200.
    private static func labelled(_ objects: [(Detection, Rectangle)]) -> [(Detection, Rectangle)] {
        guard objects.count > 200 else { return objects }
        return Array(objects.sorted { $0.0.box.area > $1.0.box.area }.prefix(200))
    }
}
