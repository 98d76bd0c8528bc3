// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import KernelTypes

/// Rows of blend kernels beside a memcpy of the frame.
extension Catalogue {
    var kernels: [Row] {
        let withOpacity = [BlendMode.normal, .multiply, .screen, .softLight, .hue]
        return FrameSize.large.flatMap { size in
            BlendMode.allCases.filter { $0 != .none }.map { kernel($0, size) }
                + withOpacity.map { kernel($0, size, "+opacity", opacity: 0.5) }
                + [.normal, .multiply].map { kernel($0, size, "+alpha", hasAlpha: true) }
        }
    }

    private func kernel(
        _ mode: BlendMode, _ size: FrameSize, _ suffix: String = "", opacity: Double = 1, hasAlpha: Bool = false
    ) -> Row {
        let limit = hasAlpha ? nil : self.limit(mode)
        let job = KernelJob(mode: mode, opacity: opacity, hasAlpha: hasAlpha, size: size, rounds: effort.kernelRounds)
        return Row(
            title: "Kernels: one BGRA frame, cold (as in a stream) and hot (the same frame again)",
            name: "kernel/\(mode.nick)\(suffix)/\(size)", runs: [Run(.ours, job)],
            columns: Column.comparison("cold ms", "memcpy") { $0.comparison(.cpu, to: .copy) }
                + Column.comparison("hot ms", "memcpy") { $0.comparison(.hot, to: .hotCopy) }.dropLast()
                + [
                    .peak(),
                    .goal(limit.map { "<=\($0.hundredths)" }, "cold goal") {
                        $0.comparison(.cpu, to: .copy).ratio <= limit ?? 0
                    },
                ])
    }

    /// Returns the largest ratio to the memcpy, cold.
    private func limit(_ mode: BlendMode) -> Double? {
        switch mode {
        case .softLight, .colorDodge, .colorBurn, .divide: 3
        default: mode.isSeparable ? 2 : nil
        }
    }
}
