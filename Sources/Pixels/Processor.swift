internal import CProcessor
internal import Kernels

#if arch(x86_64)
    internal import KernelsV3
    internal import KernelsV4
#endif

/// The row functions of one processor level. What they do is told where they are written, in `Kernels`.
package struct KernelSet: Sendable {
    package typealias RowBlend =
        @Sendable (
            Int32, UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafeMutableRawPointer, Int
        ) -> Void

    package let name: String
    let blendMasked: RowBlend
    let blendWeighted: RowBlend
    let blendPixels:
        @Sendable (
            Int32, UnsafeMutableRawPointer, UnsafeRawPointer, UnsafePointer<UInt8>, UInt32, UInt32, UInt32, Int
        ) -> Void
    let extractByte: @Sendable (Int, UnsafeRawPointer, UnsafeMutablePointer<UInt8>, Int) -> Void
    let commonBits: @Sendable (UnsafeRawPointer, Int) -> UInt32
    let multiplyWeights: @Sendable (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, Float, Int) -> Void
    let scaleWeights: @Sendable (UnsafeMutablePointer<UInt8>, Float, Int) -> Void
    let spreadWeights4: @Sendable (UnsafePointer<UInt8>, UInt32, UnsafeMutableRawPointer, Int) -> Void
    let spreadWeights3: @Sendable (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Void
    let rangeOfWeights: @Sendable (UnsafePointer<UInt8>, Int) -> (least: UInt8, most: UInt8)
    let widenPixels: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer, Int) -> Void
    let narrowPixels: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer, Int) -> Void
    let filters: FilterKernels

    /// The sets that this processor can run, the slowest first.
    package static let available: [KernelSet] = {
        var sets = [baseline]
        #if arch(x86_64)
            let level = sv_processor_level()
            if level >= 3 { sets.append(v3) }
            if level >= 4 { sets.append(v4) }
        #endif
        return sets
    }()

    /// The fastest set that this processor can run.
    package static let best = available.last ?? baseline

    private static let baseline = KernelSet(
        name: "baseline",
        blendMasked: Kernels.blendMasked(mode:background:foreground:mask:scratch:count:),
        blendWeighted: Kernels.blendWeighted(mode:background:foreground:weights:scratch:count:),
        blendPixels: Kernels.blendPixels(mode:background:foreground:weights:red:green:blue:count:),
        extractByte: Kernels.extractByte(at:of:into:count:),
        commonBits: Kernels.commonBits(of:count:),
        multiplyWeights: Kernels.multiplyWeights(_:by:opacity:count:),
        scaleWeights: Kernels.scaleWeights(_:opacity:count:),
        spreadWeights4: Kernels.spreadWeights(_:mask:into:count:),
        spreadWeights3: Kernels.spreadWeights(_:into:count:),
        rangeOfWeights: Kernels.rangeOfWeights(_:count:),
        widenPixels: Kernels.widenPixels(_:into:count:),
        narrowPixels: Kernels.narrowPixels(_:into:count:),
        filters: .baseline)

    #if arch(x86_64)
        private static let v3 = KernelSet(
            name: "x86-64-v3",
            blendMasked: KernelsV3.blendMasked(mode:background:foreground:mask:scratch:count:),
            blendWeighted: KernelsV3.blendWeighted(mode:background:foreground:weights:scratch:count:),
            blendPixels: KernelsV3.blendPixels(mode:background:foreground:weights:red:green:blue:count:),
            extractByte: KernelsV3.extractByte(at:of:into:count:),
            commonBits: KernelsV3.commonBits(of:count:),
            multiplyWeights: KernelsV3.multiplyWeights(_:by:opacity:count:),
            scaleWeights: KernelsV3.scaleWeights(_:opacity:count:),
            spreadWeights4: KernelsV3.spreadWeights(_:mask:into:count:),
            spreadWeights3: KernelsV3.spreadWeights(_:into:count:),
            rangeOfWeights: KernelsV3.rangeOfWeights(_:count:),
            widenPixels: KernelsV3.widenPixels(_:into:count:),
            narrowPixels: KernelsV3.narrowPixels(_:into:count:),
            filters: .v3)

        private static let v4 = KernelSet(
            name: "x86-64-v4",
            blendMasked: KernelsV4.blendMasked(mode:background:foreground:mask:scratch:count:),
            blendWeighted: KernelsV4.blendWeighted(mode:background:foreground:weights:scratch:count:),
            blendPixels: KernelsV4.blendPixels(mode:background:foreground:weights:red:green:blue:count:),
            extractByte: KernelsV4.extractByte(at:of:into:count:),
            commonBits: KernelsV4.commonBits(of:count:),
            multiplyWeights: KernelsV4.multiplyWeights(_:by:opacity:count:),
            scaleWeights: KernelsV4.scaleWeights(_:opacity:count:),
            spreadWeights4: KernelsV4.spreadWeights(_:mask:into:count:),
            spreadWeights3: KernelsV4.spreadWeights(_:into:count:),
            rangeOfWeights: KernelsV4.rangeOfWeights(_:count:),
            widenPixels: KernelsV4.widenPixels(_:into:count:),
            narrowPixels: KernelsV4.narrowPixels(_:into:count:),
            filters: .v4)
    #endif
}
