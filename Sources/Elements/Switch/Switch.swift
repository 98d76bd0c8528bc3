// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import Imaging
import KernelTypes
import Transitions

/// `svswitch` shows one of several inputs, and switches between inputs with transitions.
///
///     gst-launch-1.0 svswitch name=s every=2000000000 transition=page-curl ! videoconvert ! autovideosink \
///         videotestsrc ! s.  videotestsrc pattern=ball ! s.
final class Switch: VideoMixer, SnapshotElement {
    typealias Pad = SwitchPad

    static let metadata = ElementMetadata(
        name: "svswitch", longName: "Scene Switch", category: .mixer,
        description: "Shows one of several inputs, with transitions between the inputs")
    static let formats = FrameFormat.all + FrameFormat.deep

    let host: Host<Settings>
    let shown: SwitchChoice
    var choice: (any InputChoice)? { shown }

    struct State {
        var threads: UInt32
        var blender: Blender
        let painter = TransitionPainter()
        /// The 8-bit frame in which transitions are drawn if the output has more than 8 bits per sample.
        let canvas = OwnedFrame()
        var mask: WatchedPicture
        /// `picture`: the mask of the transition `disintegrate`, scaled to the size of the output. `number`: the value
        /// of `mask.changes` when the mask was scaled.
        var luma: (picture: Picture, number: Int)?
        var choice = SwitchChoice.Choice()
        var random = SeededRandom(seed: 0)
        var time: ClockTime?
        var sound: SwitchSound
        /// The value of `settings.rests` (the number of times that `position` was set to 0) when the last manual
        /// transition ended or could not start. While `rests` keeps this value, `position` has no effect.
        var spent: UInt32?
    }

    init(host: Host<Settings>) {
        self.host = host
        shown = SwitchChoice(host: host)
    }

    // MARK: - Keys and actions

    func keyPressed(_ key: String) {
        let settings = host.settings
        guard settings.keys else { return }
        switch key {
        case "n": step(1)
        case "p": step(-1)
        case "t":
            let all = Transition.allCases
            let index = all.firstIndex(of: settings.transition) ?? 0
            let next = all[(index + 1) % all.count]
            host.set(\.transition, to: next)
            host.tell("transition: \(next.nick)")
        default:
            let digit = key.hasPrefix("KP_") ? key.dropFirst(3) : key[...]
            if digit.count == 1, let number = UInt32(digit) { go(to: number) }
        }
    }

    func go(to number: UInt32) {
        guard number <= UInt32(Int32.max) else { return }
        host.set(\.cut, to: nil)
        host.set(\.active, to: number)
        host.tell("input: \(number)")
    }

    /// Switches to the input `preview`, and makes the previous input the new preview.
    /// - Parameter cuts: true to switch without a transition.
    /// - Returns: false if `preview` is not an input, is the active input, or no longer sends frames.
    func take(cuts: Bool = false) -> Bool {
        let settings = host.settings
        guard let next = UInt32(exactly: settings.preview), next != settings.active, !shown.lacks(Int(next)) else {
            host.tell("preview=\(settings.preview) is the active input or not an input")
            return false
        }
        guard !shown.isSilent(Int(next), settings.timeout) else {
            let action = cuts ? "cut" : "take"
            let message = "\(action): the input sink_\(next) sends no frames, so sink_\(settings.active) stays active."
            host.post(warning: ElementError(.failed, message))
            return false
        }
        if !cuts { host.set(\.cut, to: nil) }
        host.set(\.active, to: next)
        // Set `active` before `cut`, because the streaming thread removes a `cut` that differs from `active`. If a
        // transition begins in between, `cut` ends this transition.
        if cuts { host.set(\.cut, to: next) }
        host.set(\.preview, to: Int32(clamping: settings.active))
        host.tell("input: \(next)")
        return true
    }

    /// Switches to the next input that sends frames (`step` > 0), or to the previous input (`step` ≤ 0).
    func step(_ step: Int) {
        let settings = host.settings
        let others = shown.inputs(after: Int(settings.active)).filter { $0.lives(settings.timeout) }
        guard let next = step > 0 ? others.first : others.last, let number = UInt32(exactly: next.number) else {
            return host.tell("no other input sends frames")
        }
        go(to: number)
    }

    // MARK: - Streaming thread

    func start(_ settings: Settings, pads: [(pad: SwitchPad, state: SwitchPad.State)]) throws -> State {
        shown.set(SwitchChoice.Choice())
        return State(
            threads: settings.threads, blender: Blender(threads: ThreadPool.count(asked: settings.threads)),
            mask: try WatchedPicture(settings.mask), random: SeededRandom(seed: UInt64(settings.seed)),
            sound: SwitchSound(host, pads: pads.map(\.pad), active: Int(settings.active)))
    }

    func stop(_ state: inout State) {
        shown.set(SwitchChoice.Choice())
        state.sound.release()
    }

    func outputSize(for inputs: [MixerInputShape<SwitchPad>], of pixel: PixelAspect) -> PixelSize? {
        inputs.first?.shape.size(in: pixel)
    }

    func mix(_ state: inout State, _ settings: Settings, inputs: [MixerInput<SwitchPad>], output: Frame) throws {
        if settings.threads != state.threads {
            state.threads = settings.threads
            state.blender = Blender(threads: ThreadPool.count(asked: settings.threads))
        }
        let on = inputs.first { $0.number == state.choice.on }
        guard let passage = state.choice.passage, let next = inputs.first(where: { $0.number == passage.to }), let on
        else { return show(on, &state, settings, output) }
        let progress = state.time.map(passage.progress(at:)) ?? 1
        let canvas: FrameImage
        if output.pixels.format.shift != nil {
            state.canvas.adapt(to: output.pixels, format: output.pixels.format.ofBytes)
            canvas = state.canvas.image
        } else {
            canvas = output.pixels
        }
        let (old, new) = (
            frame(of: on, like: canvas, state, settings), frame(of: next, like: canvas, state, settings)
        )
        func draw(_ mask: (Image, number: Int)?) {
            let moment = TransitionPainter.Moment(passage.transition, at: progress, seed: passage.seed, mask: mask)
            state.painter.draw(moment, from: old, to: new, into: canvas, with: state.blender)
            for (input, side) in [(on, TransitionSide.old), (next, .new)] {
                let area = input.fullBounds(in: canvas)
                input.carryRegions(to: output, area: area) { box in
                    let visible = box.intersection(input.visibleBounds(in: canvas))
                    guard !visible.isEmpty,
                        let sight = state.painter.sight(of: visible, in: side, at: moment, frame: canvas)
                    else { return nil }
                    return MappedRegion(box: sight.box) {
                        Point($0.x * sight.scale + sight.offset.x, $0.y * sight.scale + sight.offset.y)
                    }
                }
            }
        }
        if let luma = luma(&state, settings, passage, canvas) {
            luma.picture.withImage { draw(($0, luma.number)) }
        } else {
            draw(nil)
        }
        if output.pixels.format.shift != nil { convert(canvas, into: output.pixels, state.blender) }
        output.carrySearches(from: [on, next])
    }

    /// Draws one input without a transition; draws the background if the input is nil.
    private func show(_ input: MixerInput<SwitchPad>?, _ state: inout State, _ settings: Settings, _ output: Frame) {
        guard let input else { return output.pixels.fill(settings.backgroundColor) }
        draw(input, onto: output.pixels, state.blender, settings)
        input.carryRegions(
            to: output, area: input.fullBounds(in: output.pixels), visible: input.visibleBounds(in: output.pixels))
        output.carrySearches(from: [input])
    }

    /// Returns the frame of an input, converted to the size and format of `canvas` if necessary.
    private func frame(
        of input: MixerInput<SwitchPad>, like canvas: FrameImage, _ state: State, _ settings: Settings
    ) -> FrameImage {
        if input.pixels.isAlike(canvas), !input.alphaIsPadding, input.settings.key.kind == .none { return input.pixels }
        input.state.frame.adapt(to: canvas)
        draw(input, onto: input.state.frame.image, state.blender, settings)
        return input.state.frame.image
    }

    /// Draws an input onto a frame, and fills the area around the input with the background colour.
    private func draw(
        _ input: MixerInput<SwitchPad>, onto frame: FrameImage, _ blender: Blender, _ settings: Settings
    ) {
        let area = input.fullBounds(in: frame)
        let key = input.settings.key.keyer(for: input.pixels, input.state.border)
        let covers = area.intersection(frame.bounds) == frame.bounds && key == nil
        let weights = key.flatMap {
            input.state.choke.weights(of: input.pixels, by: $0, radius: input.settings.key.choke)
        }
        if frame.format.isYUV {
            let layer = FrameLayer(
                input.pixels, x: area.x, y: area.y, mode: .normal, opacity: 1, weights: weights,
                usesAlpha: input.hasAlpha, key: key)
            let background = covers && !input.hasAlpha ? nil : settings.backgroundColor
            blender.share(0..<frame.height, width: frame.width) { rows, blender in
                blender.mix([layer], over: background, into: frame, rows: rows)
            }
            return
        }
        guard let image = frame.packed else { return }
        let shown = Rectangle(x: -area.x, y: -area.y, width: frame.width, height: frame.height)
        let visible = input.pixels.cropped(to: shown)
        let ofVisible = weights?.cropped(to: shown)
        guard let source = visible.packed else { return }
        if covers, source.format == image.format {
            image.copy(from: source)
            if input.alphaIsPadding { image.makeOpaque() }
            return
        }
        fill(image, color: settings.backgroundColor)
        let part = image.cropped(to: area)
        if let key, image.format.alpha != nil, settings.backgroundColor.opacity < 1 {
            blender.draw(
                source, keyedBy: key, over: settings.backgroundColor, into: part, weights: ofVisible,
                usesAlpha: input.hasAlpha)
        } else {
            _ = blender.blend(
                source, onto: part, mode: .normal, opacity: 1, weights: ofVisible, useForegroundAlpha: input.hasAlpha,
                key: key)
        }
    }

    /// Copies an 8-bit frame into a frame with 16-bit samples.
    private func convert(_ canvas: FrameImage, into output: FrameImage, _ blender: Blender) {
        let layer = FrameLayer(canvas, x: 0, y: 0, mode: .normal, opacity: 1)
        blender.share(0..<output.height, width: output.width) { rows, blender in
            blender.mix([layer], over: nil, into: output, rows: rows)
        }
    }

    /// Returns the mask scaled to the size of the output; nil if there is no mask, or the transition uses no mask.
    private func luma(
        _ state: inout State, _ settings: Settings, _ passage: SwitchChoice.Passage, _ canvas: FrameImage
    ) -> (picture: Picture, number: Int)? {
        guard passage.transition == .disintegrate, let picture = state.mask.picture else { return nil }
        let size = PixelSize(width: canvas.width, height: canvas.height)
        if state.luma?.number != state.mask.changes || state.luma?.picture.size != size {
            state.luma = nil
            let changes = state.mask.changes
            host.warning { state.luma = (try picture.luma(picture.size.bounds, to: size), changes) }
        }
        return state.luma
    }
}

extension MixerInput<SwitchPad> {
    /// Returns the rectangle of the whole scaled input, in pixels of `frame`. The rectangle may extend beyond the
    /// frame.
    fileprivate func fullBounds(in frame: FrameImage) -> Rectangle {
        let area = settings.fit.fullBounds(visibleShape, in: frame.shape, at: settings.alignment)
        // `pixels` may have been scaled with previous settings, so use the size of `pixels`.
        return Rectangle(x: area.x, y: area.y, width: pixels.width, height: pixels.height)
    }

    fileprivate func visibleBounds(in frame: FrameImage) -> Rectangle {
        fullBounds(in: frame).intersection(frame.bounds)
    }
}
