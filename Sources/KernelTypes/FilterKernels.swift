// SPDX-License-Identifier: LGPL-2.1-or-later
/// The kernels for filters: functions that process a row of pixels. The folder `Kernels/Filters` implements and
/// documents each kernel.
package protocol FilterKernels {
    // MARK: Tiles
    func loadTile(
        _ pixels: UnsafeRawPointer, sixteenBit: Bool, into tile: UnsafeMutablePointer<Float>, plane: Int,
        offsets: ChannelOffsets, count: Int)
    func loadPlane(_ pixels: UnsafeRawPointer, index: UInt32, into plane: UnsafeMutablePointer<Float>, count: Int)
    func storeTile(
        _ tile: UnsafePointer<Float>, plane: Int, into pixels: UnsafeMutableRawPointer, sixteenBit: Bool,
        offsets: ChannelOffsets, count: Int)
    func loadTile(
        colors: UnsafePointer<UInt8>, colorPlane: Int, into tile: UnsafeMutablePointer<Float>, plane: Int, count: Int)
    func storeTile(
        _ tile: UnsafePointer<Float>, plane: Int, intoColors colors: UnsafeMutablePointer<UInt8>, colorPlane: Int,
        count: Int)
    func markChanges(
        of colors: UnsafePointer<UInt8>, since before: UnsafePointer<UInt8>, plane: Int,
        into marks: UnsafeMutablePointer<UInt8>, count: Int)
    func storePlane(_ plane: UnsafePointer<Float>, into pixels: UnsafeMutableRawPointer, index: UInt32, count: Int)
    func storeGray(_ tile: UnsafePointer<Float>, plane: Int, into bytes: UnsafeMutablePointer<UInt8>, count: Int)
    func mergePixels(
        _ pixels: UnsafeRawPointer, fromSixteenBit: Bool, step: Int, into output: UnsafeMutableRawPointer,
        toSixteenBit: Bool, stride: Int, mask: UInt64, count: Int, rows: Int)

    // MARK: Colours of tiles
    func runStage(
        _ kind: ColorStageKind, tile: UnsafeMutablePointer<Float>, plane: Int, mask: UnsafePointer<Float>,
        parameters: UnsafePointer<Float>, count: Int)
    func applyTable(
        _ table: UnsafePointer<Float>, ofRoot: Bool, to plane: UnsafeMutablePointer<Float>,
        indices: UnsafeMutablePointer<UInt16>, count: Int)
    func applyPolynomial(
        _ coefficients: UnsafePointer<Float>, degree: Int, ofRoot: Bool, to plane: UnsafeMutablePointer<Float>,
        count: Int)
    func lookUpPairs(_ pixels: UnsafeMutableRawPointer, in tables: UnsafePointer<UInt16>, count: Int)
    func scaleBytes(
        _ bytes: UnsafeMutablePointer<UInt8>, flips: UnsafePointer<UInt8>, gains: UnsafePointer<UInt16>,
        offsets: UnsafePointer<Int16>, shift: Int16, count: Int)
    func findCorners(
        _ tile: UnsafePointer<Float>, plane: Int, size: Int, scale: UnsafePointer<Float>,
        corners: UnsafeMutablePointer<UInt32>, weights: UnsafeMutablePointer<Float>, count: Int)
    func mixCorners(
        _ lattice: UnsafePointer<Float>, corners: UnsafePointer<UInt32>, weights: UnsafePointer<Float>,
        mixed: UnsafeMutablePointer<Float>, into tile: UnsafeMutablePointer<Float>, plane: Int, count: Int)
    func fillRadialMask(
        _ mask: UnsafeMutablePointer<Float>, x: Float, y: Float, slope: Float, offset: Float, smoothness: Float,
        count: Int)
    func fillWaveMask(
        _ mask: UnsafeMutablePointer<Float>, waves: UnsafePointer<Float>, width: Int, row: UnsafePointer<Float>,
        count: Int)
    func combineTiles(
        _ kind: CombinationKind, tile: UnsafeMutablePointer<Float>, plane: Int, parameters: UnsafePointer<Float>,
        count: Int)
    func filterNeighbours(
        _ kind: NeighbourhoodKind, above: UnsafePointer<Float>, here: UnsafePointer<Float>, below: UnsafePointer<Float>,
        rowPlane: Int, parameters: UnsafePointer<Float>, into tile: UnsafeMutablePointer<Float>, plane: Int, count: Int)
    func addLuma(_ tile: UnsafeMutablePointer<Float>, plane: Int, squared: Bool, count: Int)
    func median3(
        _ above: UnsafePointer<Float>, _ here: UnsafePointer<Float>, _ below: UnsafePointer<Float>,
        columns: UnsafeMutablePointer<Float>, plane: Int, into output: UnsafeMutablePointer<Float>, count: Int)
    func median5(
        _ rows: UnsafePointer<Float>, _ second: UnsafePointer<Float>, _ third: UnsafePointer<Float>,
        _ fourth: UnsafePointer<Float>, _ fifth: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>,
        count: Int)

    // MARK: Lines
    func gatherLines(
        _ picture: UnsafeMutableRawPointer, sixteenBit: Bool, step: Int, lineStep: Int, shifts: UnsafePointer<Int32>,
        first: Int, limit: Int, length: Int, into words: UnsafeMutableRawPointer)
    func scatterLines(
        _ words: UnsafeRawPointer, mask: UInt64, into picture: UnsafeMutableRawPointer, step: Int, lineStep: Int,
        shifts: UnsafePointer<Int32>, first: Int, limit: Int, length: Int)
    func transposeBlocks(_ blocks: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int)
    func fillLanes(_ output: UnsafeMutablePointer<Float>, samples: UnsafeRawPointer, sixteenBit: Bool, count: Int)
    func storeLanes(_ lanes: UnsafePointer<Float>, samples: UnsafeMutableRawPointer, sixteenBit: Bool, count: Int)
    func extendLanes(_ values: UnsafeMutablePointer<Float>, length: Int, margin: Int)
    func blur(
        _ values: UnsafePointer<Float>, length: Int, reach: Int, weights w: UnsafePointer<Float>,
        into output: UnsafeMutablePointer<Float>)
    func blurByBox(
        _ values: UnsafePointer<Float>, length: Int, reach: Int, share: Float, sums: UnsafeMutablePointer<Float>,
        into output: UnsafeMutablePointer<Float>)

    // MARK: Pyramids
    func reduceDown(_ rows: SixRows, sixteenBit: Bool, into output: UnsafeMutableRawPointer, count: Int)
    func reduceAcross(_ row: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int)
    func enlargeDown(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ third: UnsafeRawPointer,
        into output: UnsafeMutableRawPointer, count: Int)
    func enlargeAcross(_ row: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int)

    // MARK: Positions
    func fillPositions(
        _ xs: UnsafeMutablePointer<Float>, _ ys: UnsafeMutablePointer<Float>, column: Float, row: Float, count: Int)
    func movePositions(
        _ kind: WarpKind, _ xs: UnsafeMutablePointer<Float>, _ ys: UnsafeMutablePointer<Float>,
        parameters: UnsafePointer<Double>, count: Int)
    func limitPositions(
        _ edges: WarpEdges, _ xs: UnsafeMutablePointer<Float>, _ ys: UnsafeMutablePointer<Float>, width: Float,
        height: Float, count: Int)
    func convertPositions(
        _ xs: UnsafePointer<Float>, _ ys: UnsafePointer<Float>, stride: UInt32, outside: UInt32, nearest: Bool,
        indices: UnsafeMutablePointer<UInt32>, distances: UnsafeMutablePointer<UInt16>, count: Int)

    // MARK: Sampling
    func copyPixels(
        _ picture: UnsafeRawPointer, sixteenBit: Bool, indices: UnsafePointer<UInt32>,
        into output: UnsafeMutableRawPointer, count: Int)
    func collectPairs(
        _ picture: UnsafeRawPointer, stride: Int, indices: UnsafePointer<UInt32>, upper: UnsafeMutableRawPointer,
        lower: UnsafeMutableRawPointer, count: Int)
    func mixPairs(
        _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, distances: UnsafePointer<UInt16>,
        into output: UnsafeMutableRawPointer, sixteenBit: Bool, count: Int)
    func collectSquares(
        _ picture: UnsafeRawPointer, stride: Int, indices: UnsafePointer<UInt32>, into output: UnsafeMutableRawPointer,
        row: Int, count: Int)
    func replicateDistances(
        _ distances: UnsafePointer<UInt16>, right: UnsafeMutableRawPointer, down: UnsafeMutableRawPointer, count: Int)
    func mixSquares(
        _ samples: UnsafePointer<UInt16>, row: Int, right: UnsafePointer<UInt16>, down: UnsafePointer<UInt16>,
        into output: UnsafeMutablePointer<UInt16>, count: Int)
    func average(_ samples: UnsafeMutablePointer<UInt16>, with others: UnsafePointer<UInt16>, count: Int)
    func mixRows(
        _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, sixteenBit: Bool, share: UInt16,
        into output: UnsafeMutablePointer<UInt16>, count: Int)
    func collectColumns(
        _ row: UnsafeRawPointer, columns: UnsafePointer<UInt32>, left: UnsafeMutableRawPointer,
        right: UnsafeMutableRawPointer, count: Int)
    func mixColumns(
        _ left: UnsafePointer<UInt16>, _ right: UnsafePointer<UInt16>, shares: UnsafePointer<UInt16>,
        into output: UnsafeMutableRawPointer, sixteenBit: Bool, count: Int)
    func exchange(
        _ first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer, reversed: Bool, mask: UInt32, count: Int)

    // MARK: Cells
    func addPlane(_ plane: UnsafePointer<Float>, to sums: UnsafeMutablePointer<Float>, count: Int)
    func averageBlocks(_ sums: UnsafeMutablePointer<Float>, rows: Int, block: Int, count: Int)
    func kuwahara(_ windows: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, plane: Int, count: Int)
}
