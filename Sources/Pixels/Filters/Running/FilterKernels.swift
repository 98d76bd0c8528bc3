internal import CProcessor
internal import Kernels

#if arch(x86_64)
    internal import KernelsV3
    internal import KernelsV4
#endif

/// The functions of one processor level that filters are made of. What they do is told where they are written, in
/// `Kernels/Filters`.
struct FilterKernels: Sendable {
    typealias Floats = UnsafeMutablePointer<Float>
    typealias ReadFloats = UnsafePointer<Float>
    typealias Bytes = UnsafeMutableRawPointer
    typealias ReadBytes = UnsafeRawPointer

    let loadTile: @Sendable (ReadBytes, Floats, Int, UInt32, UInt32, UInt32, Int) -> Void
    let loadWideTile: @Sendable (ReadBytes, Floats, Int, UInt32, UInt32, UInt32, Int) -> Void
    let loadWidePlane: @Sendable (ReadBytes, Floats, UInt32, Int) -> Void
    let storeTile: @Sendable (ReadFloats, Int, Bytes, UInt32, UInt32, UInt32, Int) -> Void
    let storeWideTile: @Sendable (ReadFloats, Int, Bytes, UInt32, UInt32, UInt32, Int) -> Void
    let storeWidePlane: @Sendable (ReadFloats, Bytes, UInt32, Int) -> Void
    let spreadGray: @Sendable (UnsafePointer<UInt8>, Bytes, Int) -> Void
    let storeGray: @Sendable (ReadFloats, Int, UnsafeMutablePointer<UInt8>, Int) -> Void
    let mergePixels: @Sendable (ReadBytes, Bytes, UInt32, Int) -> Void
    let mergeWidePixels: @Sendable (ReadBytes, Bytes, UInt64, Int) -> Void
    let mergeNarrowed: @Sendable (ReadBytes, Bytes, UInt32, Int) -> Void
    let mergeWidened: @Sendable (ReadBytes, Bytes, UInt64, Int) -> Void
    let runStage: @Sendable (Int32, Floats, Int, ReadFloats, ReadFloats, Int) -> Void
    let applyTable: @Sendable (ReadFloats, Bool, Floats, UnsafeMutablePointer<UInt16>, Int) -> Void
    let applyPolynomial: @Sendable (ReadFloats, Int, Bool, Floats, Int) -> Void
    let lookUpPairs: @Sendable (Bytes, UnsafePointer<UInt16>, Int) -> Void
    let scaleBytes:
        @Sendable (
            UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt16>, UnsafePointer<Int16>, Int16, Int
        ) -> Void
    let findCorners: @Sendable (ReadFloats, Int, Int, ReadFloats, UnsafeMutablePointer<UInt32>, Floats, Int) -> Void
    let mixCorners: @Sendable (ReadFloats, UnsafePointer<UInt32>, ReadFloats, Floats, Floats, Int, Int) -> Void
    let fillRadialMask: @Sendable (Floats, Float, Float, Float, Float, Float, Int) -> Void
    let fillWaveMask: @Sendable (Floats, ReadFloats, Int, ReadFloats, Int) -> Void
    let combineTiles: @Sendable (Int32, Floats, Int, ReadFloats, Int) -> Void
    let filterNeighbours:
        @Sendable (Int32, ReadFloats, ReadFloats, ReadFloats, Int, ReadFloats, Floats, Int, Int) -> Void
    let addLuma: @Sendable (Floats, Int, Bool, Int) -> Void
    let median3: @Sendable (ReadFloats, ReadFloats, ReadFloats, Floats, Int, Floats, Int) -> Void
    let median5: @Sendable (ReadFloats, ReadFloats, ReadFloats, ReadFloats, ReadFloats, Floats, Int) -> Void
    let gatherLines:
        @Sendable (Bytes, Int, Int, UnsafePointer<Int32>, Int, Int, Int, UnsafeMutablePointer<UInt32>) -> Void
    let gatherWideLines:
        @Sendable (Bytes, Int, Int, UnsafePointer<Int32>, Int, Int, Int, UnsafeMutablePointer<UInt64>) -> Void
    let scatterWideLines:
        @Sendable (UnsafePointer<UInt64>, UInt64, Bytes, Int, Int, UnsafePointer<Int32>, Int, Int, Int) -> Void
    let turnBlocks: @Sendable (UnsafePointer<UInt64>, UnsafeMutablePointer<UInt64>, Int) -> Void
    let mergeColumn: @Sendable (ReadBytes, UInt32, Bytes, Int, Int, Int) -> Void
    let mergeWideColumn: @Sendable (ReadBytes, UInt64, Bytes, Int, Int, Int) -> Void
    let bytesToLanes: @Sendable (Floats, UnsafePointer<UInt8>, Int) -> Void
    let samplesToLanes: @Sendable (Floats, UnsafePointer<UInt16>, Int) -> Void
    let lanesToSamples: @Sendable (ReadFloats, UnsafeMutablePointer<UInt16>, Int) -> Void
    let lanesToBytes: @Sendable (ReadFloats, UnsafeMutablePointer<UInt8>, Int) -> Void
    let extendLanes: @Sendable (Floats, Int, Int) -> Void
    let blurNear: @Sendable (ReadFloats, Int, ReadFloats, Floats) -> Void
    let blurFar: @Sendable (ReadFloats, Int, ReadFloats, Floats) -> Void
    let blurByBox: @Sendable (ReadFloats, Int, Int, Float, Floats, Floats) -> Void
    let reduceDown: @Sendable (ReadBytes, ReadBytes, ReadBytes, ReadBytes, ReadBytes, ReadBytes, Bytes, Int) -> Void
    let reduceBytesDown:
        @Sendable (
            UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>,
            UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafeMutablePointer<UInt16>, Int
        ) -> Void
    let reduceAcross: @Sendable (ReadBytes, Bytes, Int) -> Void
    let enlargeDown: @Sendable (ReadBytes, ReadBytes, ReadBytes, Bytes, Int) -> Void
    let enlargeAcross: @Sendable (ReadBytes, Bytes, Int) -> Void
    let copyPixels: @Sendable (ReadBytes, UnsafePointer<UInt32>, Bytes, Int) -> Void
    let collectPairs: @Sendable (ReadBytes, Int, UnsafePointer<UInt32>, Bytes, Bytes, Int) -> Void
    let mixPairs: @Sendable (ReadBytes, ReadBytes, UnsafePointer<UInt16>, Bytes, Int) -> Void
    let mixPairsWide: @Sendable (ReadBytes, ReadBytes, UnsafePointer<UInt16>, Bytes, Int) -> Void
    let copyWidePixels: @Sendable (ReadBytes, UnsafePointer<UInt32>, Bytes, Int) -> Void
    let collectWidePixels: @Sendable (ReadBytes, Int, UnsafePointer<UInt32>, Bytes, Int, Int) -> Void
    let spreadDistances: @Sendable (UnsafePointer<UInt16>, Bytes, Bytes, Int) -> Void
    let mixWidePixels:
        @Sendable (
            UnsafePointer<UInt16>, Int, UnsafePointer<UInt16>, UnsafePointer<UInt16>, UnsafeMutablePointer<UInt16>, Int
        ) -> Void
    let mixRows:
        @Sendable (UnsafePointer<UInt8>, UnsafePointer<UInt8>, UInt16, UnsafeMutablePointer<UInt16>, Int) -> Void
    let mixWideRows:
        @Sendable (UnsafePointer<UInt16>, UnsafePointer<UInt16>, UInt16, UnsafeMutablePointer<UInt16>, Int) -> Void
    let collectColumns: @Sendable (ReadBytes, UnsafePointer<UInt32>, Bytes, Bytes, Int) -> Void
    let mixColumns:
        @Sendable (
            UnsafePointer<UInt16>, UnsafePointer<UInt16>, UnsafePointer<UInt16>, UnsafeMutablePointer<UInt8>, Int
        ) -> Void
    let mixWideColumns:
        @Sendable (
            UnsafePointer<UInt16>, UnsafePointer<UInt16>, UnsafePointer<UInt16>, UnsafeMutablePointer<UInt16>, Int
        ) -> Void
    let average: @Sendable (UnsafeMutablePointer<UInt16>, UnsafePointer<UInt16>, Int) -> Void
    let addPlane: @Sendable (ReadFloats, Floats, Int) -> Void
    let averageBlocks: @Sendable (Floats, Int, Int, Int) -> Void
    let takeCalmest: @Sendable (ReadFloats, Floats, Int, Int) -> Void
    let multiplyBytes: @Sendable (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt16>, Int) -> Void

    let exchange: @Sendable (Bytes, Bytes, UInt32, Int) -> Void
    let exchangeReversed: @Sendable (Bytes, Bytes, UInt32, Int) -> Void
    /// Whether `sv_apply_segments` may be used beside them.
    let permutesFloats: Bool
    /// Whether `sv_look_up_bytes` may be used beside them.
    let permutesBytes: Bool

    static let baseline = FilterKernels(
        loadTile: Kernels.loadTile(_:into:plane:red:green:blue:count:),
        loadWideTile: Kernels.loadWideTile(_:into:plane:red:green:blue:count:),
        loadWidePlane: Kernels.loadWidePlane(_:into:place:count:),
        storeTile: Kernels.storeTile(_:plane:into:red:green:blue:count:),
        storeWideTile: Kernels.storeWideTile(_:plane:into:red:green:blue:count:),
        storeWidePlane: Kernels.storeWidePlane(_:into:place:count:),
        spreadGray: Kernels.spreadGray(_:into:count:),
        storeGray: Kernels.storeGray(_:plane:into:count:),
        mergePixels: Kernels.mergePixels(_:into:mask:count:),
        mergeWidePixels: Kernels.mergeWidePixels(_:into:mask:count:),
        mergeNarrowed: Kernels.mergeNarrowed(_:into:mask:count:),
        mergeWidened: Kernels.mergeWidened(_:into:mask:count:),
        runStage: Kernels.runStage(_:tile:plane:mask:parameters:count:),
        applyTable: Kernels.applyTable(_:ofRoot:to:indices:count:),
        applyPolynomial: Kernels.applyPolynomial(_:degree:ofRoot:to:count:),
        lookUpPairs: Kernels.lookUpPairs(_:in:count:),
        scaleBytes: Kernels.scaleBytes(_:flips:gains:offsets:shift:count:),
        findCorners: Kernels.findCorners(_:plane:size:scale:corners:weights:count:),
        mixCorners: Kernels.mixCorners(_:corners:weights:mixed:into:plane:count:),
        fillRadialMask: Kernels.fillRadialMask(_:x:y:slope:offset:smoothness:count:),
        fillWaveMask: Kernels.fillWaveMask(_:waves:width:row:count:),
        combineTiles: Kernels.combineTiles(_:tile:plane:parameters:count:),
        filterNeighbours: Kernels.filterNeighbours(_:above:here:below:rowPlane:parameters:into:plane:count:),
        addLuma: Kernels.addLuma(_:plane:squared:count:),
        median3: Kernels.median3(_:_:_:columns:plane:into:count:),
        median5: Kernels.median5(_:_:_:_:_:into:count:),
        gatherLines: Kernels.gatherLines(_:step:lineStep:shifts:first:limit:length:into:),
        gatherWideLines: Kernels.gatherWideLines(_:step:lineStep:shifts:first:limit:length:into:),
        scatterWideLines: Kernels.scatterWideLines(_:mask:into:step:lineStep:shifts:first:limit:length:),
        turnBlocks: Kernels.turnBlocks(_:into:count:),
        mergeColumn: Kernels.mergeColumn(_:mask:into:stride:count:rows:),
        mergeWideColumn: Kernels.mergeWideColumn(_:mask:into:stride:count:rows:),
        bytesToLanes: Kernels.fillLanes(_:bytes:count:),
        samplesToLanes: Kernels.fillLanes(_:samples:count:),
        lanesToSamples: Kernels.storeLanes(_:samples:count:),
        lanesToBytes: Kernels.storeLanes(_:bytes:count:),
        extendLanes: Kernels.extendLanes(_:length:margin:),
        blurNear: Kernels.blurNear(_:length:weights:into:),
        blurFar: Kernels.blurFar(_:length:weights:into:),
        blurByBox: Kernels.blurByBox(_:length:reach:share:sums:into:),
        reduceDown: Kernels.reduceDown(inner:_:middle:_:outer:_:into:count:),
        reduceBytesDown: Kernels.reduceBytesDown(inner:_:middle:_:outer:_:into:count:),
        reduceAcross: Kernels.reduceAcross(_:into:count:),
        enlargeDown: Kernels.enlargeDown(_:_:_:into:count:),
        enlargeAcross: Kernels.enlargeAcross(_:into:count:),
        copyPixels: Kernels.copyPixels(_:indices:into:count:),
        collectPairs: Kernels.collectPairs(_:stride:indices:upper:lower:count:),
        mixPairs: Kernels.mixPairs(_:_:distances:into:count:),
        mixPairsWide: Kernels.mixPairsWide(_:_:distances:into:count:),
        copyWidePixels: Kernels.copyWidePixels(_:indices:into:count:),
        collectWidePixels: Kernels.collectWidePixels(_:stride:indices:into:row:count:),
        spreadDistances: Kernels.spreadDistances(_:right:down:count:),
        mixWidePixels: Kernels.mixWidePixels(_:row:right:down:into:count:),
        mixRows: Kernels.mixRows(_:_:share:into:count:),
        mixWideRows: Kernels.mixWideRows(_:_:share:into:count:),
        collectColumns: Kernels.collectColumns(_:columns:left:right:count:),
        mixColumns: Kernels.mixColumns(_:_:shares:into:count:),
        mixWideColumns: Kernels.mixWideColumns(_:_:shares:into:count:),
        average: Kernels.average(_:with:count:),
        addPlane: Kernels.addPlane(_:to:count:),
        averageBlocks: Kernels.averageBlocks(_:rows:block:count:),
        takeCalmest: Kernels.takeCalmest(_:into:plane:count:),
        multiplyBytes: Kernels.multiplyBytes(_:by:count:),
        exchange: Kernels.exchange(_:_:mask:count:),
        exchangeReversed: Kernels.exchangeReversed(_:_:mask:count:),
        permutesFloats: false, permutesBytes: false)

    #if arch(x86_64)
        static let v3 = FilterKernels(
            loadTile: KernelsV3.loadTile(_:into:plane:red:green:blue:count:),
            loadWideTile: KernelsV3.loadWideTile(_:into:plane:red:green:blue:count:),
            loadWidePlane: KernelsV3.loadWidePlane(_:into:place:count:),
            storeTile: KernelsV3.storeTile(_:plane:into:red:green:blue:count:),
            storeWideTile: KernelsV3.storeWideTile(_:plane:into:red:green:blue:count:),
            storeWidePlane: KernelsV3.storeWidePlane(_:into:place:count:),
            spreadGray: KernelsV3.spreadGray(_:into:count:),
            storeGray: KernelsV3.storeGray(_:plane:into:count:),
            mergePixels: KernelsV3.mergePixels(_:into:mask:count:),
            mergeWidePixels: KernelsV3.mergeWidePixels(_:into:mask:count:),
            mergeNarrowed: KernelsV3.mergeNarrowed(_:into:mask:count:),
            mergeWidened: KernelsV3.mergeWidened(_:into:mask:count:),
            runStage: KernelsV3.runStage(_:tile:plane:mask:parameters:count:),
            applyTable: KernelsV3.applyTable(_:ofRoot:to:indices:count:),
            applyPolynomial: KernelsV3.applyPolynomial(_:degree:ofRoot:to:count:),
            lookUpPairs: KernelsV3.lookUpPairs(_:in:count:),
            scaleBytes: KernelsV3.scaleBytes(_:flips:gains:offsets:shift:count:),
            findCorners: KernelsV3.findCorners(_:plane:size:scale:corners:weights:count:),
            mixCorners: KernelsV3.mixCorners(_:corners:weights:mixed:into:plane:count:),
            fillRadialMask: KernelsV3.fillRadialMask(_:x:y:slope:offset:smoothness:count:),
            fillWaveMask: KernelsV3.fillWaveMask(_:waves:width:row:count:),
            combineTiles: KernelsV3.combineTiles(_:tile:plane:parameters:count:),
            filterNeighbours: KernelsV3.filterNeighbours(_:above:here:below:rowPlane:parameters:into:plane:count:),
            addLuma: KernelsV3.addLuma(_:plane:squared:count:),
            median3: KernelsV3.median3(_:_:_:columns:plane:into:count:),
            median5: KernelsV3.median5(_:_:_:_:_:into:count:),
            gatherLines: KernelsV3.gatherLines(_:step:lineStep:shifts:first:limit:length:into:),
            gatherWideLines: KernelsV3.gatherWideLines(_:step:lineStep:shifts:first:limit:length:into:),
            scatterWideLines: KernelsV3.scatterWideLines(_:mask:into:step:lineStep:shifts:first:limit:length:),
            turnBlocks: KernelsV3.turnBlocks(_:into:count:),
            mergeColumn: KernelsV3.mergeColumn(_:mask:into:stride:count:rows:),
            mergeWideColumn: KernelsV3.mergeWideColumn(_:mask:into:stride:count:rows:),
            bytesToLanes: KernelsV3.fillLanes(_:bytes:count:),
            samplesToLanes: KernelsV3.fillLanes(_:samples:count:),
            lanesToSamples: KernelsV3.storeLanes(_:samples:count:),
            lanesToBytes: KernelsV3.storeLanes(_:bytes:count:),
            extendLanes: KernelsV3.extendLanes(_:length:margin:),
            blurNear: KernelsV3.blurNear(_:length:weights:into:),
            blurFar: KernelsV3.blurFar(_:length:weights:into:),
            blurByBox: KernelsV3.blurByBox(_:length:reach:share:sums:into:),
            reduceDown: KernelsV3.reduceDown(inner:_:middle:_:outer:_:into:count:),
            reduceBytesDown: KernelsV3.reduceBytesDown(inner:_:middle:_:outer:_:into:count:),
            reduceAcross: KernelsV3.reduceAcross(_:into:count:),
            enlargeDown: KernelsV3.enlargeDown(_:_:_:into:count:),
            enlargeAcross: KernelsV3.enlargeAcross(_:into:count:),
            copyPixels: KernelsV3.copyPixels(_:indices:into:count:),
            collectPairs: KernelsV3.collectPairs(_:stride:indices:upper:lower:count:),
            mixPairs: KernelsV3.mixPairs(_:_:distances:into:count:),
            mixPairsWide: KernelsV3.mixPairsWide(_:_:distances:into:count:),
            copyWidePixels: KernelsV3.copyWidePixels(_:indices:into:count:),
            collectWidePixels: KernelsV3.collectWidePixels(_:stride:indices:into:row:count:),
            spreadDistances: KernelsV3.spreadDistances(_:right:down:count:),
            mixWidePixels: KernelsV3.mixWidePixels(_:row:right:down:into:count:),
            mixRows: KernelsV3.mixRows(_:_:share:into:count:),
            mixWideRows: KernelsV3.mixWideRows(_:_:share:into:count:),
            collectColumns: KernelsV3.collectColumns(_:columns:left:right:count:),
            mixColumns: KernelsV3.mixColumns(_:_:shares:into:count:),
            mixWideColumns: KernelsV3.mixWideColumns(_:_:shares:into:count:),
            average: KernelsV3.average(_:with:count:),
            addPlane: KernelsV3.addPlane(_:to:count:),
            averageBlocks: KernelsV3.averageBlocks(_:rows:block:count:),
            takeCalmest: KernelsV3.takeCalmest(_:into:plane:count:),
            multiplyBytes: KernelsV3.multiplyBytes(_:by:count:),
            exchange: KernelsV3.exchange(_:_:mask:count:),
            exchangeReversed: KernelsV3.exchangeReversed(_:_:mask:count:),
            permutesFloats: false, permutesBytes: false)

        static let v4 = FilterKernels(
            loadTile: KernelsV4.loadTile(_:into:plane:red:green:blue:count:),
            loadWideTile: KernelsV4.loadWideTile(_:into:plane:red:green:blue:count:),
            loadWidePlane: KernelsV4.loadWidePlane(_:into:place:count:),
            storeTile: KernelsV4.storeTile(_:plane:into:red:green:blue:count:),
            storeWideTile: KernelsV4.storeWideTile(_:plane:into:red:green:blue:count:),
            storeWidePlane: KernelsV4.storeWidePlane(_:into:place:count:),
            spreadGray: KernelsV4.spreadGray(_:into:count:),
            storeGray: KernelsV4.storeGray(_:plane:into:count:),
            mergePixels: KernelsV4.mergePixels(_:into:mask:count:),
            mergeWidePixels: KernelsV4.mergeWidePixels(_:into:mask:count:),
            mergeNarrowed: KernelsV4.mergeNarrowed(_:into:mask:count:),
            mergeWidened: KernelsV4.mergeWidened(_:into:mask:count:),
            runStage: KernelsV4.runStage(_:tile:plane:mask:parameters:count:),
            applyTable: KernelsV4.applyTable(_:ofRoot:to:indices:count:),
            applyPolynomial: KernelsV4.applyPolynomial(_:degree:ofRoot:to:count:),
            lookUpPairs: KernelsV4.lookUpPairs(_:in:count:),
            scaleBytes: KernelsV4.scaleBytes(_:flips:gains:offsets:shift:count:),
            findCorners: KernelsV4.findCorners(_:plane:size:scale:corners:weights:count:),
            mixCorners: KernelsV4.mixCorners(_:corners:weights:mixed:into:plane:count:),
            fillRadialMask: KernelsV4.fillRadialMask(_:x:y:slope:offset:smoothness:count:),
            fillWaveMask: KernelsV4.fillWaveMask(_:waves:width:row:count:),
            combineTiles: KernelsV4.combineTiles(_:tile:plane:parameters:count:),
            filterNeighbours: KernelsV4.filterNeighbours(_:above:here:below:rowPlane:parameters:into:plane:count:),
            addLuma: KernelsV4.addLuma(_:plane:squared:count:),
            median3: KernelsV4.median3(_:_:_:columns:plane:into:count:),
            median5: KernelsV4.median5(_:_:_:_:_:into:count:),
            gatherLines: KernelsV4.gatherLines(_:step:lineStep:shifts:first:limit:length:into:),
            gatherWideLines: KernelsV4.gatherWideLines(_:step:lineStep:shifts:first:limit:length:into:),
            scatterWideLines: KernelsV4.scatterWideLines(_:mask:into:step:lineStep:shifts:first:limit:length:),
            turnBlocks: KernelsV4.turnBlocks(_:into:count:),
            mergeColumn: KernelsV4.mergeColumn(_:mask:into:stride:count:rows:),
            mergeWideColumn: KernelsV4.mergeWideColumn(_:mask:into:stride:count:rows:),
            bytesToLanes: KernelsV4.fillLanes(_:bytes:count:),
            samplesToLanes: KernelsV4.fillLanes(_:samples:count:),
            lanesToSamples: KernelsV4.storeLanes(_:samples:count:),
            lanesToBytes: KernelsV4.storeLanes(_:bytes:count:),
            extendLanes: KernelsV4.extendLanes(_:length:margin:),
            blurNear: KernelsV4.blurNear(_:length:weights:into:),
            blurFar: KernelsV4.blurFar(_:length:weights:into:),
            blurByBox: KernelsV4.blurByBox(_:length:reach:share:sums:into:),
            reduceDown: KernelsV4.reduceDown(inner:_:middle:_:outer:_:into:count:),
            reduceBytesDown: KernelsV4.reduceBytesDown(inner:_:middle:_:outer:_:into:count:),
            reduceAcross: KernelsV4.reduceAcross(_:into:count:),
            enlargeDown: KernelsV4.enlargeDown(_:_:_:into:count:),
            enlargeAcross: KernelsV4.enlargeAcross(_:into:count:),
            copyPixels: KernelsV4.copyPixels(_:indices:into:count:),
            collectPairs: KernelsV4.collectPairs(_:stride:indices:upper:lower:count:),
            mixPairs: KernelsV4.mixPairs(_:_:distances:into:count:),
            mixPairsWide: KernelsV4.mixPairsWide(_:_:distances:into:count:),
            copyWidePixels: KernelsV4.copyWidePixels(_:indices:into:count:),
            collectWidePixels: KernelsV4.collectWidePixels(_:stride:indices:into:row:count:),
            spreadDistances: KernelsV4.spreadDistances(_:right:down:count:),
            mixWidePixels: KernelsV4.mixWidePixels(_:row:right:down:into:count:),
            mixRows: KernelsV4.mixRows(_:_:share:into:count:),
            mixWideRows: KernelsV4.mixWideRows(_:_:share:into:count:),
            collectColumns: KernelsV4.collectColumns(_:columns:left:right:count:),
            mixColumns: KernelsV4.mixColumns(_:_:shares:into:count:),
            mixWideColumns: KernelsV4.mixWideColumns(_:_:shares:into:count:),
            average: KernelsV4.average(_:with:count:),
            addPlane: KernelsV4.addPlane(_:to:count:),
            averageBlocks: KernelsV4.averageBlocks(_:rows:block:count:),
            takeCalmest: KernelsV4.takeCalmest(_:into:plane:count:),
            multiplyBytes: KernelsV4.multiplyBytes(_:by:count:),
            exchange: KernelsV4.exchange(_:_:mask:count:),
            exchangeReversed: KernelsV4.exchangeReversed(_:_:mask:count:),
            permutesFloats: true, permutesBytes: sv_permutes_bytes() != 0)
    #endif
}
