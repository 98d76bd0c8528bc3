// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// A pad of a mixer. The pad has the settings of one input, and computes the size and the area of the input.
package protocol MixerPad: Configurable {
    /// The pad's data on the mixer's streaming thread. A new state is created when the mixer starts.
    associatedtype State: MixerPadState

    init(host: PadHost<Settings>)

    /// The settings that determine the result of `size(for:in:)`. If these settings change, the mixer scales the input
    /// to a new size.
    associatedtype Sizing: Equatable
    var sizing: Sizing { get }

    /// Returns the size to which the mixer scales the input before `mix`.
    /// - Parameters:
    ///   - input: the shape of the input.
    ///   - output: the shape of the output; `.zero` if unknown.
    func size(for input: FrameShape, in output: FrameShape) -> PixelSize

    /// Returns the visible area of the input in the output; nil if the input is hidden. Called from any thread.
    /// - Parameters:
    ///   - input: the shape of the input.
    ///   - output: the shape of the output; `.zero` if unknown.
    ///   - hasAlpha: true if the input has alpha.
    func area(of input: FrameShape, in output: FrameShape, hasAlpha: Bool) -> InputArea?
}

/// The area of an input in the output. The area also includes pixels that other inputs cover.
package struct InputArea: Sendable {
    /// The visible area, in pixels of the output. The area may extend beyond the output.
    package var visible: Rectangle
    /// The area of the whole input. `visible` is a part of this area.
    package var full: Rectangle
    /// True if the input hides everything behind it.
    package var isOpaque: Bool

    package init(visible: Rectangle, full: Rectangle, isOpaque: Bool) {
        (self.visible, self.full, self.isOpaque) = (visible, full, isOpaque)
    }
}

/// The state of a mixer's pad.
package protocol MixerPadState: AnyObject {
    init()
}

/// An element that mixes several inputs into one output (based on GstVideoAggregator, which synchronizes the inputs).
///
/// The callbacks run on the streaming thread, or while that thread is not running. Only the callbacks can use `State`.
package protocol VideoMixer: Element {
    associatedtype State
    associatedtype Pad: MixerPad

    /// The formats of the output, best first. For a packed output format, inputs in other formats are converted. For a
    /// YUV output format, only inputs in formats that `FrameFormat` does not support are converted.
    static var formats: [FrameFormat] { get }

    /// Starts the mixer. Called when the element leaves READY. An error stops the pipeline.
    /// - Parameter pads: the existing pads. Pads may be added and removed later.
    func start(_ settings: Settings, pads: [(pad: Pad, state: Pad.State)]) throws -> State

    /// Returns the size of the output if downstream does not require a size.
    /// - Parameters:
    ///   - inputs: the shape of each input that has caps, in the order of the pad numbers.
    ///   - pixel: the pixel aspect ratio of the output.
    func outputSize(for inputs: [MixerInputShape<Pad>], of pixel: PixelAspect) -> PixelSize?

    /// The choice of visible inputs, for a mixer that shows only some of its inputs at a time; nil for other mixers.
    var choice: (any InputChoice)? { get }

    /// Chooses the visible inputs of the next frame, before the conversion of the inputs.
    /// - Parameters:
    ///   - pads: the pads of the inputs, keyed by number.
    ///   - time: the running time of the frame.
    /// - Returns: false if the mixer must wait, because an input that `choice` needs has no frame yet.
    func choose(
        _ state: inout State, _ settings: Settings, inputs: [MixerInputLife], pads: [Int: Pad],
        time: ClockTime?
    ) throws -> Bool

    /// Adapts to the output's caps. The caps apply to all following frames.
    func configure(_ state: inout State, for video: VideoFormat) throws

    /// Fills the output.
    /// - Parameters:
    ///   - inputs: the visible pads with a frame, scaled to the pad's size, sorted by zorder, lowest first.
    ///   - output: the output frame. Its memory is uninitialised, so `mix` must write every pixel.
    func mix(_ state: inout State, _ settings: Settings, inputs: [MixerInput<Pad>], output: Frame) throws

    /// Stops the mixer. Called when the element returns to READY.
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

/// Chooses the inputs of a mixer that shows only some inputs at a time. Hidden inputs do not block the mixer. Any
/// thread may use this object.
package protocol InputChoice: Sendable {
    /// Returns the numbers of the inputs that the next frame must wait for.
    func needed(of inputs: [MixerInputLife]) -> Set<Int>

    /// Returns true if the mixer shows this input, or is about to show it.
    func shows(_ number: Int) -> Bool

    /// The number of the input that determines the output's format when the mixer starts. The format does not change
    /// later.
    var first: Int { get }
}

/// The state of an input.
package struct MixerInputLife: Sendable {
    /// The number in the pad's name.
    package let number: Int
    /// True if the input has sent at least one frame.
    package let hasFrames: Bool
    /// True if the input's stream has ended. The mixer may still show the last frame of the input.
    package let hasEnded: Bool
    /// The time since the input's last frame. Times in which no frame could arrive, such as pauses, do not count.
    package let silence: ClockTime
    /// True if at least one input of the mixer is live. If false, the mixer waits for all inputs that it shows.
    package let isLive: Bool
    /// True if the input has an image for the next frame.
    package let hasPicture: Bool
    /// True if the input's image for the next frame is final: no later frame will replace it.
    package let isComplete: Bool
    /// The running time at which the stream will end, if its source has announced the end.
    package let end: ClockTime?

    package init(
        number: Int, hasFrames: Bool, hasEnded: Bool, silence: ClockTime, isLive: Bool, hasPicture: Bool = false,
        isComplete: Bool = false, end: ClockTime? = nil
    ) {
        (self.number, self.hasFrames, self.hasEnded, self.silence) = (number, hasFrames, hasEnded, silence)
        (self.isLive, self.hasPicture, self.isComplete, self.end) = (isLive, hasPicture, isComplete, end)
    }
}

/// The shape and the settings of an input, before mixing.
package struct MixerInputShape<Pad: MixerPad> {
    package let pad: Pad
    package let settings: Pad.Settings
    package let shape: FrameShape
}

/// The frame of an input for the current output frame.
package struct MixerInput<Pad: MixerPad> {
    package let pad: Pad
    /// The number in the pad's name.
    package let number: Int
    package let state: Pad.State
    /// The pad's settings for this frame.
    package let settings: Pad.Settings
    /// The visible pixels, valid during `mix`. For a packed output format, the pixels are in the output's format, or in
    /// the same format with alpha.
    package let pixels: FrameImage
    /// True if the input has alpha before any conversion.
    package let hasAlpha: Bool
    /// True if the alpha channel of `pixels` is only padding: GStreamer's converter reads the padding byte of some
    /// formats as alpha.
    package let alphaIsPadding: Bool
    /// The buffer as received, with its metadata. Valid during `mix`.
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// The size of the frame in `buffer`.
    let inputSize: PixelSize
    /// The shape of the visible part of the input, before scaling.
    package let visibleShape: FrameShape
}
