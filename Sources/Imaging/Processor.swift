// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CProcessor
internal import Kernels
package import KernelTypes

#if arch(x86_64)
    internal import KernelsV3
    internal import KernelsV4
#endif

/// The kernels that this processor can run.
package enum Processor {
    /// Kernels of each level that the processor has, the slowest first.
    package static let kernelSets: [any KernelSet] = {
        var sets: [any KernelSet] = [Kernels.RowKernels()]
        #if arch(x86_64)
            let level = sv_processor_level()
            if level >= 3 { sets.append(KernelsV3.RowKernels()) }
            if level >= 4 { sets.append(KernelsV4.RowKernels()) }
        #endif
        return sets
    }()

    /// The fastest set.
    package static let kernels: any KernelSet = kernelSets.last ?? Kernels.RowKernels()
}

extension KernelSet {
    /// True if `sv_apply_segments` may be used with these kernels.
    package var permutesFloats: Bool { level == .v4 }

    /// True if `sv_apply_cubics` may be used with these kernels, and there is nothing better.
    package var permutesEightFloats: Bool { level == .v3 }

    /// True if `sv_look_up_bytes` may be used with these kernels.
    package var permutesBytes: Bool { level == .v4 && sv_permutes_bytes() != 0 }
}
