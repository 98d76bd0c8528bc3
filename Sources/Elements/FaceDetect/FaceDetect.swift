import Drawing
import ElementKit
import Imaging
import Vision

/// `svfacedetect` finds human and cat faces and follows them.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svfacedetect ! videoconvert ! autovideosink
final class FaceDetect: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svfacedetect", longName: "Face detector", category: .analyzer,
        description: "Finds human and cat faces with eyes, nose and mouth, and follows them")

    private let host: Host<Settings>

    struct State {
        var finder: Made<FaceFinder.Configuration, FaceFinder>
        var liveness = LivenessProbe()
        var frame = 0
        let luma = LumaPlane()
        var reporter = DetectionReporter()
    }

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings) throws -> State {
        State(finder: try Made(FaceFinder.Configuration(settings), FaceFinder.init))
    }

    func configure(_ state: inout State, for video: VideoFormat) {
        state.finder.product.reset()
        state.liveness = LivenessProbe()
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        host.warning { try state.finder.follow(FaceFinder.Configuration(settings), FaceFinder.init) }
        return settings.draw ? .transform : .read
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        state.frame += 1
        let plane = try state.luma.of(frame.pixels)
        let finder = state.finder.product
        let faces =
            state.liveness.waits(settings.mode, host)
            ? try finder.faces(in: plane, frame: state.frame)
            : try finder.faces(in: plane, frame: state.frame, searchingOn: host.worker)
        let found = faces.map { Detection($0, id: Int32(clamping: $0.id)) }
        let detections = frame.attach(
            found, searchedFor: finder.types, isComplete: finder.hasSearchedAll(finding: faces.count))
        state.reporter.report(detections, areTracked: settings.faces.track, settings.message, at: frame.time, host)
        if settings.draw {
            let width = frame.pixels.usualLineWidth
            for face in detections {
                frame.pixels.outline(
                    face.box, lineWidth: width, color: face.type == .catFace ? FaceColors.cat : FaceColors.human)
                frame.pixels.drawLandmarks(of: face, settings.landmarks, lineWidth: width)
            }
        }
    }

    func discontinuity(_ state: inout State) {
        state.finder.product.reset()
    }
}
