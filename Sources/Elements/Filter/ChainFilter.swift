// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Filters
import Imaging
import Synchronization

/// `svfilter` applies a chain of named filters to the stream.
///
///     gst-launch-1.0 videotestsrc ! svfilter filters="sepia-tone | vignette" ! videoconvert ! autovideosink
final class ChainFilter: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svfilter", longName: "Filter chain", category: .effect,
        description: "Does a chain of named filters to the stream: colours, blurs, distortions, styles",
        list: ("filters", Filter.catalogue))
    static let formats = FrameFormat.allPacked

    static let actions: [Action<ChainFilter>] = [
        Action(
            "set-parameter",
            "Sets a number of a filter of the chain, named as sepia-tone.intensity, or blur#2.radius for the second filter of that "
                + "name; answers whether that was possible"
        ) { (filter: ChainFilter, path: String, value: Double) in filter.setParameter(path, to: value) }
    ]

    private let host: Host<Settings>
    private let live = Mutex(LiveChain())

    struct State {
        /// The text that was last seen, and the one that the playing chain comes from.
        var asked: Assigned<String>
        var playing: Assigned<String>?
        var chain = FilterChain()
        var clock = RunningClock()
        var frameRate: Double?
        var threads: UInt32
        var runner: FilterRunner
        let positions = PositionMapCache()
        var reel: Reel?
        /// True if the plan has not been logged yet.
        var isNew = true
    }

    init(host: Host<Settings>) { self.host = host }

    // MARK: - Any thread

    private func setParameter(_ path: String, to value: Double) -> Bool {
        // What was set just before counts, even if the stream has not seen it yet.
        readOrWarn(host.settings.filters)
        do throws(FilterChainError) {
            try live.withLock { live throws(FilterChainError) in try live.chain.set(path, to: value) }
            return true
        } catch {
            host.post(warning: ElementError(error, in: "set-parameter \(path)"))
            return false
        }
    }

    private func readOrWarn(_ text: Assigned<String>) {
        do throws(FilterChainError) {
            try read(text)
        } catch {
            host.post(warning: ElementError(error, in: "filters"))
        }
    }

    /// Plays the chain of a text, unless it plays already, or the text is known to be wrong.
    private func read(_ text: Assigned<String>) throws(FilterChainError) {
        guard live.withLock({ $0.text != text && $0.wrong != text }) else { return }
        let result = Result { () throws(FilterChainError) in try FilterChain(text.value ?? "") }
        // Another text may have been set in the meantime.
        guard host.settings.filters == text else { return }
        switch result {
        case .success(let chain): live.withLock { $0 = LiveChain(text: text, chain: chain) }
        case .failure(let error):
            live.withLock { $0.wrong = text }
            throw error
        }
    }

    // MARK: - Streaming thread

    func start(_ settings: Settings) throws -> State {
        live.withLock { $0.wrong = nil }
        do throws(FilterChainError) {
            try read(settings.filters)
        } catch {
            throw ElementError(error, in: "filters")
        }
        return State(
            asked: settings.filters, threads: settings.threads, runner: FilterRunner(threads: settings.threadCount))
    }

    func configure(_ state: inout State, for video: VideoFormat) throws {
        guard FilterRunner.takes(width: video.size.width, height: video.size.height) else {
            throw ElementError(
                .format,
                "frames of \(video.size.width)x\(video.size.height) are too large for svfilter: it takes up to "
                    + "\(FilterRunner.mostPixels >> 20) megapixels; put videoscale before it")
        }
        state.frameRate = video.frameRate
        state.isNew = true
    }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        if settings.filters != state.asked {
            state.asked = settings.filters
            // A chain may name files, which take time to read.
            host.worker.run { [self] in readOrWarn(settings.filters) }
        }
        if settings.threads != state.threads {
            state.threads = settings.threads
            state.runner = FilterRunner(threads: settings.threadCount)
        }
        let live = live.withLock { $0 }
        if live.text != state.playing {
            state.playing = live.text
            state.clock = RunningClock()
            state.isNew = true
        }
        state.chain = live.chain
        state.clock.advance(to: frame.time.runningTime, rate: state.frameRate)
        if settings.reel > .zero {
            var reel = state.reel ?? Reel()
            reel.show(at: state.clock.time, each: settings.reel)
            state.isNew = state.isNew || reel.chain != state.reel?.chain
            state.chain = reel.chain
            state.reel = reel
        } else {
            state.reel = nil
        }
        return state.chain.uses.isEmpty ? .passThrough : .transform
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws {
        if state.isNew {
            state.isNew = false
            host.log(
                .debug, "\(state.chain): \(state.runner.explain(state.chain, on: frame.image, at: state.clock.time))")
        }
        state.runner.run(state.chain, on: frame.image, at: state.clock.time)
        moveDetections(state, frame)
        try state.reel?.sign(frame.pixels)
    }
}

extension ChainFilter {
    /// Moves detections with the pixels of their objects.
    private func moveDetections(_ state: State, _ frame: Frame) {
        guard frame.hasDetections,
            let map = state.positions.map(
                of: state.chain, at: state.clock.time, width: frame.image.width, height: frame.image.height)
        else { return }
        frame.moveDetections { box in
            map.copies(of: box).map { copy in ShownPlace(box: copy) { map.place(of: $0, in: copy) } }
        }
    }
}

/// The chain that is playing, as it is now.
private struct LiveChain: Sendable {
    /// The text that it was read from.
    var text = Assigned<String>()
    /// A text that was set later, but is wrong.
    var wrong: Assigned<String>?
    var chain = FilterChain()

    init(text: Assigned<String> = Assigned<String>(), chain: FilterChain = FilterChain()) {
        (self.text, self.chain) = (text, chain)
    }
}

extension ElementError {
    /// - Parameter what: the source of the chain's text.
    fileprivate init(_ error: FilterChainError, in what: String) {
        let reason: Reason =
            switch error.cause {
            case .text: .settings
            case .missingFile: .notFound
            case .unreadableFile: .openRead
            case .content: .decode
            }
        self.init(reason, "\(what), \(error)")
    }
}
