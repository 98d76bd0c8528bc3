import Pixels
import KernelTypes

/// Writes the pipelines of the rows.
///
/// Both sides of a row get the same frames, in the same format and number, and send them into the same sink. Where ours
/// has a still foreground the peer, which has no stills, gets the same picture as a second stream; its background then
/// comes from the same recycled buffers as ours.
struct Stage {
    /// Stands for the file of the still foreground.
    static let stillFile = "STILL"

    var isStill: Bool
    var size: FrameSize
    var effort: Effort

    static let frei0rPackages = "gstreamer1.0-plugins-bad and frei0r-plugins"
    private var element: String { isStill ? "svblend" : "svmixer" }

    func againstFrei0r(mode: BlendMode, mixer: String) -> StreamRow {
        let isHalf = mode == .normal
        let factory = "frei0r-mixer-\(mixer)"
        let peer = mixing(
            "\(factory) name=m\(isHalf ? " blend=0.5" : "")", format: "RGBA",
            expecting: isHalf ? [.init(element: "m", property: "blend", value: "0.5")] : [])
        let goal = Goal(ratio: mode.isSeparable ? 1.0 / 3 : 1.0 / 2, extraMemory: 0)
        return row(
            "\(mode.nick)/\(size)", ours: ours(mode, opacity: isHalf ? 0.5 : 1, format: "RGBA"),
            peer: Contender(factory: factory, package: Self.frei0rPackages, task: peer), goal: goal)
    }

    /// The compositor paints a background under streams that have alpha, so there is a row with alpha and one without.
    /// It mixes over black at a quarter of what it takes over its transparent background.
    func againstCompositor(format: String) -> StreamRow {
        let peer = mixing(
            "compositor name=m background=black sink_1::alpha=0.5", format: format,
            expecting: [.init(element: "m", pad: "sink_1", property: "alpha", value: "0.5")])
        return row(
            "normal-compositor-\(format)/\(size)", ours: ours(.normal, opacity: 0.5, format: format),
            peer: Contender(factory: "compositor", package: "gstreamer1.0-plugins-base", task: peer),
            goal: Goal(extraMemory: 30))
    }

    private func row(_ name: String, ours: StreamTask, peer: Contender, goal: Goal) -> StreamRow {
        StreamRow(
            name: "\(element)/\(name)", ours: Contender(factory: element, package: nil, task: ours), peer: peer,
            goal: goal, oursCarrier: carrier(of: ours), peerCarrier: carrier(of: peer.task), isStill: isStill)
    }

    private func ours(_ mode: BlendMode, opacity: Double, format: String) -> StreamTask {
        let pad = isStill ? nil : "sink_1"
        let expectations = [("mode", mode.nick), ("opacity", "\(opacity)")].map {
            StreamTask.Expectation(element: "m", pad: pad, property: $0.0, value: $0.1)
        }
        guard isStill else {
            return mixing(
                "svmixer name=m sink_1::mode=\(mode.nick) sink_1::opacity=\(opacity)", format: format,
                expecting: expectations)
        }
        return StreamTask(
            description: "\(source(0)) ! svblend name=m mode=\(mode.nick) opacity=\(opacity) "
                + "location=\"\(Self.stillFile)\" ! \(sink(0))",
            sources: [.writable], format: format, size: size, effort: effort, expectations: expectations)
    }

    private func mixing(_ mixer: String, format: String, expecting: [StreamTask.Expectation]) -> StreamTask {
        let output = "video/x-raw,format=\(format),width=\(size.width),height=\(size.height)"
        return StreamTask(
            description: "\(mixer) ! \(output) ! \(sink(0))  \(source(0)) ! m.sink_0  \(source(1)) ! m.sink_1",
            sources: isStill ? [.writable, .still] : [.rotating, .rotating], format: format, size: size,
            effort: effort, expectations: expecting)
    }

    /// The same sources with nothing behind them.
    func carrier(of task: StreamTask) -> StreamTask {
        let count = task.sources.count
        var carrier = task
        carrier.description = (0..<count).map { "\(source($0)) ! \(sink($0))" }.joined(separator: "  ")
        carrier.sinks = count
        carrier.expectations = []
        return carrier
    }

    func source(_ index: Int) -> String { "appsrc name=s\(index) format=time" }

    func sink(_ index: Int) -> String { "fakesink name=out\(index) sync=false enable-last-sample=false" }
}
