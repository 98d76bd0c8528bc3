// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Synchronization
import Vision

/// `svblobclassify` gives names to the blobs that `svblobdetect` detects. It learns the names from a few training
/// images.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svblobdetect draw=false ! svblobclassify training=coins.plist !
///         videoconvert ! autovideosink
final class BlobClassify: VideoFilter, SnapshotElement {
    static let metadata = ElementMetadata(
        name: "svblobclassify", longName: "Blob Classifier", category: .analyzer,
        description: "Names blobs by comparison with training images, and learns new things")

    let host: Host<Settings>
    let store = ClassifierStore()
    let requests = Mailbox<TrainingRequests, TrainingStatus>()
    /// Number of images that are queued for learning.
    private let waiting = Atomic(0)

    struct State {
        var labels = TrackLabels()
        var liveness = LivenessProbe()
        var upstream = UpstreamMonitor(detectors: ["svblobdetect"], objects: "blobs")
        var reporter = DetectionReporter()
        var stillness = Stillness()
        var writing: LabelWriter?
        var review = ReviewView()
        var stream: VideoFormat?
        /// The training set and the report folder at the last test of the training images.
        var check = TrainingCheck.Cause(set: 0)
        let looks = BackgroundJob<[(blob: TrackLabels.Key, look: ClassifierStore.Comparison)]>()
        /// `wanted`: the last value of the property `learn-label`. `learned`: the label of the image that was learned
        /// for this value; nil if no image was learned yet.
        var wanted: String?
        var learned: String?
        /// The blob that the user clicked.
        var chosen: TrackLabels.Key?
        /// The blobs of the current frame, the largest first. `prepare` sets this value for `transform`.
        var blobs: [Detection] = []
        var frame = 0
    }

    init(host: Host<Settings>) { self.host = host }

    func keyPressed(_ key: String) {
        let settings = host.settings
        guard settings.keys, key == "l" else { return }
        let label = settings.learnLabel ?? nextLabel()
        host.tell(requests.learn(label) ? "learning \(label)" : "no blob to learn")
    }

    /// A click selects the blob to learn. If `learn-label` is set, the blob is learned immediately.
    func pointed(_ event: PointerEvent) -> Bool {
        let settings = host.settings
        guard event.isClick, settings.keys, requests.click(event.place, settings.learnLabel) else { return false }
        host.tell(settings.learnLabel.map { "learning \($0)" } ?? "selected a blob. Press l to learn this blob")
        return true
    }

    /// Returns the first unused label of `thing 1`, `thing 2` and so on.
    private func nextLabel() -> String {
        let taken = Set(store.knowledge.labels)
        return (1...taken.count + 1).lazy.map { "thing \($0)" }.first { !taken.contains($0) } ?? "thing"
    }

    /// Learns an image file on the worker thread.
    /// - Returns: true if the file exists, and the label is not empty.
    func learn(_ label: String, from path: String) -> Bool {
        guard !label.isEmpty, fileExists(path) else { return false }
        host.worker.run { [self] in
            host.warning {
                let file = try Picture.load(path) { host.worker.isEnding }
                let picture = try file.withImage { try BlobPicture(photo: $0, hasAlpha: file.hasAlpha) }
                guard let picture else {
                    throw ElementError(
                        .wrongType, "cannot learn \"\(path)\": the image shows no object. Use another image.")
                }
                waiting.add(1, ordering: .relaxed)
                carryOut(label, picture)
            }
        }
        return true
    }

    func save(to folder: String) -> Bool { host.warning { try store.save(to: folder) } }

    // MARK: - Streaming thread

    func start(_ settings: Settings) throws -> State {
        try host.lines.open(settings.messageLocation)
        try store.open(settings.configuration, saved: settings.saveLocation, host)
        if store.knowledge.labels.count < 2, settings.learnLabel == nil { host.post(warning: Self.nothingKnown) }
        var state = State()
        check(&state, settings, isStarting: true)
        return state
    }

    /// Tests the training images if the training set or the report folder has changed. At the start, a test that writes
    /// a report runs on the calling thread. Otherwise, a short stream could end before the report is written.
    private func check(_ state: inout State, _ settings: Settings, isStarting: Bool = false) {
        let cause = TrainingCheck.Cause(set: store.knowledge.set, folder: settings.reportLocation)
        guard cause != state.check else { return }
        state.check = cause
        let check = TrainingCheck(store, host, settings)
        if isStarting, cause.folder != nil { check.run() } else { check.runInBackground() }
    }

    func stop(_ state: inout State) {
        store.close()
        requests.clear()
    }

    func configure(_ state: inout State, for video: VideoFormat) {
        state.liveness = LivenessProbe()
        state.stream = video
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        host.lines.follow(settings.messageLocation, host)
        store.follow(settings.configuration, host)
        check(&state, settings)
        state.frame &+= 1
        let blobs = frame.detections.filter { $0.type == .blob }
        state.upstream.check([frame.search(for: .blob)], hasDetections: !blobs.isEmpty, at: frame.time.elapsed, host)
        state.blobs = Array(blobs.largestFirst.prefix(settings.which == .largest ? 1 : .max))
        if state.blobs.isEmpty {
            requests.publish(TrainingStatus())
            state.stillness.reset()
            state.reporter.report([], settings.message, at: frame.time, size: frame.visibleSize, host)
            return .passThrough
        }
        return settings.draw || settings.review ? .transform : .read
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        let waits = state.liveness.waits(settings.mode, host)
        try learn(&state, settings, frame, waits: waits)
        let knowledge = store.knowledge
        state.labels.see(state.blobs, frame: state.frame, knowledge)
        try look(&state, settings, frame, waits: waits)
        let classifier = settings.classifier(knowledge.settings.algorithm)
        let named = state.blobs.compactMap { blob -> Detection? in
            guard let answer = state.labels.answer(for: blob, classifier, labels: knowledge.labels) else { return nil }
            var named = blob
            named.classifications = [Classification(answer, by: classifier.algorithm)]
            return named
        }
        frame.attach(named)
        state.reporter.report(named, settings.message, at: frame.time, size: frame.visibleSize, host)
        if settings.review, let stream = state.stream, let largest = state.blobs.first {
            // Show only the name of the largest blob. If this blob has no name yet, do not show the name of another
            // blob.
            let key = TrackLabels.Key(largest)
            let name = named.first { TrackLabels.Key($0) == key }?.classifications.first?.label ?? ""
            try state.review.draw(largest.box, caption: name, on: frame.pixels, stream: stream)
        } else if settings.draw {
            try draw(named, &state, settings, on: frame.pixels)
        }
    }

    func discontinuity(_ state: inout State) {
        state.labels.reset()
        state.stillness.reset()
    }

    func endOfStream(_ state: inout State) { state.upstream.end(host) }

    // MARK: - Looking

    /// Maximum number of blobs that one job on the worker thread compares with the training images.
    private static let looksAtOnce = 4

    private func look(_ state: inout State, _ settings: Settings, _ frame: Frame, waits: Bool) throws {
        if let looks = try state.looks.take() {
            for (blob, look) in looks { state.labels.add(look, of: blob, frame: state.frame) }
        }
        let due = state.labels.due(
            state.blobs.filter { !$0.isEstimate }, frame: state.frame, every: settings.interval)
        if waits {
            // Compare all new blobs now. Blobs that were compared before are less urgent, so compare only one of them
            // again.
            for blob in due.new + due.again.prefix(1) where !host.worker.isEnding {
                guard let picture = picture(of: blob, in: frame) else { continue }
                state.labels.add(store.compare(picture, host), of: TrackLabels.Key(blob), frame: state.frame)
            }
        } else if state.looks.isIdle {
            let pictures = (due.new + due.again).prefix(Self.looksAtOnce).compactMap { blob in
                picture(of: blob, in: frame).map { (blob: TrackLabels.Key(blob), picture: $0) }
            }
            guard !pictures.isEmpty else { return }
            state.looks.begin(on: host.worker) { [store, host] in
                pictures.compactMap { blob, picture in
                    host.worker.isEnding ? nil : (blob, store.compare(picture, host))
                }
            }
        }
    }

    /// Returns the image of a blob; nil if the blob is outside the frame, or the image cannot be created.
    private func picture(of blob: Detection, in frame: Frame) -> BlobPicture? {
        do {
            return try BlobPicture(Blob(blob), in: frame.pixels)
        } catch {
            host.log(.warning, "cannot cut out a blob: \(error)")
            return nil
        }
    }

    // MARK: - Learning

    private func learn(_ state: inout State, _ settings: Settings, _ frame: Frame, waits: Bool) throws {
        let blobs = state.blobs.filter { !$0.isEstimate }
        guard let largest = blobs.first else {
            requests.publish(TrainingStatus())
            state.stillness.reset()
            return
        }
        // With `review`, the largest blob fills the whole frame, so a click at any position selects this blob.
        requests.publish(
            TrainingStatus(hasBlob: true, boxes: settings.review ? [frame.pixels.bounds] : blobs.map(\.box)))
        let asked = requests.take()
        if let place = asked.click {
            let shown = settings.review ? largest : blobs.smallest(at: place)
            state.chosen = shown.map { TrackLabels.Key($0) }
        }
        let chosen = blobs.first { TrackLabels.Key($0) == state.chosen }
        if chosen == nil { state.chosen = nil }
        var labels = asked.labels
        if settings.learnLabel != state.wanted {
            state.wanted = settings.learnLabel
            state.learned = nil
            state.stillness.reset()
        }
        if let label = settings.learnLabel, state.learned == nil {
            let reach = max(2, min(frame.pixels.width, frame.pixels.height) / 60)
            if state.stillness.isStill(largest.box, reach: reach, at: frame.time.elapsed) {
                labels.append(label)
                state.learned = label
            }
        }
        guard !labels.isEmpty else { return }
        state.chosen = nil
        guard let picture = picture(of: chosen ?? largest, in: frame) else { return }
        for label in labels {
            waiting.add(1, ordering: .relaxed)
            let lesson: @Sendable () -> Void = { [self] in carryOut(label, picture) }
            if waits { lesson() } else { host.worker.run(lesson) }
        }
    }

    private func carryOut(_ label: String, _ picture: BlobPicture) {
        let isLast = waiting.subtract(1, ordering: .relaxed).newValue == 0
        do {
            let settings = host.settings
            let limits = settings.classifier(store.knowledge.settings.algorithm)
            guard let learned = try store.learn(picture, as: label, limits) else { return }
            let advice = learned.review.advice(label)
            host.log(.info, "learned \(label). Number of images of \(label): \(learned.pictures)")
            if settings.message != .none {
                host.post(event: "learned") { message in
                    message.set("label", label)
                    message.set("label_id", learned.label)
                    message.set("pictures", learned.pictures)
                    message.set("recognised", learned.review.isRecognised)
                    if let other = learned.review.takenFor { message.set("taken-for", other) }
                    if let advice { message.set("advice", advice) }
                }
            }
            if let advice { host.post(warning: ElementError(.unsuitable, advice)) }
            if isLast, let folder = settings.saveLocation { try store.save(to: folder) }
        } catch {
            host.post(warning: error)
        }
    }

    // MARK: - Drawing

    /// Box colour of unidentified blobs.
    private static let gray: Color = 0xFFC0_C0C0
    /// Box colour of the blob that the user clicked.
    private static let chosenColor: Color = 0xFFFF_A000

    private func draw(_ blobs: [Detection], _ state: inout State, _ settings: Settings, on frame: FrameImage) throws {
        let writing = try LabelWriter.matching(&state.writing, font: nil, frame: frame.shape)
        let named = blobs.compactMap { blob in blob.classifications.first.map { (box: blob.box, answer: $0) } }
        func color(_ answer: Classification) -> Color { answer.labelID == 0 ? Self.gray : settings.color }
        let places = named.map { frame.drawBox(around: $0.box, color: color($0.answer)) }
        if let chosen = state.blobs.first(where: { TrackLabels.Key($0) == state.chosen }) {
            frame.drawBox(around: chosen.box, color: Self.chosenColor)
        }
        var taken: [Rectangle] = []
        for ((_, answer), place) in zip(named, places) {
            writing.label(
                answer.label, at: place, on: frame, color: color(answer), avoiding: &taken, objects: places)
        }
    }

    // MARK: - Warnings

    private static let nothingKnown = ElementError(
        .unsuitable,
        "cannot name blobs: there are no training images. Set training or learn-label, or press l to learn a blob.")
}

extension LessonReview {
    /// Returns advice for the user; nil if the classifier recognizes the learned image.
    func advice(_ label: String) -> String? {
        guard !isRecognised else { return nil }
        guard let takenFor else {
            return
                "learned \(label), but cannot recognise \(label) in the same image. Raise max-distance, or learn another "
                + "image: sharp, in even light, and with a background that differs from \(label) in colour."
        }
        let help =
            isTellableBySize
            ? "The two things differ in size. If the camera is fixed, set size-matters=true."
            : "Learn another image of the thing, in other light or from another side. If the new image does not help, forget "
                + "one of the two labels."
        return "learned \(label), but \(label) looks like \(takenFor). \(help)"
    }
}

extension Classification {
    fileprivate init(_ answer: BlobAnswer, by algorithm: ClassifierSettings.Algorithm) {
        self.init(
            name: "blob-class", label: answer.name, labelID: Int32(clamping: answer.label),
            confidence: answer.confidence, modelName: algorithm.nick, distance: answer.distance)
    }
}
