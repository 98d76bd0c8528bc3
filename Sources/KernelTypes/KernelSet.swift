// SPDX-License-Identifier: LGPL-2.1-or-later
/// The kernels for one `ProcessorLevel`: functions that process a row of pixels. The folder `Kernels` implements and
/// documents each kernel. The compiler checks that every level implements all kernels of this protocol.
package protocol KernelSet: FilterKernels, Sendable {
    var level: ProcessorLevel { get }

    // MARK: Blending
    func blendMasked(
        mode: BlendMode, background: UnsafeMutablePointer<UInt8>, foreground: UnsafePointer<UInt8>,
        mask: UnsafePointer<UInt8>, scratch: UnsafeMutableRawPointer, count: Int)
    func blendWeighted(
        mode: BlendMode, background: UnsafeMutablePointer<UInt8>, foreground: UnsafePointer<UInt8>,
        weights: UnsafePointer<UInt8>, scratch: UnsafeMutableRawPointer, count: Int)
    func blendBytes(
        mode: BlendMode, background: UnsafeMutablePointer<UInt8>, foreground: UnsafePointer<UInt8>, weight: UInt8,
        scratch: UnsafeMutableRawPointer, count: Int)
    func mixBytes(
        _ background: UnsafePointer<UInt8>, _ foreground: UnsafePointer<UInt8>, weight: UInt8, averaged: Bool,
        into output: UnsafeMutablePointer<UInt8>, count: Int)
    func mixWeighted(
        _ background: UnsafePointer<UInt8>, _ foreground: UnsafePointer<UInt8>, weights: UnsafePointer<UInt8>,
        into output: UnsafeMutablePointer<UInt8>, count: Int)
    func blendColors(
        mode: BlendMode, background: UnsafeMutablePointer<UInt8>, plane: Int, red: UnsafePointer<UInt8>,
        green: UnsafePointer<UInt8>, blue: UnsafePointer<UInt8>, weights: UnsafePointer<UInt8>, count: Int)
    func blendPixels(
        mode: BlendMode, background: UnsafeMutableRawPointer, foreground: UnsafeRawPointer,
        weights: UnsafePointer<UInt8>, offsets: ChannelOffsets, count: Int)

    // MARK: Weights and alpha
    func extractByte(at offset: Int, of pixels: UnsafeRawPointer, into output: UnsafeMutablePointer<UInt8>, count: Int)
    func commonBits(of pixels: UnsafeRawPointer, count: Int) -> UInt32
    func multiplyWeights(
        _ weights: UnsafeMutablePointer<UInt8>, by factors: UnsafePointer<UInt8>, opacity: Float, count: Int)
    func scaleWeights(_ weights: UnsafeMutablePointer<UInt8>, opacity: Float, count: Int)
    func spreadWeights(_ weights: UnsafePointer<UInt8>, mask: UInt32, into output: UnsafeMutableRawPointer, count: Int)
    func spreadWeights(_ weights: UnsafePointer<UInt8>, into output: UnsafeMutablePointer<UInt8>, count: Int)
    func rangeOfWeights(_ weights: UnsafePointer<UInt8>, count: Int) -> (minimum: UInt8, maximum: UInt8)
    func limitToEllipse(
        _ weights: UnsafeMutablePointer<UInt8>, x: Float, stepX: Float, y: Float, stepY: Float, softness: Float,
        count: Int)

    // MARK: Conversion
    func widenPixels(_ pixels: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int)
    func narrowPixels(_ pixels: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int)
    func reorderPixels(
        _ pixels: UnsafeRawPointer, order: UInt32, bits: UInt32, into output: UnsafeMutableRawPointer, count: Int)
    func grayToPixels(_ gray: UnsafePointer<UInt8>, into output: UnsafeMutableRawPointer, count: Int)
    func yuvToPixels(
        _ luma: UnsafePointer<UInt8>, _ chromaBlue: UnsafePointer<UInt8>, _ chromaRed: UnsafePointer<UInt8>,
        weights: UnsafePointer<Float>, into output: UnsafeMutableRawPointer, count: Int)
    func weighPixels(
        _ pixels: UnsafeRawPointer, weights: UnsafePointer<Float>, into output: UnsafeMutablePointer<UInt8>, count: Int)
    func averageQuads(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, into output: UnsafeMutableRawPointer, count: Int)
    func scalePixels(_ pixels: UnsafeMutableRawPointer, parameters: UnsafePointer<Float>, count: Int)

    // MARK: Colour scaling
    func scaleBytes(
        _ bytes: UnsafeMutablePointer<UInt8>, factors: UnsafePointer<Float>, summands: UnsafePointer<Float>, count: Int)
    func recolorSamples(
        _ luma: UnsafePointer<UInt8>, _ chromaBlue: UnsafePointer<UInt8>, _ chromaRed: UnsafePointer<UInt8>,
        coefficients: UnsafePointer<Float>, into output: UnsafeMutablePointer<UInt8>, count: Int)
    func doubleBytes(_ bytes: UnsafePointer<UInt8>, into output: UnsafeMutableRawPointer, count: Int)
    func averageFours(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, into output: UnsafeMutablePointer<UInt8>, count: Int)

    // MARK: YUV
    func chromaTerms(
        _ chromaBlue: UnsafePointer<UInt8>, _ chromaRed: UnsafePointer<UInt8>, weights: UnsafePointer<Int16>,
        into terms: UnsafeMutablePointer<Int16>, plane: Int, count: Int)
    func lumaToColors(
        _ luma: UnsafePointer<UInt8>, weight: Int16, terms: UnsafePointer<Int16>, doubled: Bool,
        into colors: UnsafeMutablePointer<UInt8>, plane: Int, count: Int)
    func colorsToLuma(
        _ colors: UnsafePointer<UInt8>, plane: Int, weights: UnsafePointer<Int16>,
        into luma: UnsafeMutablePointer<UInt8>, count: Int)
    func colorsToChroma(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, plane: Int, weights: UnsafePointer<Int16>,
        doubled: Bool, into chromaBlue: UnsafeMutablePointer<UInt8>, _ chromaRed: UnsafeMutablePointer<UInt8>,
        count: Int)
    func splitPairs(
        _ pairs: UnsafeRawPointer, into first: UnsafeMutablePointer<UInt8>, _ second: UnsafeMutablePointer<UInt8>,
        count: Int)
    func joinPairs(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, into pairs: UnsafeMutableRawPointer, count: Int)
    func replace(
        _ bytes: UnsafeMutablePointer<UInt8>, by others: UnsafePointer<UInt8>, where weights: UnsafePointer<UInt8>,
        count: Int)
    func joinWeights(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, doubled: Bool,
        into output: UnsafeMutablePointer<UInt8>, count: Int)

    func joinColors(
        _ red: UnsafePointer<UInt8>, _ green: UnsafePointer<UInt8>, _ blue: UnsafePointer<UInt8>,
        offsets: ChannelOffsets, into pixels: UnsafeMutableRawPointer, count: Int)
    func narrowWords(_ words: UnsafeRawPointer, shift: UInt16, into bytes: UnsafeMutablePointer<UInt8>, count: Int)
    func widenBytes(
        _ bytes: UnsafePointer<UInt8>, shift: UInt16, where weights: UnsafePointer<UInt8>,
        into words: UnsafeMutableRawPointer, count: Int)

    // MARK: Keying
    func keyColors(
        _ red: UnsafePointer<UInt8>, _ green: UnsafePointer<UInt8>, _ blue: UnsafePointer<UInt8>,
        parameters: KeyParameters, into colors: UnsafeMutablePointer<UInt8>, plane: Int,
        weights: UnsafeMutablePointer<UInt8>, count: Int)
    func keyPixels(
        _ pixels: UnsafeRawPointer, offsets: ChannelOffsets, parameters: KeyParameters,
        into output: UnsafeMutableRawPointer, weights: UnsafeMutablePointer<UInt8>, count: Int)
    func keySamples(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, parameters: KeyParameters,
        into weights: UnsafeMutablePointer<UInt8>, count: Int)
    func keyPairs(
        _ pairs: UnsafeRawPointer, parameters: KeyParameters, into weights: UnsafeMutablePointer<UInt8>, count: Int)
    func despillSamples(
        _ first: UnsafePointer<UInt8>, _ second: UnsafePointer<UInt8>, parameters: KeyParameters,
        into firsts: UnsafeMutablePointer<UInt8>, _ seconds: UnsafeMutablePointer<UInt8>, count: Int)
    func despillPairs(
        _ pairs: UnsafeRawPointer, parameters: KeyParameters, into output: UnsafeMutableRawPointer, count: Int)
    func keyLuma(
        _ luma: UnsafePointer<UInt8>, parameters: LumaKeyParameters, into weights: UnsafeMutablePointer<UInt8>,
        count: Int)
    func interpolateWeights(
        _ weights: UnsafePointer<UInt8>, into output: UnsafeMutableRawPointer, count: Int)

    // MARK: Transitions
    func weighThresholds(
        _ thresholds: UnsafePointer<UInt16>, edge: Int32, softness: Int32, slope: Int32,
        into weights: UnsafeMutablePointer<UInt8>, count: Int)
    func slideSums(
        _ sums: UnsafeMutablePointer<UInt32>, adding added: UnsafePointer<UInt8>,
        removing removed: UnsafePointer<UInt8>,
        count: Int)
    func meansOfSums(
        _ sums: UnsafePointer<UInt32>, factor: UInt32, into bytes: UnsafeMutablePointer<UInt8>, count: Int)
    func resampleRow(
        _ bytes: UnsafePointer<UInt8>, offsets: UnsafePointer<UInt32>, neighbours: UnsafePointer<UInt32>,
        into line: UnsafeMutablePointer<UInt16>, count: Int)
    func mixLines(
        _ first: UnsafePointer<UInt16>, _ second: UnsafePointer<UInt16>, fraction: UInt32,
        _ bytes: UnsafePointer<UInt8>, weight: UInt8, into output: UnsafeMutablePointer<UInt8>, count: Int)

    // MARK: Edges
    func smoothColumns(
        _ rows: UnsafePointer<UnsafePointer<UInt8>>, aperture: SobelAperture, into output: UnsafeMutablePointer<Int16>,
        count: Int)
    func slopeColumns(
        _ rows: UnsafePointer<UnsafePointer<UInt8>>, aperture: SobelAperture, into output: UnsafeMutablePointer<Int16>,
        count: Int)
    func gradients(
        _ smooth: UnsafePointer<Int16>, _ slope: UnsafePointer<Int16>, aperture: SobelAperture,
        directions: UnsafeMutablePointer<Int16>, sizes: UnsafeMutablePointer<Int16>, count: Int)
    func squaredGradients(
        _ smooth: UnsafePointer<Int16>, _ slope: UnsafePointer<Int16>, aperture: SobelAperture,
        directions: UnsafeMutablePointer<Int16>, sizes: UnsafeMutablePointer<Int32>, count: Int)
    func markRidges(
        above: UnsafePointer<Int16>, _ row: UnsafePointer<Int16>, below: UnsafePointer<Int16>,
        directions: UnsafePointer<Int16>, low: Int16, high: Int16, into marks: UnsafeMutablePointer<UInt8>, count: Int)
    func markSquaredRidges(
        above: UnsafePointer<Int32>, _ row: UnsafePointer<Int32>, below: UnsafePointer<Int32>,
        directions: UnsafePointer<Int16>, low: Int32, high: Int32, into marks: UnsafeMutablePointer<UInt8>, count: Int)
    func packMarks(
        _ marks: UnsafeRawPointer, candidates: UnsafeMutablePointer<UInt64>, edges: UnsafeMutablePointer<UInt64>,
        words: Int)
    func joinEdges(
        _ edges: UnsafeMutablePointer<UInt64>, candidates: UnsafePointer<UInt64>, pending: UnsafeMutablePointer<UInt64>,
        stack: UnsafeMutablePointer<Int32>, stride: Int, count: Int)
    func spreadBits(_ bits: UnsafePointer<UInt64>, into output: UnsafeMutableRawPointer, words: Int)
    func chooseBytes(
        _ mask: UnsafePointer<UInt8>, set: UInt8, clear: UInt8, into output: UnsafeMutablePointer<UInt8>, count: Int)
    func choosePixels(
        _ mask: UnsafePointer<UInt8>, set: UInt32, setKeeps: UInt32, clear: UInt32, clearKeeps: UInt32,
        into pixels: UnsafeMutableRawPointer, count: Int)
}

/// The x86-64 microarchitecture levels for which the kernels are compiled. The raw values are the level names of the
/// psABI. Messages to users contain these names.
package enum ProcessorLevel: String, Sendable {
    case baseline
    case v3 = "x86-64-v3"
    case v4 = "x86-64-v4"
}
