import ElementKit
import Pixels
import Synchronization

/// `svblend` blends a still foreground, a picture file or a captured frame, over the stream.
///
///     gst-launch-1.0 videotestsrc ! svblend location=photo.jpg mode=screen opacity=0.7 ! videoconvert ! autovideosink
final class Blend: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svblend", longName: "Photo blend", classification: "Filter/Effect/Video",
        description: "Blends a picture or a captured frame over the stream")
    static let formats = PixelFormat.all

    private let host: Host<Settings>
    private let requests = Mutex(Requests())
    private let loaded = Mutex(Loaded())

    /// What actions and keys ask of the streaming thread.
    struct Requests {
        var capture = false
        var clear = false
        /// The next composed frame is written to these paths.
        var snapshots: [String] = []
        /// The next composed frame is written to `snapshot-location`.
        var numberedSnapshot = false
    }

    /// What the worker has read, until the streaming thread takes it.
    private struct Loaded {
        var pictures: [Source: Picture] = [:]
        var snapshotsUnderWay = 0
    }

    /// Which property a picture comes from.
    enum Source: Hashable {
        case location, mask
    }

    struct State {
        /// The paths that were last asked for, loaded or not.
        var paths: [Source: String] = [:]
        var picture: Picture?
        var mask: Picture?
        /// A frame that becomes the foreground with the next one.
        var captured: Picture?
        var stream: VideoFormat?
        var recipe: Foreground.Recipe?
        var foreground: Foreground?
        var captureTimer = Timer()
        var snapshotTimer = Timer()
        var snapshots: [String] = []
        let blender = Blender()
    }

    init(host: Host<Settings>) {
        self.host = host
    }

    func request(_ change: (inout Requests) -> Void) {
        requests.withLock { change(&$0) }
    }

    func keyPressed(_ key: String) {
        let settings = host.settings
        guard settings.keys else { return }
        switch key {
        case "c": request { $0.capture = true }
        case "x": request { $0.clear = true }
        case "s": request { $0.numberedSnapshot = true }
        case "m": host.set(\.mode, to: settings.mode.next)
        case "M": host.set(\.mode, to: settings.mode.previous)
        case "plus", "KP_Add", "+": host.set(\.opacity, to: min(1, settings.opacity + 0.1))
        case "minus", "KP_Subtract", "-": host.set(\.opacity, to: max(0, settings.opacity - 0.1))
        default: break
        }
    }

    // MARK: - Streaming thread

    func start(_ settings: Settings) throws -> State {
        var state = State()
        if let path = settings.location {
            state.picture = try Picture.load(path)
            state.paths[.location] = path
        }
        if let path = settings.mask {
            state.mask = try Picture.load(path)
            state.paths[.mask] = path
        }
        return state
    }

    func configure(_ state: inout State, for video: VideoFormat) {
        state.stream = video
        state.recipe = nil
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) throws -> FrameHandling {
        let asked = requests.withLock { requests in
            defer { requests = Requests() }
            return requests
        }
        if let captured = state.captured.take() {
            state.picture = captured
        }
        if asked.clear {
            clear(&state, frame.time)
        }
        follow(settings.location, .location, &state, frame.time)
        follow(settings.mask, .mask, &state, frame.time)
        if asked.capture || state.captureTimer.isDue(at: frame.time.streamTime, every: settings.captureEvery) {
            capture(&state, frame)
        }

        state.snapshots += asked.snapshots
        if asked.numberedSnapshot || state.snapshotTimer.isDue(at: frame.time.streamTime, every: settings.snapshotEvery),
            let pattern = settings.snapshotLocation
        {
            state.snapshots.append(firstFree(pattern))
        }

        guard settings.mode != .none, settings.opacity > 0, let picture = state.picture, let stream = state.stream else {
            state.foreground = nil
            state.recipe = nil
            if !state.snapshots.isEmpty { write(frame.copy(), &state, frame.time) }
            return .passThrough
        }
        let recipe = Foreground.Recipe(picture, mask: state.mask, settings, frame: stream.size)
        if recipe != state.recipe {
            state.foreground = try Foreground(picture, mask: state.mask, recipe: recipe, stream: stream)
            state.recipe = recipe
        }
        return .transform
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) {
        state.foreground?.blend(
            onto: frame.image, at: (settings.xpos, settings.ypos), mode: settings.mode, opacity: settings.opacity,
            with: state.blender)
        if !state.snapshots.isEmpty, let stream = state.stream {
            write(Picture(copying: frame.image, format: stream), &state, frame.time)
        }
    }

    func discontinuity(_ state: inout State) {
        state.captureTimer.reset()
        state.snapshotTimer.reset()
    }

    // MARK: - Foreground

    /// Keeps to what the property says: a new path is read by the worker while the old picture stays.
    private func follow(_ path: String?, _ source: Source, _ state: inout State, _ time: FrameTime) {
        if path != state.paths[source] {
            state.paths[source] = path
            loaded.withLock { $0.pictures[source] = nil }
            if let path {
                host.worker.run { [self] in load(path, source) }
            } else {
                set(nil, source, &state)
            }
        }
        if let picture = loaded.withLock({ $0.pictures.removeValue(forKey: source) }) {
            set(picture, source, &state)
            if source == .location { announce("loaded", time, path: path, picture.size) }
        }
    }

    private func set(_ picture: Picture?, _ source: Source, _ state: inout State) {
        switch source {
        case .location: state.picture = picture
        case .mask: state.mask = picture
        }
    }

    /// On the worker's thread.
    private func load(_ path: String, _ source: Source) {
        do {
            let picture = try Picture.load(path)
            // By now the property may name another file, which is next in the worker's queue.
            let settings = host.settings
            guard path == (source == .location ? settings.location : settings.mask) else { return }
            loaded.withLock { $0.pictures[source] = picture }
        } catch {
            host.post(warning: error)
        }
    }

    private func capture(_ state: inout State, _ frame: borrowing InputFrame) {
        guard let picture = frame.copy() else {
            host.log(.warning, "the frame could not be captured")
            return
        }
        state.captured = picture
        announce("captured", frame.time, path: nil, picture.size)
    }

    private func clear(_ state: inout State, _ time: FrameTime) {
        host.set(\.location, to: nil)
        state.paths[.location] = nil
        state.picture = nil
        announce("cleared", time, path: nil, nil)
    }

    // MARK: - Snapshots

    /// More than this many unwritten frames are not kept: memory is worth more than a picture.
    private static let snapshotsAtOnce = 4

    private func write(_ picture: Picture?, _ state: inout State, _ time: FrameTime) {
        for path in state.snapshots {
            guard let picture, startSnapshot() else {
                host.log(.warning, "\(path): not written, too many pictures are waiting")
                continue
            }
            host.worker.run { [self] in
                do {
                    try picture.writePNG(to: path)
                    announce("saved", time, path: path, picture.size)
                } catch {
                    host.post(warning: error)
                }
                loaded.withLock { $0.snapshotsUnderWay -= 1 }
            }
        }
        state.snapshots = []
    }

    private func startSnapshot() -> Bool {
        loaded.withLock { loaded in
            guard loaded.snapshotsUnderWay < Self.snapshotsAtOnce else { return false }
            loaded.snapshotsUnderWay += 1
            return true
        }
    }

    private func announce(_ event: String, _ time: FrameTime, path: String?, _ size: PixelSize?) {
        guard host.settings.message != .none else { return }
        var message = Structure("svblend", at: time)
        message.set("event", event)
        if let path { message.set("location", path) }
        if let size {
            message.set("width", Int32(clamping: size.width))
            message.set("height", Int32(clamping: size.height))
        }
        host.post(message)
    }
}
