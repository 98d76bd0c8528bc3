internal import Kernels

#if arch(x86_64)
    internal import KernelsV3
    internal import KernelsV4
#endif

/// The row functions of edge detection. What they do is told where they are written, in `Kernels`.
struct EdgeKernels: Sendable {
    let smoothColumns: @Sendable (UnsafePointer<UnsafePointer<UInt8>>, Int32, UnsafeMutablePointer<Int16>, Int) -> Void
    let slopeColumns: @Sendable (UnsafePointer<UnsafePointer<UInt8>>, Int32, UnsafeMutablePointer<Int16>, Int) -> Void
    let gradients:
        @Sendable (
            UnsafePointer<Int16>, UnsafePointer<Int16>, Int32, UnsafeMutablePointer<Int16>, UnsafeMutablePointer<Int16>,
            Int
        ) -> Void
    let squaredGradients:
        @Sendable (
            UnsafePointer<Int16>, UnsafePointer<Int16>, Int32, UnsafeMutablePointer<Int16>, UnsafeMutablePointer<Int32>,
            Int
        ) -> Void
    let markRidges:
        @Sendable (
            UnsafePointer<Int16>, UnsafePointer<Int16>, UnsafePointer<Int16>, UnsafePointer<Int16>, Int16, Int16,
            UnsafeMutablePointer<UInt8>, Int
        ) -> Void
    let markSquaredRidges:
        @Sendable (
            UnsafePointer<Int32>, UnsafePointer<Int32>, UnsafePointer<Int32>, UnsafePointer<Int16>, Int32, Int32,
            UnsafeMutablePointer<UInt8>, Int
        ) -> Void
    let packMarks: @Sendable (UnsafeRawPointer, UnsafeMutablePointer<UInt64>, UnsafeMutablePointer<UInt64>, Int) -> Void
    let joinEdges:
        @Sendable (
            UnsafeMutablePointer<UInt64>, UnsafePointer<UInt64>, UnsafeMutablePointer<UInt64>,
            UnsafeMutablePointer<Int32>, Int, Int
        ) -> Void
    let spreadBits: @Sendable (UnsafePointer<UInt64>, UnsafeMutableRawPointer, Int) -> Void
    let chooseBytes: @Sendable (UnsafePointer<UInt8>, UInt8, UInt8, UnsafeMutablePointer<UInt8>, Int) -> Void
    let choosePixels:
        @Sendable (
            UnsafePointer<UInt8>, UInt32, UInt32, UInt32, UInt32, UnsafeMutableRawPointer, Int
        ) -> Void

    static let baseline = EdgeKernels(
        smoothColumns: Kernels.smoothColumns(_:aperture:into:count:),
        slopeColumns: Kernels.slopeColumns(_:aperture:into:count:),
        gradients: Kernels.gradients(_:_:aperture:ways:sizes:count:),
        squaredGradients: Kernels.squaredGradients(_:_:aperture:ways:sizes:count:),
        markRidges: Kernels.markRidges(above:_:below:ways:low:high:into:count:),
        markSquaredRidges: Kernels.markSquaredRidges(above:_:below:ways:low:high:into:count:),
        packMarks: Kernels.packMarks(_:candidates:edges:words:),
        joinEdges: Kernels.joinEdges(_:candidates:pending:stack:stride:count:),
        spreadBits: Kernels.spreadBits(_:into:words:),
        chooseBytes: Kernels.chooseBytes(_:set:clear:into:count:),
        choosePixels: Kernels.choosePixels(_:set:setKeeps:clear:clearKeeps:into:count:))

    #if arch(x86_64)
        static let v3 = EdgeKernels(
            smoothColumns: KernelsV3.smoothColumns(_:aperture:into:count:),
            slopeColumns: KernelsV3.slopeColumns(_:aperture:into:count:),
            gradients: KernelsV3.gradients(_:_:aperture:ways:sizes:count:),
            squaredGradients: KernelsV3.squaredGradients(_:_:aperture:ways:sizes:count:),
            markRidges: KernelsV3.markRidges(above:_:below:ways:low:high:into:count:),
            markSquaredRidges: KernelsV3.markSquaredRidges(above:_:below:ways:low:high:into:count:),
            packMarks: KernelsV3.packMarks(_:candidates:edges:words:),
            joinEdges: KernelsV3.joinEdges(_:candidates:pending:stack:stride:count:),
            spreadBits: KernelsV3.spreadBits(_:into:words:),
            chooseBytes: KernelsV3.chooseBytes(_:set:clear:into:count:),
            choosePixels: KernelsV3.choosePixels(_:set:setKeeps:clear:clearKeeps:into:count:))

        static let v4 = EdgeKernels(
            smoothColumns: KernelsV4.smoothColumns(_:aperture:into:count:),
            slopeColumns: KernelsV4.slopeColumns(_:aperture:into:count:),
            gradients: KernelsV4.gradients(_:_:aperture:ways:sizes:count:),
            squaredGradients: KernelsV4.squaredGradients(_:_:aperture:ways:sizes:count:),
            markRidges: KernelsV4.markRidges(above:_:below:ways:low:high:into:count:),
            markSquaredRidges: KernelsV4.markSquaredRidges(above:_:below:ways:low:high:into:count:),
            packMarks: KernelsV4.packMarks(_:candidates:edges:words:),
            joinEdges: KernelsV4.joinEdges(_:candidates:pending:stack:stride:count:),
            spreadBits: KernelsV4.spreadBits(_:into:words:),
            chooseBytes: KernelsV4.chooseBytes(_:set:clear:into:count:),
            choosePixels: KernelsV4.choosePixels(_:set:setKeeps:clear:clearKeeps:into:count:))
    #endif
}
