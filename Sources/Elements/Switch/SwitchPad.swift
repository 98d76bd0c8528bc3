// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import Imaging
import Synchronization

/// One input of `svswitch`.
final class SwitchPad: MixerPad {
    struct Settings: KeyedSettings {
        var fit = Fit.contain
        var key = KeySettings()
    }

    static let properties: [Property<Settings>] =
        [Property("fit", \.fit, "How the input fills the output")] + Property.keying(of: "input")

    /// The data that the streaming thread keeps for a pad.
    final class State: MixerPadState {
        /// The input as it is shown, if it is not so already.
        let frame = OwnedFrame()
        /// The wall behind what is keyed.
        let border = BorderColor()
    }

    private let host: PadHost<Settings>
    /// The size of the output while the input is shown.
    private let output = Mutex<PixelSize?>(nil)

    init(host: PadHost<Settings>) { self.host = host }

    var sizing: Fit { host.settings.fit }

    func size(for input: PixelSize) -> PixelSize { input }

    func size(for input: PixelSize, in output: PixelSize) -> PixelSize {
        output.width > 0 && output.height > 0 ? host.settings.fit.whole(input, in: output).size : input
    }

    /// Notes whether the input is shown in the next frame.
    func show(in size: PixelSize?) { output.withLock { $0 = size } }

    func sight(of input: PixelSize, hasAlpha: Bool) -> InputSight? {
        guard let output = output.withLock({ $0 }) else { return nil }
        let whole = host.settings.fit.whole(input, in: output)
        return InputSight(place: whole.intersection(output.bounds), whole: whole, isOpaque: false)
    }
}
