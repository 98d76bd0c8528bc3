// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import KernelTypes

extension Catalogue {
    /// Our modes and the frei0r mixers with the same formula or a similar effect.
    private static let frei0rMixers: [(mode: BlendMode, mixer: String)] = [
        (.normal, "blend"), (.multiply, "multiply"), (.screen, "screen"), (.overlay, "overlay"),
        (.softLight, "softlight"), (.hardLight, "hardlight"), (.darken, "darken"), (.lighten, "lighten"),
        (.difference, "difference"), (.add, "addition"), (.subtract, "subtract"), (.divide, "divide"),
        (.colorDodge, "dodge"), (.colorBurn, "burn"), (.grainExtract, "grain-extract"), (.grainMerge, "grain-merge"),
        (.hue, "hue"), (.saturation, "saturation"), (.color, "color-only"), (.value, "value"),
    ]

    /// Rows of `svmixer`, and of `svblend`, which has a still foreground.
    var mixers: [Row] {
        [false, true].flatMap { isStill in
            FrameSize.large.flatMap { size in
                Self.frei0rMixers.map { mode, mixer in
                    let isHalf = mode == .normal
                    return self.mixer(
                        mode.nick, mode, "RGBA", size, isStill: isStill, opacity: isHalf ? 0.5 : 1,
                        beside: .frei0r("mixer-\(mixer)"), isHalf ? ["blend": "0.5"] : [:],
                        ratio: mode.isSeparable ? 1.0 / 3 : 1.0 / 2, extraMemory: 0)
                }
                    // The compositor paints a background under streams that have alpha, so there is a row with alpha and
                    // one without. It mixes over black at a quarter of what it takes over its transparent background.
                    + ["BGRA", "BGRx"].map { format in
                        mixer(
                            "normal-compositor-\(format)", .normal, format, size, isStill: isStill, opacity: 0.5,
                            beside: .compositor, options: " background=black", ["sink_1::alpha": "0.5"], extraMemory: 30
                        )
                    }
                    + (isStill ? [] : yuvMixers(size))
            }
        }
    }

    /// Rows of NV12 into NV12, as cameras give it and encoders take it. The compositor mixes it as it is, frei0r's mixers need
    /// conversions.
    private func yuvMixers(_ size: FrameSize) -> [Row] {
        let format = "NV12"
        let compositor = mixer(
            "normal-compositor-\(format)", .normal, format, size, isStill: false, opacity: 0.5, beside: .compositor,
            ["sink_1::alpha": "0.5"], ratio: 1.2, extraMemory: 30)
        return Self.frei0rMixers.filter { [.screen, .multiply, .add, .softLight, .hue].contains($0.mode) }
            .map { mode, mixer in
                self.mixer(
                    "\(mode.nick)-\(format)", mode, format, size, isStill: false, opacity: 1,
                    beside: .frei0r("mixer-\(mixer)"), convertedTo: "RGBA", [:], ratio: 1.0 / 4, extraMemory: 0)
            } + [compositor]
    }

    /// Returns the row of a mixer.
    ///
    /// If ours has a still foreground the peer, which has no stills, gets the same picture as a second stream; its
    /// background then comes from the same recycled buffers as ours.
    /// - Parameter other: the format to which the peer's streams are converted, and from which its output is; nil for none.
    private func mixer(
        _ name: String, _ mode: BlendMode, _ format: String, _ size: FrameSize, isStill: Bool, opacity: Double,
        beside peer: Peer, options: String = "", convertedTo other: String? = nil, _ properties: [String: String],
        ratio: Double? = nil,
        extraMemory: Double
    ) -> Row {
        let (background, foreground) = (Content.pictures(format, size), Content.pictures(format, size, seed: 2))
        func mixing(_ mixer: String, convertedTo other: String? = nil) -> StreamJob {
            let caps = "video/x-raw,format=\(format),width=\(size.width),height=\(size.height)"
            let before = other.map { "videoconvert ! video/x-raw,format=\($0) ! " } ?? ""
            let after = other == nil ? "" : "videoconvert ! "
            let inputs = (0...1).map { "\(StreamJob.source($0)) ! \(before)m.sink_\($0)" }.joined(separator: "  ")
            return StreamJob(
                description: "\(mixer) name=m ! \(after)\(caps) ! \(StreamJob.sink(0))  \(inputs)",
                sources: [
                    .init(kind: isStill ? .writable : .rotating, content: background),
                    .init(kind: isStill ? .still : .rotating, content: foreground),
                ], effort: effort)
        }
        let (element, pad) = isStill ? ("svblend", "") : ("svmixer", "sink_1::")
        let still = Still(of: foreground, in: folder)
        var ours = mixing(element)
        if isStill {
            ours = StreamJob("svblend name=m location=\"\(still.path)\"", on: background, effort, isWatched: false)
        }
        ours.properties = ["\(pad)mode": mode.nick, "\(pad)opacity": "\(opacity)"]
        var theirs = mixing(peer.factory + options, convertedTo: other)
        theirs.properties = properties
        return .pair(
            "\(element)/\(name)/\(size)", ours, beside: theirs, peer,
            preparations: isStill ? [still.preparation] : [], ratio: ratio, extraMemory: extraMemory)
    }
}

/// A picture file, the first frame of some content.
struct Still {
    let path: String
    private let content: Content

    init(of content: Content, in folder: String) {
        self.content = content
        path = "\(folder)/still-\(content.format)-\(content.size).png"
    }

    /// Writes the file.
    var preparation: Run {
        let writer = StreamJob(
            description: "\(StreamJob.source(0)) ! videoconvert ! video/x-raw,format=RGB ! pngenc snapshot=true "
                + "! filesink location=\"\(path)\"", sources: [.init(kind: .still, content: content)])
        return Run(.ours, writer, isShared: true)
    }
}
