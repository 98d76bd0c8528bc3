// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// The pad of a mixer: its settings, and how it reacts to changes.
package protocol MixerPad: Configurable {
    /// The data of this pad that belongs to the mixer's streaming thread; made anew when the mixer starts.
    associatedtype State: MixerPadState

    init(host: PadHost<Settings>)

    /// The settings that `size(for:in:)` follows from: when they change, inputs are scaled again.
    associatedtype Sizing: Equatable
    var sizing: Sizing { get }

    /// Returns the size to which the input is scaled before `mix` sees it.
    /// - Parameters:
    ///   - input: the shape in which it arrives.
    ///   - output: that of the output; of no size as long as it is unknown.
    func size(for input: FrameShape, in output: FrameShape) -> PixelSize

    /// Returns where the input is seen in the output; nil if it is not. Called from any thread.
    /// - Parameters:
    ///   - input: the shape in which it arrives.
    ///   - output: that of the output; of no size as long as it is unknown.
    ///   - hasAlpha: true if it carries alpha.
    func sight(of input: FrameShape, in output: FrameShape, hasAlpha: Bool) -> InputSight?
}

/// The place where an input is seen, before others cover it.
package struct InputSight: Sendable {
    /// The place in pixels of the output; may lie outside it.
    package var place: Rectangle
    /// The place where the whole input would be seen, of which `place` is a part.
    package var whole: Rectangle
    /// True if nothing below shows through it.
    package var isOpaque: Bool

    package init(place: Rectangle, whole: Rectangle, isOpaque: Bool) {
        (self.place, self.whole, self.isOpaque) = (place, whole, isOpaque)
    }
}

/// The state of a mixer's pad.
package protocol MixerPadState: AnyObject {
    init()
}

/// An element that makes one stream of many (over GstVideoAggregator, which matches the inputs by time).
///
/// The callbacks below run on the streaming thread, or while it is not running; only they see `State`.
package protocol VideoMixer: Element {
    associatedtype State
    associatedtype Pad: MixerPad

    /// Formats of the output, best first. For a packed one, inputs of any other raw video format are converted; for a YUV
    /// one, those are that `FrameFormat` does not know.
    static var formats: [FrameFormat] { get }

    /// Starts the mixer; called when the element leaves READY. An error stops the pipeline.
    /// - Parameter pads: those that exist already; others may come and go later.
    func start(_ settings: Settings, pads: [(pad: Pad, state: Pad.State)]) throws -> State

    /// Returns the size of the output if downstream leaves it open.
    /// - Parameters:
    ///   - inputs: the shape of each input that has caps, in the order of the pads' numbers.
    ///   - pixel: the shape of the output's pixels.
    func outputSize(for inputs: [MixerInputShape<Pad>], of pixel: PixelAspect) -> PixelSize?

    /// The inputs that are shown, for a mixer that shows some of them at a time; nil if all are.
    var choice: (any InputChoice)? { get }

    /// Chooses the inputs that are shown in the next frame, before any is converted.
    /// - Parameters:
    ///   - pads: those of the inputs, by their numbers.
    ///   - time: running time of the frame.
    /// - Returns: false if the frame must wait for an input that `choice` names.
    func choose(
        _ state: inout State, _ settings: Settings, inputs: [MixerInputLife], pads: [Int: Pad],
        time: ClockTime?
    ) throws -> Bool

    /// Adapts to the output's caps, which describe all frames from now on.
    func configure(_ state: inout State, for video: VideoFormat) throws

    /// Fills the output.
    /// - Parameters:
    ///   - inputs: the pads that have a frame for this moment and can be seen, scaled to the pad's size, sorted by zorder,
    ///     lowest first.
    ///   - output: uninitialised memory; every pixel must be written.
    func mix(_ state: inout State, _ settings: Settings, inputs: [MixerInput<Pad>], output: Frame) throws

    /// Stops the mixer; called when the element goes back to READY.
    func stop(_ state: inout State)
}

extension VideoMixer {
    package var choice: (any InputChoice)? { nil }
    package func choose(
        _ state: inout State, _ settings: Settings, inputs: [MixerInputLife], pads: [Int: Pad],
        time: ClockTime?
    ) throws -> Bool { true }
    package func configure(_ state: inout State, for video: VideoFormat) throws {}
    package func stop(_ state: inout State) {}
}

/// What a mixer shows that shows some of its inputs at a time. The others hold nothing up. Called from any thread.
package protocol InputChoice: Sendable {
    /// Returns the numbers of the inputs without which the next frame is not made.
    func needed(of inputs: [MixerInputLife]) -> Set<Int>

    /// The number of the input that comes first when the output's format is chosen, which it then keeps.
    var first: Int { get }
}

/// What an input does.
package struct MixerInputLife: Sendable {
    /// The number in the pad's name.
    package let number: Int
    /// True if it has sent a frame.
    package let hasFrames: Bool
    /// True if its stream has ended, although its last frame may still be shown.
    package let hasEnded: Bool
    /// How long it has sent nothing although it could.
    package let silence: ClockTime
    /// True if the mixer's inputs are live. If not, what is to be shown is waited for.
    package let isLive: Bool
    /// True if it has a picture for the next frame.
    package let hasPicture: Bool
    /// True if its picture for the next frame stays: no frame comes any more that would be shown instead.
    package let isComplete: Bool

    package init(
        number: Int, hasFrames: Bool, hasEnded: Bool, silence: ClockTime, isLive: Bool, hasPicture: Bool = false,
        isComplete: Bool = false
    ) {
        (self.number, self.hasFrames, self.hasEnded, self.silence) = (number, hasFrames, hasEnded, silence)
        (self.isLive, self.hasPicture, self.isComplete) = (isLive, hasPicture, isComplete)
    }
}

/// An input's shape, before anything is mixed.
package struct MixerInputShape<Pad: MixerPad> {
    package let pad: Pad
    package let settings: Pad.Settings
    package let shape: FrameShape
}

/// One input's frame for the moment that is mixed.
package struct MixerInput<Pad: MixerPad> {
    package let pad: Pad
    /// The number in the pad's name.
    package let number: Int
    package let state: Pad.State
    /// The pad's settings for this frame.
    package let settings: Pad.Settings
    /// The visible pixels: in the output's format if that is packed, else in any. Valid during `mix`.
    package let pixels: FrameImage
    /// True if the input itself carries alpha.
    package let hasAlpha: Bool
    /// True if the alpha in `pixels` is not real: GStreamer's converter takes the padding byte of some formats for
    /// alpha.
    package let alphaIsPadding: Bool
    /// The buffer as it arrived, with its metadata. Valid during `mix`.
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// The size of the frame in `buffer`.
    let inputSize: PixelSize
    /// The shape of its visible part, before it was scaled.
    package let visibleShape: FrameShape
}
