import KernelTypes

/// A blend kernel beside a memcpy of the frame.
struct KernelMeasurement: Measurement {
    let title = "Kernels: one BGRA frame, cold (as in a stream) and hot (the same frame again)"
    var name: String
    var job: KernelJob
    /// Largest ratio to the memcpy, cold.
    var limit: Double?

    var runs: [Run] { [Run(.ours, job)] }
    var goal: Goal? {
        limit.map { limit in Goal("<=\(limit.hundredths)") { Self.cold($0).ratio <= limit } }
    }

    var columns: [Column] {
        [
            Column("cold ms", \.milliseconds) { $0.median(.ours, .cpu) },
            Column("memcpy", \.milliseconds) { $0.median(.ours, .copy) },
            Column("ratio", \.hundredths) { Self.cold($0).ratio },
            Column("range") { Self.cold($0).range },
            Column("hot ms", \.milliseconds) { $0.median(.ours, .hot) },
            Column("memcpy", \.milliseconds) { $0.median(.ours, .hotCopy) },
            Column("ratio", \.hundredths) { $0.median(.ours, .hot) / $0.median(.ours, .hotCopy) },
            .peak(), .goal(goal, "cold goal"),
        ]
    }

    private static func cold(_ readings: Readings) -> Comparison {
        Comparison(readings.values(.ours, .cpu), readings.values(.ours, .copy))
    }

    static func all(_ setting: Setting) -> [KernelMeasurement] {
        let withOpacity = [BlendMode.normal, .multiply, .screen, .softLight, .hue]
        return [FrameSize.hd, .fullHD].flatMap { size in
            func row(_ mode: BlendMode, _ suffix: String = "", opacity: Double = 1, hasAlpha: Bool = false) -> Self {
                Self(
                    name: "kernel/\(mode.nick)\(suffix)/\(size)",
                    job: KernelJob(
                        mode: mode.nick, opacity: opacity, hasAlpha: hasAlpha, size: size,
                        rounds: setting.effort.kernelRounds),
                    limit: hasAlpha ? nil : limit(mode))
            }
            return BlendMode.allCases.filter { $0 != .none }.map { row($0) }
                + withOpacity.map { row($0, "+opacity", opacity: 0.5) }
                + [.normal, .multiply].map { row($0, "+alpha", hasAlpha: true) }
        }
    }

    private static func limit(_ mode: BlendMode) -> Double? {
        switch mode {
        case .softLight, .colorDodge, .colorBurn, .divide: 3
        default: mode.isSeparable ? 2 : nil
        }
    }
}
