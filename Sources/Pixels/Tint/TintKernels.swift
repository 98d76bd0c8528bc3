internal import Kernels

#if arch(x86_64)
    internal import KernelsV3
    internal import KernelsV4
#endif

/// The row functions that scale colours. What they do is told where they are written, in `Kernels`.
struct TintKernels: Sendable {
    let scaleBytes: @Sendable (UnsafeMutablePointer<UInt8>, UnsafePointer<Float>, UnsafePointer<Float>, Int) -> Void
    let recolorSamples:
        @Sendable (
            UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<Float>,
            UnsafeMutablePointer<UInt8>, Int
        ) -> Void
    let doubleBytes: @Sendable (UnsafePointer<UInt8>, UnsafeMutableRawPointer, Int) -> Void
    let averageFours: @Sendable (UnsafeRawPointer, UnsafeRawPointer, UnsafeMutablePointer<UInt8>, Int) -> Void

    static let baseline = TintKernels(
        scaleBytes: Kernels.scaleBytes(_:factors:summands:count:),
        recolorSamples: Kernels.recolorSamples(_:_:_:numbers:into:count:),
        doubleBytes: Kernels.doubleBytes(_:into:count:),
        averageFours: Kernels.averageFours(_:_:into:count:))

    #if arch(x86_64)
        static let v3 = TintKernels(
            scaleBytes: KernelsV3.scaleBytes(_:factors:summands:count:),
            recolorSamples: KernelsV3.recolorSamples(_:_:_:numbers:into:count:),
            doubleBytes: KernelsV3.doubleBytes(_:into:count:),
            averageFours: KernelsV3.averageFours(_:_:into:count:))

        static let v4 = TintKernels(
            scaleBytes: KernelsV4.scaleBytes(_:factors:summands:count:),
            recolorSamples: KernelsV4.recolorSamples(_:_:_:numbers:into:count:),
            doubleBytes: KernelsV4.doubleBytes(_:into:count:),
            averageFours: KernelsV4.averageFours(_:_:into:count:))
    #endif
}
