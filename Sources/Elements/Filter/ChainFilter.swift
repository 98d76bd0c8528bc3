// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters
import Imaging
import Synchronization

/// `svfilter` applies a chain of named filters to the stream.
///
///     gst-launch-1.0 videotestsrc ! svfilter filters="sepia-tone | vignette" ! videoconvert ! autovideosink
final class ChainFilter: VideoFilter, SnapshotElement {
    static let metadata = ElementMetadata(
        name: "svfilter", longName: "Filter Chain", category: .effect,
        description: "Applies a chain of named filters: colours, blurs, distortions, styles",
        lists: [("filters", Filter.catalogue), ("looks", Look.catalogue)])
    static let formats = FrameFormat.all + FrameFormat.deep

    static let actions: [Action<ChainFilter>] = [
        Action(
            "set-parameter",
            "Set a numeric parameter of a filter in the chain, such as sepia-tone.intensity. median#2.radius is the "
                + "radius of the second median filter. Returns true on success",
            ActionArgument("parameter", .words, selectsParameter: true), ActionArgument("value")
        ) { (filter: ChainFilter, path: String, value: Double) in filter.setParameter(path, to: value) },
        .snapshot,
    ]

    let host: Host<Settings>
    private let live = Mutex(LiveChain())
    private let file = WatchedText("a filter chain", atMost: 1 << 20)
    private let shown = Mutex<ShownChain?>(nil)
    /// True while the worker thread has a job that updates the property `parameters`.
    private let isReporting = Atomic(false)

    struct State {
        /// `asked`: the last values of `filters` and `look` that were sent to the worker thread; nil if the chain comes
        /// from a file. `playing`: the text of the current chain.
        var asked: ChainText?
        var playing: ChainText?
        /// If the chain comes from a file: the value of the property `look` in the last job for the worker thread.
        var look: String?
        var chain = FilterChain()
        /// `start`: the `elapsed` time of the first frame with the current chain. `time`: the time since this frame.
        var start = ClockTime.zero
        var time = ClockTime.zero
        /// The `elapsed` time of the first frame after the last change of the chain by the application; nil if there
        /// was no change.
        var change: ClockTime?
        /// The chain at the previous frame. The filters of the demo (`reel`) are not part of this chain.
        var previous: FilterChain?
        /// True if the last change of the chain by the application was less than `adjusting` before the current frame.
        var isAdjusted = false
        var threads: UInt32
        var runner: FilterRunner
        let positions = PositionMapCache()
        var reel: Reel?
        /// True if the execution plan of the chain is not logged yet.
        var isNew = true
    }

    /// After a change of the chain, the next change is likely to follow within this time, for example while the user
    /// moves a slider. Until then, svfilter computes distortions less exactly, but faster.
    private static let adjusting = ClockTime(nanoseconds: 500_000_000)

    init(host: Host<Settings>) { self.host = host }

    // MARK: - Any thread

    private func setParameter(_ path: String, to value: Double) -> Bool {
        // Update `parameters` even if the parameter cannot be set, because the following lines may read a new chain.
        defer { updateParametersLater() }
        // The application may have set a new chain that the streaming thread has not read yet, so read this chain now.
        host.warning { if let text = try wanted(host.settings) { try read(text) } }
        do throws(FilterChainError) {
            try live.withLock { live throws(FilterChainError) in try live.chain.set(path, to: value) }
            return true
        } catch {
            host.post(
                warning: ElementError(error, in: "set-parameter \(path), at character \(error.position + 1)"))
            return false
        }
    }

    /// Returns the text of the chain from the file `filters-file`, or from `filters` if `filters-file` is not set.
    /// Reads the file if it was not read yet. Nil if an earlier attempt to read the file has failed.
    private func wanted(_ settings: Settings) throws(ElementError) -> ChainText? {
        guard settings.filtersFile.value != nil else { return ChainText(text: settings.filters, look: settings.look) }
        if let content = file.content(of: settings.filtersFile) { return ChainText(content, look: settings.look) }
        return try file.poll(settings.filtersFile).map { ChainText($0, look: settings.look) }
    }

    /// Parses a text, and makes the result the current chain. Does nothing if the text is already the current text, or
    /// the last text that was malformed.
    private func read(_ text: ChainText) throws(ElementError) {
        guard live.withLock({ $0.text != text && $0.wrong != text }) else { return }
        let result = Result { () throws(ElementError) in try text.chain() }
        // If the application has set another text while this text was parsed, the result is outdated.
        let settings = host.settings
        let current =
            settings.filtersFile.value == nil
            ? ChainText(text: settings.filters, look: settings.look)
            : file.content(of: settings.filtersFile).map { ChainText($0, look: settings.look) }
        guard current == text else { return }
        switch result {
        case .success(let chain): live.withLock { $0 = LiveChain(text: text, chain: chain) }
        case .failure(let error):
            live.withLock { $0.wrong = text }
            throw error
        }
    }

    /// Updates the property `parameters`.
    private func updateParameters() {
        var chain = live.withLock { $0.chain }
        while true {
            let list = chain.parameterList
            if list != host.settings.parameters { host.set(\.parameters, to: list) }
            // If the chain has changed in the meantime, `list` may have replaced a newer list of another thread. So set
            // the list again.
            let current = live.withLock { $0.chain }
            guard current != chain else { return }
            chain = current
        }
    }

    /// Updates the property `parameters` on the worker thread, so that the caller of `set-parameter` does not wait.
    /// Calls in quick succession cause only one update.
    private func updateParametersLater() {
        guard !isReporting.exchange(true, ordering: .relaxed) else { return }
        host.worker.run { [self] in
            isReporting.store(false, ordering: .relaxed)
            // A stopping element needs no update, because the next start updates the property.
            if !host.worker.isEnding { updateParameters() }
        }
    }

    /// Reads a text on the worker thread.
    private func readOnWorker(_ text: ChainText) throws(ElementError) {
        try read(text)
        if !host.worker.isEnding { updateParameters() }
    }

    func source(of point: Point) -> Point? {
        guard let shown = shown.withLock({ $0 }) else { return point }
        let (width, height) = (shown.size.width, shown.size.height)
        return PointSource(shown.chain, at: shown.time.nanoseconds, width: width, height: height).position(of: point)
    }

    // MARK: - Streaming thread

    func start(_ settings: Settings) throws -> State {
        live.withLock { $0.wrong = nil }
        file.close()
        let text = try wanted(settings)
        if let text { try read(text) }
        updateParameters()
        return State(
            asked: settings.filtersFile.value == nil ? text : nil, look: settings.look, threads: settings.threads,
            runner: FilterRunner(threads: ThreadPool.count(asked: settings.threads)))
    }

    func configure(_ state: inout State, for video: VideoFormat) throws {
        guard FilterRunner.takes(width: video.size.width, height: video.size.height) else {
            throw ElementError(
                .format,
                "frames of \(video.size.width)x\(video.size.height) are too large: svfilter supports up to "
                    + "\(FilterRunner.maxPixels >> 20) megapixels. Put videoscale before svfilter.")
        }
        state.isNew = true
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        follow(&state, settings)
        if settings.threads != state.threads {
            state.threads = settings.threads
            state.runner = FilterRunner(threads: ThreadPool.count(asked: settings.threads))
        }
        let live = live.withLock { $0 }
        if live.text != state.playing {
            state.playing = live.text
            state.start = frame.time.elapsed
            state.isNew = true
        }
        if let previous = state.previous, live.chain != previous { state.change = frame.time.elapsed }
        // Also store an equal chain. The next comparison is then fast, because both chains share their memory.
        state.previous = live.chain
        state.chain = live.chain
        state.isAdjusted = state.change.flatMap { frame.time.elapsed.since($0) }.map { $0 < Self.adjusting } ?? false
        state.time = frame.time.elapsed.since(state.start) ?? .zero
        if settings.reel > .zero {
            var reel = state.reel ?? Reel()
            reel.show(at: state.time, each: settings.reel)
            state.isNew = state.isNew || reel.chain != state.reel?.chain
            state.chain = reel.chain
            state.reel = reel
        } else {
            state.reel = nil
        }
        let chain = state.chain
        let current =
            chain.uses.isEmpty ? nil : ShownChain(chain: chain, time: state.time, size: frame.visibleSize)
        shown.withLock { $0 = current }
        return chain.uses.isEmpty ? .passThrough : .transform
    }

    /// Reads the chain on the worker thread if the settings or the file have changed. The streaming thread must not
    /// wait, because a chain may name large files.
    private func follow(_ state: inout State, _ settings: Settings) {
        if settings.filtersFile.value != nil {
            state.asked = nil
            let (isDue, isNewLook) = (file.isDue(settings.filtersFile), settings.look != state.look)
            guard isDue || isNewLook else { return }
            state.look = settings.look
            host.worker.run { [self] in
                host.warning {
                    let isNewText = isDue ? try file.poll(settings.filtersFile) != nil : false
                    guard isNewText || isNewLook, let text = try wanted(settings) else { return }
                    try readOnWorker(text)
                }
            }
        } else if state.asked?.text != settings.filters || state.asked?.look != settings.look {
            let text = ChainText(text: settings.filters, look: settings.look)
            state.asked = text
            host.worker.run { [self] in host.warning { try readOnWorker(text) } }
        }
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        if state.isNew {
            state.isNew = false
            host.log(
                .debug,
                "\(state.chain): "
                    + state.runner.explain(state.chain, on: frame.pixels, at: state.time.nanoseconds))
        }
        state.runner.run(
            state.chain, on: frame.pixels, at: state.time.nanoseconds, isAdjusted: state.isAdjusted)
        moveDetections(state, frame)
        if frame.pixels.format.shift == nil {
            try state.reel?.sign(frame.pixels)
        } else if state.reel != nil {
            // Labels can be drawn on 8-bit formats only, so the runner draws on an 8-bit copy of the frame.
            try state.runner.draw(on: frame.pixels) { try state.reel?.sign($0) }
        }
    }
}

extension ChainFilter {
    /// Moves each detection to the position to which the filters move the pixels of the object.
    private func moveDetections(_ state: State, _ frame: Frame) {
        guard frame.hasDetections,
            let map = state.positions.map(
                of: state.chain, at: state.time.nanoseconds, width: frame.pixels.width,
                height: frame.pixels.height)
        else { return }
        frame.moveDetections { box in
            map.copies(of: box).map { copy in MappedRegion(box: copy) { map.position(of: $0, in: copy) } }
        }
    }
}

/// The current chain, with its current parameter values.
private struct LiveChain: Sendable {
    var text = ChainText()
    /// The last malformed text that was set after `text`; nil if no malformed text was set.
    var wrong: ChainText?
    var chain = FilterChain()

    init(text: ChainText = ChainText(), chain: FilterChain = FilterChain()) {
        (self.text, self.chain) = (text, chain)
    }
}

/// The chain that was applied to the last frame.
private struct ShownChain: Sendable {
    var chain: FilterChain
    /// Time since the first frame with the chain.
    var time: ClockTime
    var size: PixelSize
}
