// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Vision

/// `svblobdetect` detects objects that differ from a plain background.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svblobdetect ! videoconvert ! autovideosink
final class BlobDetect: VideoFilter, SnapshotElement {
    static let metadata = ElementMetadata(
        name: "svblobdetect", longName: "Blob Detector", category: .analyzer,
        description: "Detects blobs that differ from a plain background, and draws boxes around the blobs")

    let host: Host<Settings>

    struct State {
        var detector: BlobDetector
        var tracker = BlobTracker(nextID: { Int(Detection.newID()) })
        var reporter = DetectionReporter()
        var frame = 0
    }

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings) throws -> State {
        try host.lines.open(settings.messageLocation)
        return State(detector: BlobDetector(settings: settings.blobs))
    }

    func configure(_ state: inout State, for video: VideoFormat) throws {
        state.detector.reset()
        state.tracker.reset()
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) throws -> FrameHandling {
        host.lines.follow(settings.messageLocation, host)
        let blobs = settings.blobs
        if blobs != state.detector.settings {
            // A new model cannot use the background that the previous model has learned, so reset the detector.
            if blobs.model != state.detector.settings.model { state.detector.reset() }
            state.detector.settings = blobs
        }
        return settings.draw || settings.show != .image ? .transform : .read
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        state.frame &+= 1
        let blobs = try state.detector.blobs(in: frame.pixels)
        let results =
            settings.track
            ? track(blobs, &state, in: frame.pixels) : blobs.map { Detection($0, id: Detection.newID()) }
        // If the number of blobs has reached the maximum, the detector may have dropped further blobs. So do not report
        // the search as complete.
        let detections = frame.attach(
            results, searchedFor: [.blob, .blob.possible], isComplete: blobs.count < settings.blobs.maxBlobs
        ).filter { !$0.type.isPossible }
        state.reporter.report(
            detections, areTracked: settings.track, settings.message, at: frame.time, size: frame.visibleSize, host)
        host.log(.log, state.detector.times.description)
        if let stage = settings.show.stage {
            try state.detector.draw(stage, blobs, color: settings.color, on: frame.pixels)
        }
        if settings.draw {
            for blob in detections {
                frame.pixels.drawBox(around: blob.box, color: settings.color)
            }
        }
    }

    /// Returns the tracked objects. If objects touch, they form one blob, and their boxes are only estimates. The
    /// result then also contains the whole blob as type `possible-blob`, so that elements that hide objects can hide
    /// all of it.
    private func track(_ blobs: [Blob], _ state: inout State, in frame: FrameImage) -> [Detection] {
        let objects = state.tracker.objects(
            in: blobs, width: frame.width, height: frame.height, frame: state.frame)
        let groups = Set(objects.filter(\.isEstimate).map(\.blob)).sorted()
        return objects.map { object in
            let id = Int32(clamping: object.id)
            return object.isEstimate
                ? Detection(estimate: object.box, id: id) : Detection(blobs[object.blob], id: id)
        } + groups.map { Detection(possible: blobs[$0]) }
    }

    func discontinuity(_ state: inout State) {
        // `reset` discards the background that the models `mog2` and `knn` have learned. For the other models, `reset`
        // has no effect.
        state.detector.reset()
        state.tracker.reset()
    }
}
