// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import Imaging
import Synchronization

/// One input of `svswitch`.
final class SwitchPad: MixerPad {
    struct Settings: KeyedSettings, FittedSettings, LabelledSettings {
        var label: String?
        var fit = Fit.contain
        var alignment = Fit.Alignment()
        var key = KeySettings()
        /// The name of the element that sets the volume of the input's sound; nil if the switch changes no sound.
        var sound: String?
    }

    static let properties: [Property<Settings>] =
        [.label, Property("fit", \.fit, "Scaling of the input to the frame size of the output")]
        + Property.alignment(of: "input")
        + [
            Property(
                "sound", \.sound,
                "Name of the element volume through which the sound of the input passes. svswitch sets the volume of this "
                    + "element: 1 for the active input, and 0 for other inputs (if not set: svswitch changes no sound)",
                text: .words)
        ] + Property.keying(of: "input")

    /// The data that the streaming thread keeps for a pad.
    final class State: MixerPadState {
        /// A copy of the input in the size and format of the output. Unused if the input needs no conversion.
        let frame = OwnedFrame()
        /// The colour at the border of the input, for the property `key-auto`.
        let border = BorderColor()
        let choke = MatteChoke()
    }

    private let host: PadHost<Settings>
    private let isShown = Mutex(false)

    init(host: PadHost<Settings>) { self.host = host }

    /// The label of the input; nil if it has none.
    var label: String? { host.settings.cleanLabel }

    /// The number in the name of the pad, for example 3 for `sink_3`.
    var number: Int? { Int(host.objectName.drop { !$0.isNumber }) }

    /// The name of the element `volume` for the sound of the input; nil if there is none.
    var sound: String? { host.settings.sound.flatMap { $0.isEmpty ? nil : $0 } }

    var sizing: Fit { host.settings.fit }

    func size(for input: FrameShape, in output: FrameShape) -> PixelSize {
        output.size.bounds.isEmpty ? input.size : host.settings.fit.fullBounds(input, in: output).size
    }

    /// Sets whether the next output frame shows the input.
    func show(_ shows: Bool) { isShown.withLock { $0 = shows } }

    func area(of input: FrameShape, in output: FrameShape, hasAlpha: Bool) -> InputArea? {
        guard !output.size.bounds.isEmpty, isShown.withLock({ $0 }) else { return nil }
        let settings = host.settings
        let full = settings.fit.fullBounds(input, in: output, at: settings.alignment)
        return InputArea(visible: full.intersection(output.size.bounds), full: full, isOpaque: false)
    }
}
