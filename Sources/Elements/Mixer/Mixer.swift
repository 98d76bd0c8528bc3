// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import ElementKit
import Imaging

/// `svmixer` blends several streams. Each pad has its own blend mode.
///
///     gst-launch-1.0 svmixer name=m sink_1::mode=difference ! videoconvert ! autovideosink \
///         videotestsrc ! m.  videotestsrc pattern=ball ! m.
final class Mixer: VideoMixer, SnapshotElement {
    typealias Pad = MixPad

    static let metadata = ElementMetadata(
        name: "svmixer", longName: "Stream Mixer", category: .mixer,
        description: "Blends streams in any blend mode of svblend")
    static let formats = FrameFormat.all + FrameFormat.deep

    let host: Host<Settings>

    struct State {
        var threads: UInt32
        var blender: Blender
        /// True after the first mixed frame.
        var hasBegun = false
    }

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings, pads: [(pad: MixPad, state: MixPad.State)]) throws -> State {
        for (pad, state) in pads {
            state.mask = try WatchedPicture(pad.mask)
        }
        return State(
            threads: settings.threads, blender: Blender(threads: ThreadPool.count(asked: settings.threads)))
    }

    func outputSize(for inputs: [MixerInputShape<MixPad>], of pixel: PixelAspect) -> PixelSize? {
        inputs.first.map { $0.pad.rectangle(for: $0.shape, of: pixel) }
    }

    func mix(_ state: inout State, _ settings: Settings, inputs: [MixerInput<MixPad>], output: Frame) throws {
        if !state.hasBegun {
            // The method `start` has loaded the masks of the pads that existed at the start. Load the masks of later
            // pads now, before the first frame is mixed.
            for input in inputs where input.state.mask == nil {
                input.state.mask = try WatchedPicture(input.settings.mask)
            }
            state.hasBegun = true
        }
        if settings.threads != state.threads {
            state.threads = settings.threads
            state.blender = Blender(threads: ThreadPool.count(asked: settings.threads))
        }
        let layers = try inputs.filter(\.settings.isVisible)
            .compactMap { try Layer($0, over: output.pixels, host) }
            .filter { !$0.visible.intersection(output.pixels.bounds).isEmpty }

        // Skip the layers below an opaque layer that covers the whole frame, because these layers are invisible.
        let bottom = layers.indices.last { layers[$0].hides(output.pixels.bounds, isLowest: $0 == 0) }
        let shown = layers[(bottom ?? 0)...]
        let background = bottom == nil ? settings.backgroundColor : nil
        // Blend all layers onto one band of rows before the next band, so that the band stays in the CPU cache.
        if output.pixels.format.isYUV {
            Layer.overYUV(shown, isCovering: bottom != nil) { layers in
                state.blender.share(0..<output.pixels.height, width: output.pixels.width) { rows, blender in
                    blender.mix(layers, over: background, into: output.pixels, rows: rows)
                }
            }
        } else if let image = output.image {
            state.blender.share(0..<output.pixels.height, width: output.pixels.width) { rows, blender in
                let band = Rectangle(y: rows.lowerBound, width: output.pixels.width, height: rows.count)
                let part = image.cropped(to: band)
                if let background { fill(part, color: background) } else { shown.first?.copy(to: part, band: band) }
                for layer in shown.dropFirst(bottom == nil ? 0 : 1) {
                    layer.blend(onto: part, band: band, with: blender)
                }
            }
        }
        for layer in shown {
            layer.input.carryRegions(to: output, area: layer.full, visible: layer.visible)
        }
        output.carrySearches(from: shown.map(\.input))
    }
}

extension Mixer {
    struct Settings: SnapshotSettings {
        var backgroundColor = Color.black
        var snapshotLocation: String?
        var threads: UInt32 = 0
    }

    static let properties: [Property<Settings>] = [
        .color("background-color", \.backgroundColor, "Background colour behind all inputs"),
        .snapshotLocation,
        .threads(\.threads),
    ]
}
