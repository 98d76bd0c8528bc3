import KernelTypes

extension PairMeasurement {
    /// Our modes and the frei0r mixers with the same formula or a similar effect.
    private static let frei0rMixers: [(mode: BlendMode, mixer: String)] = [
        (.normal, "blend"), (.multiply, "multiply"), (.screen, "screen"), (.overlay, "overlay"),
        (.softLight, "softlight"), (.hardLight, "hardlight"), (.darken, "darken"), (.lighten, "lighten"),
        (.difference, "difference"), (.add, "addition"), (.subtract, "subtract"), (.divide, "divide"),
        (.colorDodge, "dodge"), (.colorBurn, "burn"), (.grainExtract, "grain-extract"), (.grainMerge, "grain-merge"),
        (.hue, "hue"), (.saturation, "saturation"), (.color, "color-only"), (.value, "value"),
    ]

    /// Returns the rows of `svmixer`, and of `svblend`, which has a still foreground.
    static func mixers(_ setting: Setting) -> [PairMeasurement] {
        [false, true].flatMap { isStill in
            [FrameSize.hd, .fullHD].flatMap { size in
                frei0rMixers.map { mode, mixer in
                    let isHalf = mode == .normal
                    let stage = Stage(isStill: isStill, format: "RGBA", size: size, setting: setting)
                    return stage.row(
                        "\(mode.nick)", mode, opacity: isHalf ? 0.5 : 1, beside: .frei0r("mixer-\(mixer)"),
                        properties: isHalf ? "blend=0.5" : "",
                        expecting: isHalf ? [.init(property: "blend", value: "0.5")] : [],
                        ratio: mode.isSeparable ? 1.0 / 3 : 1.0 / 2, extraMemory: 0)
                }
                    // The compositor paints a background under streams that have alpha, so there is a row with alpha and
                    // one without. It mixes over black at a quarter of what it takes over its transparent background.
                    + ["BGRA", "BGRx"].map { format in
                        Stage(isStill: isStill, format: format, size: size, setting: setting).row(
                            "normal-compositor-\(format)", .normal, opacity: 0.5,
                            beside: Peer(factory: "compositor", package: "gstreamer1.0-plugins-base"),
                            properties: "background=black sink_1::alpha=0.5",
                            expecting: [.init(pad: "sink_1", property: "alpha", value: "0.5")], extraMemory: 30)
                    }
            }
        }
    }
}

/// Writer of the pipelines of mixers.
///
/// If ours has a still foreground the peer, which has no stills, gets the same picture as a second stream; its
/// background then comes from the same recycled buffers as ours.
private struct Stage {
    var isStill: Bool
    var format: String
    var size: FrameSize
    var setting: Setting

    private var picture: String { "\(setting.folder)/still-\(format)-\(size).png" }

    func row(
        _ name: String, _ mode: BlendMode, opacity: Double, beside peer: Peer, properties: String,
        expecting: [StreamJob.Expectation], ratio: Double? = nil, extraMemory: Double
    ) -> PairMeasurement {
        let element = isStill ? "svblend" : "svmixer"
        var ours =
            isStill
            ? StreamJob(
                "svblend name=m mode=\(mode.nick) opacity=\(opacity) location=\"\(picture)\"",
                on: content(), setting.effort, isWatched: false)
            : mixing("svmixer name=m sink_1::mode=\(mode.nick) sink_1::opacity=\(opacity)")
        ours.expectations = [("mode", mode.nick), ("opacity", "\(opacity)")].map {
            .init(pad: isStill ? nil : "sink_1", property: $0.0, value: $0.1)
        }
        var theirs = mixing("\(peer.factory) name=m \(properties)")
        theirs.expectations = expecting
        return PairMeasurement(
            name: "\(element)/\(name)/\(size)", ours: ours, theirs: theirs, elements: [element], peer: peer,
            preparations: isStill ? [Run(.ours, writer, isShared: true)] : [], ratio: ratio, extraMemory: extraMemory)
    }

    private func content(_ index: Int = 0) -> Content { .pictures(format: format, size: size, seed: UInt64(index) + 1) }

    private func mixing(_ mixer: String) -> StreamJob {
        let caps = "video/x-raw,format=\(format),width=\(size.width),height=\(size.height)"
        let inputs = (0...1).map { "\(StreamJob.source($0)) ! m.sink_\($0)" }.joined(separator: "  ")
        let kinds: [SourceKind] = isStill ? [.writable, .still] : [.rotating, .rotating]
        return StreamJob(
            description: "\(mixer) ! \(caps) ! \(StreamJob.sink(0))  \(inputs)",
            sources: kinds.enumerated().map { .init(kind: $1, content: content($0)) }, effort: setting.effort)
    }

    /// Job that writes the picture that the peer gets as a second stream.
    private var writer: StreamJob {
        StreamJob(
            writing: "\(StreamJob.source(0)) ! videoconvert ! video/x-raw,format=RGB ! pngenc snapshot=true "
                + "! filesink location=\"\(picture)\"",
            from: [.init(kind: .still, content: content(1))])
    }
}
