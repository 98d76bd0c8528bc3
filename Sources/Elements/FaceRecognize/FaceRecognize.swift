// SPDX-License-Identifier: LGPL-2.1-or-later
import Drawing
import ElementKit
import Imaging
import Synchronization
import Vision

/// `svfacerecognize` recognises people among the faces that `svfacedetect` detects.
///
///     gst-launch-1.0 v4l2src ! videoconvert ! svfacedetect draw=false ! svfacerecognize people=family ! videoconvert !
///         autovideosink
final class FaceRecognize: VideoFilter, SnapshotElement {
    static let metadata = ElementMetadata(
        name: "svfacerecognize", longName: "Face Recogniser", category: .analyzer,
        description: "Collects and learns faces, and recognises people among the faces detected by svfacedetect")

    let host: Host<Settings>
    var hasOtherUseOfS: Bool { true }
    let database: FaceDatabase
    private let lastFaces = Mutex<[Detection]>([])
    /// True if the action `report` has requested a message about the next frame.
    private let isReportWanted = Atomic(false)
    /// Current and recent faces, so that users can correct the names of these faces.
    let recent = Mutex(RecentFaces())

    struct State {
        /// The settings at the last call of `follow`.
        var followed: Settings
        /// The value of `FaceDatabase.forgets` when the votes and observations were last cleared.
        var forgets: Int
        /// The value of `FaceDatabase.corrections` when the votes and observations were last cleared.
        var corrections: Int
        let cropper: FaceCropper
        var votes = TrackVotes()
        var observations = TrackObservations()
        /// Assigns the face ids by the vectors of the network.
        var identities = FaceIdentities()
        /// The recogniser that has computed the matches in `observations`.
        var recognizer: Recognizer?
        /// True if the detector measures only the eyes.
        var measuresEyesOnly = false
        var upstream = UpstreamMonitor(detectors: ["svfacedetect"], objects: "faces")
        var reporter = DetectionReporter()
        var liveness = LivenessProbe()
        /// The faces of the current frame, the largest first. `prepare` sets this value.
        var faces: [Detection] = []
        /// Writes the names; nil if there is no font.
        var writing: LabelWriter?
        /// The id of the face that stands for the whole frame. Used if the frame is small enough to count as a face;
        /// see `largestWhole`.
        var wholeID: Int32?
        /// Index of the current frame.
        var frame = 0
        var size = PixelSize.zero
    }

    init(host: Host<Settings>) {
        self.host = host
        database = FaceDatabase(host)
    }

    static let actions: [Action<FaceRecognize>] = [
        Action(
            "collect", "Collect the largest face under this name. Returns true if the name is valid",
            ActionArgument("name", .words)
        ) {
            (element: FaceRecognize, name: String) in element.database.collect(name, trains: false)
        },
        Action("train", "Start to learn all faces: the faces in model and people, and the collected faces") {
            (element: FaceRecognize) in element.learnInBackground()
        },
        Action("save", "Start to write the model to this path", ActionArgument("path")) {
            (element: FaceRecognize, path: String) in
            element.inBackground { try $0.save(to: path) }
        },
        Action(
            "forget",
            "Remove a person from memory, model files and the file at the path in unknowns-location. Returns true if "
                + "svfacerecognize knew the person and has removed all data",
            ActionArgument("name", .words)
        ) { (element: FaceRecognize, name: String) in element.forget(name) },
        Action(
            "confirm", "Learn the face with this id under this name. Returns true on success", ActionArgument("id"),
            ActionArgument("name", .words)
        ) { (element: FaceRecognize, id: Int32, name: String) in element.confirm(id, name) },
        Action(
            "reject",
            "Remove the name from the face with this id, and do not give the face this name again. Returns true if the "
                + "face had a name",
            ActionArgument("id", selectsData: true)
        ) { (element: FaceRecognize, id: Int32) in element.reject(id) },
        Action("report", "Post a message about the faces in the next frame") { (element: FaceRecognize) in
            element.isReportWanted.store(true, ordering: .relaxed)
        },
        .snapshot,
    ]

    /// Posts a message about the faces of a frame, if the property `message` or the action `report` requests one.
    func report(_ faces: [Detection], _ state: inout State, _ settings: Settings, at time: FrameTime, size: PixelSize) {
        let isWanted = isReportWanted.exchange(false, ordering: .relaxed)
        state.reporter.report(faces, isWanted ? .everyFrame : settings.message, at: time, size: size, host)
    }

    func inBackground(_ work: @escaping @Sendable (FaceDatabase) throws -> Void) {
        host.worker.run { [host, database] in host.warning { try work(database) } }
    }

    /// Trains in the worker thread. The training stops if the element stops, because the element trains again at the
    /// next start.
    private func learnInBackground() {
        inBackground { [host] in try $0.train { host.worker.isEnding } }
    }

    /// Removes a person from memory and files, and trains with the remaining people in the background.
    /// - Returns: true if there was data of the person, and all of this data was removed.
    private func forget(_ name: String) -> Bool {
        let isKnown = database.dismiss(name)
        defer { if isKnown { learnInBackground() } }
        var gone: [String] = []
        host.warning { gone = try database.erase([name], known: isKnown ? [name] : []) }
        return !gone.isEmpty
    }

    /// Adds a face under a name, and trains in the background.
    /// - Returns: true if a current or recent face has the id, the name is valid, and the maximum number of faces is
    ///   not reached.
    private func confirm(_ id: Int32, _ name: String) -> Bool {
        let face = recent.withLock { $0[id] }
        return host.warning {
            if let face, !face.faces.isEmpty {
                try database.confirm(face, of: id, as: name)
                correctInBackground()
                if let stranger = face.stranger { forgetWithoutWaiting([Strangers.label(stranger)]) }
            } else {
                guard id != 0, lastFaces.withLock({ $0.contains { $0.id == id } }) else {
                    throw FaceDatabase.noFace(id, "confirm")
                }
                try database.confirm(unseen: id, as: name)
            }
        }
    }

    /// Rejects the name of a face.
    /// - Returns: true if a current or recent face has the id, and has the name of a known person.
    private func reject(_ id: Int32) -> Bool {
        host.warning {
            guard let face = recent.withLock({ $0[id] }) else { throw FaceDatabase.noFace(id, "reject the name of") }
            _ = try database.reject(face, of: id)
            recent.withLock { $0.removeName(of: id) }
            correctInBackground()
        }
    }

    /// Trains and saves after a correction, in the background. Even before the training ends, the next frame no longer
    /// shows a rejected name.
    private func correctInBackground() {
        inBackground { [host] in $0.trainAndSave { host.worker.isEnding } }
    }

    /// Removes people from memory immediately, and from files in the background.
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

    /// Handles a click on a face. A click in a video window collects the face. A click on a web page only posts the
    /// message `selected`, because the page asks its user for the name.
    func pointed(_ event: PointerEvent) -> Bool {
        let settings = host.settings
        guard event.isClick, settings.keys, let face = lastFaces.withLock({ $0.smallest(at: event.place) }) else {
            return false
        }
        if event.isFromPage, face.id != 0 {
            let known = recent.withLock { $0[face.id] }
            database.tell("selected") { message in
                message.set("id", face.id)
                message.set("name", known?.name ?? known?.stranger.map { Strangers.label($0) } ?? "unknown")
            }
            return true
        }
        let name = nextName(settings)
        database.collect(name, trains: false, of: face)
        host.tell("collecting faces of \(name)")
        return true
    }

    /// Returns the first name in `collect-name` for which no face is collected yet. If there is no such name, returns
    /// `Person N` with the smallest unused number N.
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
        // The algorithm may come from the model file, so the model file is read first.
        try database.chooseMethod()
        try database.read(.folder, settings.people.value)
        let forgotten = settings.forgetNames
        _ = try database.erase(forgotten, known: forgotten.filter { database.dismiss($0) })
        // If there are too few people, only posts a warning, because more people can be collected from the stream.
        if database.canTrain { try database.train() } else { host.post(warning: Self.tooFew) }
        if database.isEmpty, settings.collectNames.isEmpty, settings.unknowns == .none {
            host.post(warning: Self.nobodyKnown)
        }
        collect(settings.collectNames)
        try database.openStrangers()
        recent.withLock { $0.removeAll() }
        let cropper = FaceCropper { [host] in
            let model = try host.settings.detector.model { host.post(warning: $0) }
            return try PortraitCutter(library: CascadeLibrary(), model: model)
        }
        return State(
            followed: settings, forgets: database.forgets, corrections: database.corrections, cropper: cropper)
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
        if state.faces.isEmpty, let wholeFrame = wholeFrame(&state) { state.faces = [wholeFrame] }
        let faces = state.faces.map { state.identities.identified($0) }
        lastFaces.withLock { $0 = faces }
        state.measuresEyesOnly = frame.searchMethod(for: .face) == .cascade
        state.upstream.check(
            [frame.search(for: .face)], hasDetections: !state.faces.isEmpty, at: frame.time.elapsed, host)
        if database.strangers.expire(settings.unknownsRetention) { inBackground { try $0.strangers.save() } }
        if state.faces.isEmpty || settings.phase == .idle && !database.countsStrangers {
            state.identities.expire([], at: frame.time.elapsed, keeping: settings.returnTime)
            recent.withLock { $0.update([:], at: frame.time.elapsed, keeping: settings.returnTime) }
            database.publish(largest: nil)
            report([], &state, settings, at: frame.time, size: frame.visibleSize)
            return .passThrough
        }
        return settings.draw ? .transform : .read
    }

    /// If no face is detected in a frame, and both sides of the frame have at most this length in pixels, the whole
    /// frame counts as a face.
    private static let largestWhole = 128

    private func wholeFrame(_ state: inout State) -> Detection? {
        guard max(state.size.width, state.size.height) <= Self.largestWhole else { return nil }
        if state.wholeID == nil {
            host.log(.info, "no face detected in a small frame, so svfacerecognize uses the whole frame as a face")
        }
        let id = state.wholeID ?? Detection.newID()
        state.wholeID = id
        return Detection(type: .face, id: id, box: state.size.bounds)
    }

    /// Applies changed properties. Slow work runs in the worker thread.
    private func follow(_ state: inout State, _ new: Settings) {
        let old = state.followed
        state.followed = new
        let forgets = database.forgets
        if forgets != state.forgets {
            (state.votes, state.observations, state.forgets) = (TrackVotes(), TrackObservations(), forgets)
            state.identities.discardVectors()
            recent.withLock { $0.removeAll() }
        }
        let corrections = database.corrections
        if corrections != state.corrections {
            (state.votes, state.observations, state.corrections) = (TrackVotes(), TrackObservations(), corrections)
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
        // If the property `model` has changed, reading the new model already starts a training with the new algorithm.
        let isOther = old.algorithm != new.algorithm && old.model == new.model
        let isOtherMethod = isOther || old.embeddingModel != new.embeddingModel
        if isOtherMethod { learnInBackground() }
        let isOtherChoice = old.unknowns != new.unknowns || old.unknownsLocation != new.unknownsLocation
        if isOtherChoice || isOtherMethod && new.unknowns == .cluster {
            inBackground {
                try $0.strangers.save()
                try $0.openStrangers()
            }
        }
        if old.forgetName != new.forgetName, old.forgetNames != new.forgetNames {
            forgetWithoutWaiting(new.forgetNames)
        }
        if old.collectName != new.collectName, old.collectNames != new.collectNames { collect(new.collectNames) }
    }

    func endOfStream(_ state: inout State) { state.upstream.end(host) }

    func stop(_ state: inout State) {
        database.finish()
        recent.withLock { $0.removeAll() }
        lastFaces.withLock { $0 = [] }
    }

    private static let tooFew = ElementError(.unsuitable, "cannot recognise faces yet: \(Recognizer.tooFew)")
    private static let nobodyKnown = ElementError(
        .unsuitable,
        "cannot recognise faces: no person is learned. Set people to a folder of images, or set model to a model file. Or "
            + "collect faces: set collect-name, or press the key c.")
    private static let noLocation = ElementError(
        .unsuitable, "cannot save: no file is set. Set save-location to a path.")
}
