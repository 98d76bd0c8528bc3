// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import Imaging
import KernelTypes

/// `svblend` blends a still image over the video: an image file or a captured frame.
///
///     gst-launch-1.0 videotestsrc ! svblend location=photo.jpg mode=screen opacity=0.7 ! videoconvert ! autovideosink
final class Blend: VideoFilter, SnapshotElement {
    static let metadata = ElementMetadata(
        name: "svblend", longName: "Photo Blend", category: .effect,
        description: "Blends an image or a captured frame over the video")
    static let formats = FrameFormat.all + FrameFormat.deep

    static let snapshotEvent = "saved"

    let host: Host<Settings>
    let requests = Mailbox<Requests, NoStatus>()

    /// The requests from actions and key presses to the streaming thread.
    struct Requests: Mail {
        var capture = false
        var clear = false
        var restore = false
    }

    struct State {
        /// The image from the file `location`, or the captured frame that has replaced this image.
        var source: WatchedPicture
        var mask: WatchedPicture
        /// A captured frame that becomes the foreground with the next frame.
        var captured: Picture?
        /// The path of the last image that was loaded from a file.
        var lastPath: String?
        var stream: VideoFormat?
        var configuration: Foreground.Configuration?
        var foreground: Foreground?
        var captureTimer = Timer()
        var snapshotTimer = Timer()
        var threads: UInt32
        var blender: Blender
    }

    init(host: Host<Settings>) { self.host = host }

    func keyPressed(_ key: String) {
        let settings = host.settings
        guard settings.keys else { return }
        switch key {
        case "c":
            requests.request { requests, _ in requests.capture = true }
            host.tell("captured a frame. To load the image file again, press b")
        case "x":
            requests.request { requests, _ in requests.clear = true }
            host.tell("removed the foreground. To load the image file again, press b")
        case "b": requests.request { requests, _ in requests.restore = true }
        case "m": set(settings.layer.mode.next)
        case "M": set(settings.layer.mode.previous)
        case "plus", "KP_Add", "+": set(opacity: min(1, settings.layer.opacity + 0.1))
        case "minus", "KP_Subtract", "-": set(opacity: max(0, settings.layer.opacity - 0.1))
        default: break
        }
    }

    private func set(_ mode: BlendMode) {
        host.set(\.layer.mode, to: mode)
        host.tell("mode: \(mode.nick)")
    }

    private func set(opacity: Double) {
        host.set(\.layer.opacity, to: opacity)
        host.tell("opacity: \((opacity * 10).rounded() / 10)")
    }

    // MARK: - Streaming thread

    func start(_ settings: Settings) throws -> State {
        State(
            source: try WatchedPicture(settings.location), mask: try WatchedPicture(settings.layer.mask),
            threads: settings.threads, blender: Blender(threads: ThreadPool.count(asked: settings.threads)))
    }

    func configure(_ state: inout State, for video: VideoFormat) {
        state.stream = video
        state.configuration = nil
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) throws -> FrameHandling {
        let asked = requests.take()
        var location = settings.location
        if let path = location.value { state.lastPath = path }
        if let captured = state.captured.take() {
            location = replaceForeground(with: captured, &state, location)
        }
        if asked.clear {
            location = replaceForeground(with: nil, &state, location)
            announce("cleared", frame.time)
        }
        if asked.restore { location = restoreForeground(state, location) }
        if state.source.follow(location, host) {
            announce("loaded", frame.time, path: location.value, state.source.picture?.size)
        }
        state.mask.follow(settings.layer.mask, host)
        if asked.capture || state.captureTimer.isDue(at: frame.time.elapsed, every: settings.captureEvery) {
            capture(&state, frame)
        }

        if state.snapshotTimer.isDue(at: frame.time.elapsed, every: settings.snapshotEvery),
            let location = settings.snapshotLocation
        {
            host.snapshots.request(SnapshotRequest(.next(in: location)), host)
        }

        guard settings.layer.isVisible, let picture = state.source.picture, let stream = state.stream else {
            return .passThrough
        }
        let configuration = Foreground.Configuration(picture, mask: state.mask.picture, settings, frame: stream.shape)
        if configuration != state.configuration {
            do {
                state.foreground = try Foreground(
                    picture, mask: state.mask.picture, configuration: configuration, stream: stream)
            } catch {
                // Creating the new foreground has failed. Keep the previous foreground if its pixel format still fits
                // the stream, even if the frame size has changed.
                guard state.foreground?.fits(stream) == true else { throw error }
                host.post(warning: error)
            }
            state.configuration = configuration
        }
        return .transform
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) {
        if settings.threads != state.threads {
            state.threads = settings.threads
            state.blender = Blender(threads: ThreadPool.count(asked: settings.threads))
        }
        let isVisible = state.foreground?.blend(onto: frame.pixels, settings.layer, with: state.blender)
        if isVisible == true { frame.setChanged() }
    }

    func discontinuity(_ state: inout State) {
        state.captureTimer.reset()
        state.snapshotTimer.reset()
    }

    // MARK: - Foreground

    private func capture(_ state: inout State, _ frame: borrowing InputFrame) {
        guard let picture = frame.copy() else {
            host.post(warning: Picture.outOfMemory(state.stream?.size ?? PixelSize.zero))
            return
        }
        state.captured = picture
        announce("captured", frame.time, picture.size)
    }

    /// Replaces the foreground with a captured frame, or removes the foreground if `picture` is nil. Clears the
    /// property `location`, because the foreground no longer comes from a file.
    /// - Returns: the new value of `location`.
    private func replaceForeground(with picture: Picture?, _ state: inout State, _ location: Assigned<String>)
        -> Assigned<String>
    {
        state.source.replace(with: picture)
        state.foreground = nil
        state.configuration = nil
        host.set(\.location, to: Assigned<String>(), ifStill: location)
        return Assigned<String>()
    }

    /// Restores the last image that was loaded from a file.
    /// - Returns: the new value of `location`.
    private func restoreForeground(_ state: State, _ location: Assigned<String>) -> Assigned<String> {
        guard let path = state.lastPath else {
            host.tell("no image file to restore")
            return location
        }
        let restored = Assigned<String>(path)
        host.set(\.location, to: restored, ifStill: location)
        host.tell("image: \(path)")
        return restored
    }

    // MARK: - Messages

    private func announce(_ event: String, _ time: FrameTime, path: String? = nil, _ size: PixelSize? = nil) {
        guard host.settings.message != .none else { return }
        host.post(event: event, at: time) { message in
            if let path { message.set("location", path) }
            if let size { message.set(size) }
        }
    }
}
