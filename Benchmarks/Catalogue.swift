import Pixels
import KernelTypes

/// A limit that a row should keep.
struct Goal {
    /// Of the CPU time of ours to the peer's, or to a memcpy's for a kernel.
    var ratio: Double?
    /// Of our CPU time to that of a memcpy of the frame: whoever keeps this need not keep the ratio.
    var copies: Double?
    /// Of our peak memory above the peer's, in megabytes.
    var extraMemory: Double?
    /// Of our wall time, in milliseconds.
    var wallMilliseconds: Double?
}

/// An element under measurement, and the package that has it.
struct Contender {
    var factory: String
    /// nil for our own.
    var package: String?
    var task: StreamTask
}

/// Two pipelines with the same result.
struct StreamRow {
    var name: String
    var ours: Contender
    var peer: Contender
    var goal: Goal
    /// What the sources cost by themselves, for each side.
    var oursCarrier: StreamTask
    var peerCarrier: StreamTask
    var isStill: Bool
}

struct KernelRow {
    var name: String
    var task: KernelTask
    var goal: Goal
}

struct LoadRow {
    enum Registry {
        /// An empty registry; GStreamer looks at every plugin of the system.
        case cold
        /// An empty registry; GStreamer sees this one plugin only.
        case coldAlone
        case warm
    }

    var name: String
    var registry: Registry
    var goal: Goal

    static let ours = "svblend"
    static let peer = "facedetect"
}

/// All rows.
struct Catalogue {
    var kernels: [KernelRow] = []
    var streams: [StreamRow] = []
    let faces: FaceRows
    let marked: [MarkedRow]
    let blobs: [BlobRow]
    let namings: [NamingRow]
    let logos: [LogoRow]
    let loads = [
        LoadRow(name: "load/cold", registry: .cold, goal: Goal()),
        LoadRow(name: "load/cold-alone", registry: .coldAlone, goal: Goal()),
        LoadRow(name: "load/warm", registry: .warm, goal: Goal(wallMilliseconds: 100)),
    ]

    var names: [String] {
        kernels.map(\.name) + streams.map(\.name) + faces.names + marked.map(\.name)
            + namings.map(\.name) + blobs.map(\.name) + logos.map(\.name) + loads.map(\.name)
    }

    /// Our modes and the frei0r mixers that do the same, by formula or in spirit.
    private static let mixers: [(mode: BlendMode, mixer: String)] = [
        (.normal, "blend"), (.multiply, "multiply"), (.screen, "screen"), (.overlay, "overlay"),
        (.softLight, "softlight"), (.hardLight, "hardlight"), (.darken, "darken"), (.lighten, "lighten"),
        (.difference, "difference"), (.add, "addition"), (.subtract, "subtract"), (.divide, "divide"),
        (.colorDodge, "dodge"), (.colorBurn, "burn"), (.grainExtract, "grain-extract"), (.grainMerge, "grain-merge"),
        (.hue, "hue"), (.saturation, "saturation"), (.color, "color-only"), (.value, "value"),
    ]

    private static let sizes = [FrameSize.hd, .fullHD]

    init(effort: Effort = .full) {
        faces = FaceRows(effort: effort)
        marked = MarkedRow.all(effort: effort)
        blobs = BlobRow.all(effort: effort)
        namings = NamingRow.all(effort: effort)
        logos = LogoRow.all(effort: effort)
        let rounds = effort.kernelRounds
        for size in Self.sizes {
            for mode in BlendMode.allCases where mode != .none {
                let task = KernelTask(mode: mode.nick, size: size, rounds: rounds)
                kernels.append(KernelRow(name: "kernel/\(mode.nick)/\(size)", task: task, goal: mode.kernelGoal))
            }
            for mode in [BlendMode.normal, .multiply, .screen, .softLight, .hue] {
                let task = KernelTask(mode: mode.nick, opacity: 0.5, size: size, rounds: rounds)
                let name = "kernel/\(mode.nick)+opacity/\(size)"
                kernels.append(KernelRow(name: name, task: task, goal: mode.kernelGoal))
            }
            for mode in [BlendMode.normal, .multiply] {
                let task = KernelTask(mode: mode.nick, hasAlpha: true, size: size, rounds: rounds)
                kernels.append(KernelRow(name: "kernel/\(mode.nick)+alpha/\(size)", task: task, goal: Goal()))
            }
        }
        for size in Self.sizes { streams += Stage.filterRows(size, effort) }
        for isStill in [false, true] {
            for size in Self.sizes {
                let stage = Stage(isStill: isStill, size: size, effort: effort)
                streams += Self.mixers.map { stage.againstFrei0r(mode: $0.mode, mixer: $0.mixer) }
                streams += ["BGRA", "BGRx"].map { stage.againstCompositor(format: $0) }
            }
        }
        streams += FilterRows.all(effort: effort)
    }
}

extension BlendMode {
    /// A separable kernel's cost in copies of the frame.
    fileprivate var kernelGoal: Goal {
        switch self {
        case .softLight, .colorDodge, .colorBurn, .divide: Goal(ratio: 3)
        default: Goal(ratio: isSeparable ? 2 : nil)
        }
    }
}
