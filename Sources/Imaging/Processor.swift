// SPDX-License-Identifier: LGPL-2.1-or-later
internal import CProcessor
internal import Kernels
package import KernelTypes

#if arch(x86_64)
    internal import KernelsV3
    internal import KernelsV4
#endif

/// The kernels for the processor of this machine.
package enum Processor {
    /// The kernel sets that this processor supports, from the slowest to the fastest.
    package static let kernelSets: [any KernelSet] = {
        var sets: [any KernelSet] = [Kernels.RowKernels()]
        #if arch(x86_64)
            let level = sv_processor_level()
            if level >= 3 { sets.append(KernelsV3.RowKernels()) }
            if level >= 4 { sets.append(KernelsV4.RowKernels()) }
        #endif
        return sets
    }()

    /// The fastest kernel set.
    package static let kernels: any KernelSet = kernelSets.last ?? Kernels.RowKernels()
}

extension KernelSet {
    /// True if these kernels may call `sv_apply_segments`, which needs level 4 of x86-64 (AVX-512).
    package var permutesFloats: Bool { level == .v4 }

    /// True if these kernels should call `sv_apply_cubics`. On processors with level 4 of x86-64 (AVX-512),
    /// `sv_apply_segments` is faster.
    package var permutesEightFloats: Bool { level == .v3 }

    /// True if these kernels may call `sv_look_up_bytes`, which needs level 4 of x86-64 and AVX-512 VBMI.
    package var permutesBytes: Bool { level == .v4 && sv_permutes_bytes() != 0 }
}
