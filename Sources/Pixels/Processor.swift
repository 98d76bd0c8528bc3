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
    let reorderPixels: @Sendable (UnsafeRawPointer, UInt32, UInt32, UnsafeMutableRawPointer, Int) -> Void
    let grayToPixels: @Sendable (UnsafePointer<UInt8>, UnsafeMutableRawPointer, Int) -> Void
    let yuvToPixels:
        @Sendable (
            UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<Float>,
            UnsafeMutableRawPointer, Int
        ) -> Void
    let weighPixels: @Sendable (UnsafeRawPointer, UnsafePointer<Float>, UnsafeMutablePointer<UInt8>, Int) -> Void
    let averageQuads: @Sendable (UnsafeRawPointer, UnsafeRawPointer, UnsafeMutableRawPointer, Int) -> Void
    let scalePixels: @Sendable (UnsafeMutableRawPointer, UnsafePointer<Float>, Int) -> Void
    let limitToEllipse: @Sendable (UnsafeMutablePointer<UInt8>, Float, Float, Float, Float, Float, Int) -> Void
    let edges: EdgeKernels
    let tint: TintKernels
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
        reorderPixels: Kernels.reorderPixels(_:order:bits:into:count:),
        grayToPixels: Kernels.grayToPixels(_:into:count:),
        yuvToPixels: Kernels.yuvToPixels(_:_:_:weights:into:count:),
        weighPixels: Kernels.weighPixels(_:weights:into:count:),
        averageQuads: Kernels.averageQuads(_:_:into:count:),
        scalePixels: Kernels.scalePixels(_:numbers:count:),
        limitToEllipse: Kernels.limitToEllipse(_:x:stepX:y:stepY:softness:count:),
        edges: .baseline, tint: .baseline, filters: .baseline)

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
            reorderPixels: KernelsV3.reorderPixels(_:order:bits:into:count:),
            grayToPixels: KernelsV3.grayToPixels(_:into:count:),
            yuvToPixels: KernelsV3.yuvToPixels(_:_:_:weights:into:count:),
            weighPixels: KernelsV3.weighPixels(_:weights:into:count:),
            averageQuads: KernelsV3.averageQuads(_:_:into:count:),
            scalePixels: KernelsV3.scalePixels(_:numbers:count:),
            limitToEllipse: KernelsV3.limitToEllipse(_:x:stepX:y:stepY:softness:count:),
            edges: .v3, tint: .v3, filters: .v3)

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
            reorderPixels: KernelsV4.reorderPixels(_:order:bits:into:count:),
            grayToPixels: KernelsV4.grayToPixels(_:into:count:),
            yuvToPixels: KernelsV4.yuvToPixels(_:_:_:weights:into:count:),
            weighPixels: KernelsV4.weighPixels(_:weights:into:count:),
            averageQuads: KernelsV4.averageQuads(_:_:into:count:),
            scalePixels: KernelsV4.scalePixels(_:numbers:count:),
            limitToEllipse: KernelsV4.limitToEllipse(_:x:stepX:y:stepY:softness:count:),
            edges: .v4, tint: .v4, filters: .v4)
    #endif
}
