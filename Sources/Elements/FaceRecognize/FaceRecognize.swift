// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Synchronization
import Vision

/// `svfacerecognize` recognises the faces that `svfacedetect` has found.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svfacedetect draw=false ! svfacerecognize people=family ! videoconvert !
///         autovideosink
final class FaceRecognize: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svfacerecognize", longName: "Face Recogniser", category: .analyzer,
        description: "Collects and learns faces, and recognises people among the faces detected by svfacedetect")

    private let host: Host<Settings>
    private let database: FaceDatabase
    /// The faces of the last frame.
    private let seen = Mutex<[Detection]>([])

    struct State {
        /// The settings that were followed last.
        var followed: Settings
        /// The number of times that somebody had been forgotten when the votes began.
        var forgets: Int
        let cropper: FaceCropper
        var votes = TrackVotes()
        var looks = TrackLooks()
        /// The recogniser that the looks are of.
        var recognizer: Recognizer?
        /// True if the detector measures only the eyes.
        var measuresEyesOnly = false
        var upstream = UpstreamMonitor(detectors: ["svfacedetect"], objects: "faces")
        var reporter = DetectionReporter()
        var liveness = LivenessProbe()
        /// The faces of the frame that `prepare` saw, the largest first.
        var faces: [Detection] = []
        /// The writing of names; nil also if there is no font.
        var writing: LabelWriter?
        /// The face number of the whole frame: of a picture so small that it is a face.
        var wholeID: Int32?
        /// The number of the frame.
        var frame = 0
        var size = PixelSize.zero
    }

    init(host: Host<Settings>) {
        self.host = host
        database = FaceDatabase(host)
    }

    static let actions: [Action<FaceRecognize>] = [
        Action(
            "collect", "Collect the largest face under this name; returns true if the name is valid",
            ActionArgument("name", .words)
        ) {
            (element: FaceRecognize, name: String) in element.database.collect(name, trains: false)
        },
        Action("train", "Learn all faces from model, people and the stream, in the background") {
            (element: FaceRecognize) in element.learnInBackground()
        },
        Action("save", "Write the model to this path, in the background", ActionArgument("path")) {
            (element: FaceRecognize, path: String) in
            element.inBackground { try $0.save(to: path) }
        },
        Action(
            "forget", "Remove a person from memory and from model files; returns true if a known person was removed",
            ActionArgument("name", .words)
        ) { (element: FaceRecognize, name: String) in element.forget(name) },
    ]

    private func inBackground(_ work: @escaping @Sendable (FaceDatabase) throws -> Void) {
        host.worker.run { [host, database] in host.warning { try work(database) } }
    }

    /// Learns on the worker. The next start learns everything anyway, so nobody waits for this at the end.
    private func learnInBackground() {
        inBackground { [host] in try $0.train { host.worker.isEnding } }
    }

    /// Forgets a person, in memory and in files, and has the rest learned in the background.
    /// - Returns: true if anything was known, and nothing of it is left.
    private func forget(_ name: String) -> Bool {
        let isKnown = database.dismiss(name)
        defer { if isKnown { learnInBackground() } }
        var gone: [String] = []
        host.warning { gone = try database.erase([name], known: isKnown ? [name] : []) }
        return !gone.isEmpty
    }

    /// Forgets people in the same way, but handles the files in the background.
    private func forgetWithoutWaiting(_ names: [String]) {
        guard !names.isEmpty else { return }
        let known = names.filter { database.dismiss($0) }
        inBackground { _ = try $0.erase(names, known: known) }
        if !known.isEmpty { learnInBackground() }
    }

    func keyPressed(_ key: String) {
        let settings = host.settings
        guard settings.keys else { return }
        switch key {
        case "c":
            let name = nextName(settings)
            database.collect(name, trains: false)
            host.tell("collecting faces of \(name)")
        case "t":
            learnInBackground()
            host.tell("learning")
        case "s":
            if let path = settings.saveLocation ?? settings.model.value {
                inBackground { try $0.save(to: path) }
                host.tell("saving to \(path)")
            } else {
                host.post(warning: Self.noLocation)
            }
        case "Delete":
            guard let name = database.largest else {
                return host.tell("cannot forget: no face in the frame has a name")
            }
            forgetWithoutWaiting([name])
            host.tell("forgetting \(name)")
        default: break
        }
    }

    /// A click collects the face under it, as the key c does the largest one.
    func pointed(_ event: PointerEvent) -> Bool {
        let settings = host.settings
        guard event.isClick, settings.keys, let face = seen.withLock({ $0.smallest(at: event.place) }) else {
            return false
        }
        let name = nextName(settings)
        database.collect(name, trains: false, of: face)
        host.tell("collecting faces of \(name)")
        return true
    }

    /// Returns the first name of `collect-name` that has not been collected, else a number.
    private func nextName(_ settings: Settings) -> String {
        let numbered = (1...1000).lazy.map { "Person \($0)" }
        func isFree(_ name: String) -> Bool { !database.hasCollected(name) }
        return settings.collectNames.first(where: isFree) ?? numbered.first(where: isFree) ?? "Person"
    }

    // MARK: - Streaming thread

    func start(_ settings: Settings) throws -> State {
        try host.lines.open(settings.messageLocation)
        database.close()
        try database.read(.model, settings.model.value)
        // The model may have set an algorithm.
        try database.chooseMethod()
        try database.read(.folder, settings.people.value)
        let forgotten = settings.forgetNames
        _ = try database.erase(forgotten, known: forgotten.filter { database.dismiss($0) })
        // Other people may be collected, and until then nobody is recognised.
        if database.canTrain { try database.train() } else { host.post(warning: Self.tooFew) }
        if database.isEmpty, settings.collectNames.isEmpty { host.post(warning: Self.nobodyKnown) }
        collect(settings.collectNames)
        let cropper = FaceCropper { [host] in
            let model = try host.settings.detector.model { host.post(warning: $0) }
            return try PortraitCutter(library: CascadeLibrary(), model: model)
        }
        return State(followed: settings, forgets: database.forgets, cropper: cropper)
    }

    private func collect(_ names: [String]) {
        for name in names where !database.hasCollected(name) { database.collect(name, trains: true) }
    }

    func configure(_ state: inout State, for video: VideoFormat) {
        state.liveness = LivenessProbe()
        state.wholeID = nil
        state.size = video.size
        state.writing = try? LabelWriter(font: nil, frame: video.shape)
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        host.lines.follow(settings.messageLocation, host)
        follow(&state, settings)
        state.frame &+= 1
        let all = frame.detections.filter { $0.type == .face }
        state.faces = all.largestFirst
        if state.faces.isEmpty, let whole = whole(&state) { state.faces = [whole] }
        seen.withLock { [faces = state.faces] in $0 = faces }
        state.measuresEyesOnly = frame.searchMethod(for: .face) == .cascade
        state.upstream.check(
            [frame.search(for: .face)], hasDetections: !state.faces.isEmpty, at: frame.time.elapsed, host)
        if state.faces.isEmpty || settings.phase == .idle {
            database.publish(largest: nil)
            state.reporter.report([], settings.message, at: frame.time, size: frame.visibleSize, host)
            return .passThrough
        }
        return settings.draw ? .transform : .read
    }

    /// The longest side, in pixels, of pictures that are taken for faces if no face is found in them.
    private static let largestWhole = 128

    private func whole(_ state: inout State) -> Detection? {
        guard max(state.size.width, state.size.height) <= Self.largestWhole else { return nil }
        if state.wholeID == nil {
            host.log(.info, "no face detected in a small frame, so svfacerecognize uses the whole frame as a face")
        }
        let id = state.wholeID ?? Detection.newID()
        state.wholeID = id
        return Detection(type: .face, id: id, box: state.size.bounds)
    }

    /// Applies changed properties; slow work goes to the worker.
    private func follow(_ state: inout State, _ new: Settings) {
        let old = state.followed
        state.followed = new
        let forgets = database.forgets
        if forgets != state.forgets {
            (state.votes, state.looks, state.forgets) = (TrackVotes(), TrackLooks(), forgets)
        }
        for source in People.Source.allCases {
            let wanted = new[keyPath: source.location]
            guard wanted != old[keyPath: source.location] else { continue }
            inBackground { [host] in
                func isObsolete() -> Bool { host.worker.isEnding || host.settings[keyPath: source.location] != wanted }
                try $0.read(source, wanted.value, unless: isObsolete)
                try $0.train(unless: isObsolete)
            }
        }
        // A model that was read has been trained by its own algorithm.
        let isOther = old.algorithm != new.algorithm && old.model == new.model
        if isOther || old.embeddingModel != new.embeddingModel { learnInBackground() }
        if old.forgetName != new.forgetName, old.forgetNames != new.forgetNames {
            forgetWithoutWaiting(new.forgetNames)
        }
        if old.collectName != new.collectName, old.collectNames != new.collectNames { collect(new.collectNames) }
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        let (recognizer, method) = database.learned
        if state.recognizer !== recognizer { (state.recognizer, state.looks) = (recognizer, TrackLooks()) }
        let wanted = database.face(among: state.faces)
        var known: [Detection] = []
        for face in state.faces {
            let isWanted = wanted.map { $0.id == face.id && $0.box == face.box } ?? false
            guard recognizer != nil || isWanted,
                let crop = try state.cropper.crop(
                    face, in: frame.pixels, whole: face.id == state.wholeID, eyesOnly: state.measuresEyesOnly)
            else { continue }
            if isWanted { try collect(crop, method, &state, frame) }
            guard let recognizer else { continue }
            let answer =
                method.model == nil
                ? try compare(face, crop, recognizer, &state, settings)
                : try look(at: face, crop, recognizer, method, &state, settings, frame.pixels)
            guard let answer else { continue }
            var result = face
            result.classifications = [Classification(answer.vote, recognizer, confirmations: answer.confirmations)]
            known.append(result)
        }
        let attached = frame.attach(known)
        database.publish(largest: attached.lazy.compactMap(\.classifications.first).first { $0.labelID > 0 }?.label)
        state.reporter.report(attached, settings.message, at: frame.time, size: frame.visibleSize, host)
        if settings.draw { draw(state, settings, attached, on: frame.pixels) }
    }

    /// Collects a face if it shows something new.
    private func collect(
        _ face: CroppedFace, _ method: RecognitionMethod, _ state: inout State, _ frame: Frame
    ) throws {
        let time = frame.time.elapsed
        guard database.wants(face.sample, at: time),
            let known = try state.cropper.known(face, in: frame.pixels, for: method)
        else { return }
        if database.add(known, face.sample, at: time) { trainNow(&state) }
    }

    private typealias Answer = (vote: PersonVotes.Vote, confirmations: Int)

    /// Compares the image of a face with those of known faces.
    private func compare(
        _ face: Detection, _ crop: CroppedFace, _ recognizer: Recognizer, _ state: inout State, _ settings: Settings
    ) throws -> Answer {
        let now = recognizer.vote(try recognizer.nearest(to: crop.sample), threshold: settings.threshold)
        let vote = state.votes.add(now, to: face, settings)
        var look = CloserLook.Answer.contradicted
        // A frame in which the face is another known person's speaks against the name.
        if let name = vote.name, now.name == nil || now.name == name {
            look = try recognizer.look(at: crop.sample, for: name)
        }
        return (vote, state.votes.confirm(face, crop.sample, as: vote.name, look, frame: state.frame))
    }

    /// Compares the embedding of a face with those of known faces, in frames where that is due.
    /// - Returns: nil if the face was never looked at, as nothing of it is in the frame.
    private func look(
        at face: Detection, _ crop: CroppedFace, _ recognizer: Recognizer, _ method: RecognitionMethod,
        _ state: inout State, _ settings: Settings, _ frame: FrameImage
    ) throws -> Answer? {
        if state.looks.needsLook(face, crop.sample, frame: state.frame),
            let known = try state.cropper.known(crop, in: frame, for: method)
        {
            state.looks.add(try recognizer.nearest(to: known), to: face, crop.sample, frame: state.frame)
        }
        return try state.looks.answer(about: face, crop.sample, recognizer, settings, frame: state.frame)
    }

    /// Trains what was collected; if the source is not live, before the stream goes on.
    private func trainNow(_ state: inout State) {
        let isEnding: @Sendable () -> Bool = { [host] in host.worker.isEnding }
        if state.liveness.waits(.auto, host) {
            database.trainAndSave(unless: isEnding)
        } else {
            inBackground { $0.trainAndSave(unless: isEnding) }
        }
    }

    func endOfStream(_ state: inout State) { state.upstream.end(host) }

    func stop(_ state: inout State) { database.finish() }

    private func draw(_ state: State, _ settings: Settings, _ known: [Detection], on frame: FrameImage) {
        let collection = database.collection
        var labels: [(text: String, place: Rectangle, color: Color)] = []
        for face in state.faces {
            let answer = known.first { $0.id == face.id && $0.box == face.box }?.classifications.first
            let isWanted = collection?.track == face.id
            let color: Color =
                isWanted ? 0xFFFF_A000 : (answer?.labelID ?? 0) > 0 ? 0xFF30_D060 : 0xFFA0_A0A0
            let place = frame.drawBox(around: face.box, color: color)
            var text: String?
            if isWanted, let collection {
                text = "\u{2068}\(collection.name)\u{2069} \(collection.count)/\(settings.collectCount)"
            } else if let answer {
                text = "\u{2068}\(answer.label)\u{2069} \(Int((answer.confidence ?? 0) * 100 + 0.5))%"
            }
            if let text { labels.append((text, place, color)) }
        }
        var taken: [Rectangle] = []
        for (text, place, color) in labels {
            state.writing?.label(
                text, at: place, on: frame, color: color, avoiding: &taken, objects: labels.map(\.place))
        }
    }

    private static let tooFew = ElementError(.unsuitable, "cannot recognise faces yet: \(Recognizer.tooFew)")
    private static let nobodyKnown = ElementError(
        .unsuitable,
        "cannot recognise faces: no person is learned. Set people to a folder of images, set model to a file, or collect faces "
            + "with collect-name or the key c.")
    private static let noLocation = ElementError(
        .unsuitable, "cannot save: no file is set. Set save-location to a path.")
}
