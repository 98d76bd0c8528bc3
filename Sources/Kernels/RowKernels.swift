// SPDX-License-Identifier: LGPL-2.1-or-later
package import KernelTypes

/// The kernels of the processor level for which this module is compiled.
package struct RowKernels: KernelSet {
    package init() {}

    package var level: ProcessorLevel {
        #if LEVEL_4
            .v4
        #elseif LEVEL_3
            .v3
        #else
            .baseline
        #endif
    }
}
