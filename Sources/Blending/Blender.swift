// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// Bounds of weights: bits that all have, and bits that any has. 255 and 0 are exact.
typealias WeightRange = (least: UInt8, most: UInt8)

/// Blends pictures, row by row. It belongs to one thread, since it holds the scratch rows for that, and shares the work with
/// other threads of its own.
package final class Blender {
    /// Pixels that are blended at once, few enough for all scratch rows to stay in the first-level cache.
    static let tile = 1024

    let kernels: any KernelSet
    private let memory: UnsafeMutableRawPointer
    /// 255 for each byte of the tile that is a colour, else 0.
    private let mask: UnsafeMutablePointer<UInt32>
    /// One weight for each byte of the tile.
    private let byteWeights: UnsafeMutablePointer<UInt8>
    /// One weight for each pixel of the tile.
    let pixelWeights: UnsafeMutablePointer<UInt8>
    /// The tile's pixels widened from three bytes to four.
    private let wideBackground: UnsafeMutableRawPointer
    private let wideForeground: UnsafeMutableRawPointer
    /// Scratch memory of the kernels.
    let scratch: UnsafeMutableRawPointer
    /// Strips of YUV frames.
    private(set) lazy var strips = YUVStrip(kernels: kernels)
    /// Layers over YUV frames.
    private(set) lazy var mixing = MixingRoom(kernels: kernels)
    /// Rows of keyed pictures.
    private(set) lazy var keying = KeyingRoom()

    private let pool: ThreadPool
    /// True while other threads may be at work.
    private var isSharing = false
    /// Those of the other threads.
    private lazy var helpers = (1..<pool.threads).map { _ in Blender(kernels: kernels) }

    /// - Parameters:
    ///   - threads: how many work on a picture. The result does not depend on it.
    ///   - kernels: which kernels to use; the fastest that this processor can run unless a test wants others.
    package init(threads: Int = 1, kernels: any KernelSet = Processor.kernels) {
        let tile = Self.tile
        let size = 25 * tile + 8
        self.kernels = kernels
        pool = ThreadPool(threads: threads)
        memory = .allocate(byteCount: size, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        mask = memory.bindMemory(to: UInt32.self, capacity: tile)
        byteWeights = (memory + 4 * tile).assumingMemoryBound(to: UInt8.self)
        pixelWeights = (memory + 8 * tile).assumingMemoryBound(to: UInt8.self)
        wideBackground = memory + 9 * tile
        wideForeground = memory + 13 * tile
        scratch = memory + 17 * tile
    }

    deinit { memory.deallocate() }

    /// Pixels that are worth sharing. With fewer, waking other threads takes longer than they save.
    private static let shared = 1 << 18

    /// Rows of a band by which work is shared: a multiple of every pattern in which rows share chroma, and in BGRA 120 KB of
    /// 1920 pixels, which the second-level cache holds.
    package static let bandHeight = 16

    /// Shares rows among the threads, in bands that end where multiples of `bandHeight` do. Within `body`, its blender does
    /// everything alone.
    /// - Parameters:
    ///   - width: pixels of a row; what is small is not shared.
    ///   - body: gets some of the rows, and the blender of the thread that it is called on. It is called on several
    ///     threads at once, so bands must not write what others read or write.
    package func share(_ rows: Range<Int>, width: Int, _ body: (_ band: Range<Int>, Blender) -> Void) {
        guard !rows.isEmpty else { return }
        let first = rows.lowerBound / Self.bandHeight
        let isAlone = isSharing || rows.count < Self.shared / max(1, width)
        let blenders = isAlone ? [self] : [self] + helpers
        let before = isSharing
        isSharing = true
        defer { isSharing = before }
        pool.run(units: (rows.upperBound - 1) / Self.bandHeight - first + 1, alone: isAlone) { worker, unit in
            let top = (first + unit) * Self.bandHeight
            body(max(rows.lowerBound, top)..<min(rows.upperBound, top + Self.bandHeight), blenders[worker])
        }
    }

    /// Blends `foreground` over `background`, in place: b + (blended(b, f) − b) · weight, where a pixel's weight is
    /// `opacity` × its byte in `weights` / 255 × the foreground's alpha / 255. The background's alpha and padding bytes
    /// stay as they are.
    /// - Parameters:
    ///   - foreground: a picture with its colours in the same places as the background's, not overlapping it in memory.
    ///   - background: the picture to change. If sizes differ, the part that all pictures have in common is blended.
    ///   - opacity: clipped to 0…1; not a number counts as 0.
    ///   - weights: a GRAY8 picture.
    ///   - useForegroundAlpha: whether the foreground's alpha, if it has one, counts.
    ///   - key: makes pixels of the foreground transparent by their colour: their matte is one more weight.
    /// - Returns: false, and nothing is done, if the formats do not fit.
    @discardableResult
    package func blend(
        _ foreground: Image, onto background: Image, mode: BlendMode, opacity: Double, weights: Image? = nil,
        useForegroundAlpha: Bool = true, key: Keyer? = nil
    ) -> Bool {
        let format = background.format
        guard foreground.format.hasColors(as: format), weights?.format.isGray ?? true else { return false }
        let mode = format.isGray ? mode.onGray : mode
        // Not `min` and `max`, which let NaN through.
        let opacity = opacity > 0 ? (opacity < 1 ? Float(opacity) : 1) : 0
        guard mode != .none, opacity > 0 else { return true }

        var common = background.bounds.intersection(foreground.bounds)
        if let weights { common = common.intersection(weights.bounds) }
        let alpha = useForegroundAlpha ? foreground.format.alpha : nil
        let job = Job(
            background: background, foreground: foreground, weights: weights, alpha: alpha, key: key, mode: mode,
            opacity: opacity
        ).cropped(to: common)
        share(0..<job.background.height, width: job.background.width) { rows, blender in
            blender.blendBand(
                job.cropped(to: Rectangle(y: rows.lowerBound, width: job.background.width, height: rows.count)))
        }
        return true
    }
}

/// Pictures to be blended, of one size once they are cropped, and an opacity above 0.
private struct Job {
    let background: Image
    let foreground: Image
    let weights: Image?
    var alpha: Int?
    let key: Keyer?
    let mode: BlendMode
    let opacity: Float

    func cropped(to area: Rectangle) -> Job {
        Job(
            background: background.cropped(to: area), foreground: foreground.cropped(to: area),
            weights: weights?.cropped(to: area), alpha: alpha, key: key, mode: mode, opacity: opacity)
    }

    /// The weight of all pixels, if they have the same.
    var weight: UInt8? { weights == nil && alpha == nil && key == nil ? UInt8(opacity * 255 + 0.5) : nil }

    /// Calls `body` for each row, in pieces of at most `length` pixels.
    func forEachTile(of length: Int, _ body: (Tile) -> Void) {
        let bytes = background.format.bytesPerPixel
        var y = 0
        while y < background.height {
            var x = 0
            while x < background.width {
                body(
                    Tile(
                        background: background.row(y) + x &* bytes, foreground: foreground.row(y) + x &* bytes,
                        weights: weights.map { $0.row(y) + x }, pixels: min(length, background.width &- x)))
                x &+= length
            }
            y &+= 1
        }
    }
}

/// Some pixels of a row.
private struct Tile {
    let background: UnsafeMutablePointer<UInt8>
    let foreground: UnsafeMutablePointer<UInt8>
    let weights: UnsafeMutablePointer<UInt8>?
    let pixels: Int
    /// One weight for each pixel, of a keyed foreground, whose pixels are then without spill.
    var matte: UnsafePointer<UInt8>?
}

extension Blender {
    /// Blends a band, without its alpha if it is opaque, as most video with alpha is. Looking through many rows first also
    /// reads the foreground from memory in one long stream, which is faster than alternating with the background.
    private func blendBand(_ job: Job) {
        var job = job
        if job.alpha != nil, job.weights == nil, job.foreground.isOpaque() { job.alpha = nil }
        if !copyRows(job) { blendTiles(job) }
    }

    /// Copies whole rows if that is all there is to do.
    private func copyRows(_ job: Job) -> Bool {
        guard job.mode == .normal, job.weight == 255, job.background.format.colorMask == .max else { return false }
        job.background.copy(from: job.foreground)
        return true
    }

    private func blendTiles(_ job: Job) {
        let format = job.background.format
        let mode = job.mode
        mask.update(repeating: format.colorMask.littleEndian, count: Self.tile)
        if let weight = job.weight {
            pixelWeights.update(repeating: weight, count: Self.tile)
            spreadWeights(Self.tile, format)
        }
        job.forEachTile(of: Self.tile) { tile in
            let tile = job.key.map { keyed(tile, job, by: $0) } ?? tile
            let bytes = tile.pixels &* format.bytesPerPixel
            // Foregrounds are often opaque, or transparent, over large parts.
            let range = job.weight.map { (least: $0, most: $0) } ?? gatherWeights(tile, job)
            if range.most == 0 { return }
            if !job.mode.isSeparable {
                blendPixels(tile, job)
            } else if range.least == 255 {
                kernels.blendMasked(
                    mode: mode, background: tile.background, foreground: tile.foreground, mask: maskBytes,
                    scratch: scratch, count: bytes)
            } else {
                if job.weight == nil { spreadWeights(tile.pixels, format) }
                // In grey pictures, pixels are bytes.
                let weights = format.isGray ? pixelWeights : byteWeights
                kernels.blendWeighted(
                    mode: mode, background: tile.background, foreground: tile.foreground, weights: weights,
                    scratch: scratch, count: bytes)
            }
        }
    }

    private var maskBytes: UnsafePointer<UInt8> {
        UnsafePointer(UnsafeMutableRawPointer(mask).assumingMemoryBound(to: UInt8.self))
    }

    /// Fills `pixelWeights` for a tile.
    /// - Returns: bounds of the weights; 255 and 0 are exact.
    private func gatherWeights(_ tile: Tile, _ job: Job) -> (least: UInt8, most: UInt8) {
        if let alpha = job.alpha {
            kernels.extractByte(at: alpha, of: tile.foreground, into: pixelWeights, count: tile.pixels)
        }
        if let matte = tile.matte, job.alpha != nil {
            kernels.multiplyWeights(pixelWeights, by: matte, opacity: 1, count: tile.pixels)
        } else if let matte = tile.matte {
            pixelWeights.update(from: matte, count: tile.pixels)
        }
        if let weights = tile.weights {
            if job.alpha == nil, tile.matte == nil { pixelWeights.update(repeating: 255, count: tile.pixels) }
            kernels.multiplyWeights(pixelWeights, by: weights, opacity: job.opacity, count: tile.pixels)
        } else if job.opacity < 1 {
            kernels.scaleWeights(pixelWeights, opacity: job.opacity, count: tile.pixels)
        }
        return kernels.rangeOfWeights(pixelWeights, count: tile.pixels)
    }

    /// Returns a tile whose foreground is in memory of the blender's own, without spill, with its matte.
    private func keyed(_ tile: Tile, _ job: Job, by key: Keyer) -> Tile {
        let matte = keying.weights(0)
        let foreground = keying.key(
            tile.foreground, of: job.foreground.format, by: key, weights: matte, count: tile.pixels, kernels)
        return Tile(
            background: tile.background, foreground: foreground, weights: tile.weights, pixels: tile.pixels,
            matte: UnsafePointer(matte))
    }

    private func spreadWeights(_ pixels: Int, _ format: PixelFormat) {
        switch format.bytesPerPixel {
        case 4: kernels.spreadWeights(pixelWeights, mask: format.colorMask, into: byteWeights, count: pixels)
        case 3: kernels.spreadWeights(pixelWeights, into: byteWeights, count: pixels)
        default: break
        }
    }

    /// Blends a tile with a mode that is not separable, with `pixelWeights`.
    private func blendPixels(_ tile: Tile, _ job: Job) {
        let isNarrow = job.background.format.bytesPerPixel == 3
        if isNarrow {
            kernels.widenPixels(tile.background, into: wideBackground, count: tile.pixels)
            kernels.widenPixels(tile.foreground, into: wideForeground, count: tile.pixels)
        }
        kernels.blendPixels(
            mode: job.mode, background: isNarrow ? wideBackground : UnsafeMutableRawPointer(tile.background),
            foreground: isNarrow ? wideForeground : UnsafeMutableRawPointer(tile.foreground), weights: pixelWeights,
            offsets: job.background.format.offsets, count: tile.pixels)
        if isNarrow { kernels.narrowPixels(wideBackground, into: tile.background, count: tile.pixels) }
    }
}

// MARK: - Colours apart

extension Blender {
    /// Fills the weight for `blendColors`.
    func prepareBytes(weight: UInt8) { pixelWeights.update(repeating: weight, count: Self.tile) }

    /// Blends a row whose red, green and blue bytes are apart.
    /// - Parameters:
    ///   - colors: rows of `count` bytes, at most a tile's, `plane` bytes apart; changed in place.
    ///   - weights: `count` bytes; nil for that of `prepareBytes`.
    ///   - isFull: whether all weights are 255.
    func blendColors(
        _ colors: UnsafeMutablePointer<UInt8>, plane: Int, with foreground: PlanarImage.Row,
        weights: UnsafePointer<UInt8>?, isFull: Bool, _ mode: BlendMode, count: Int
    ) {
        blendColors(colors, plane: plane, foreground, weights, isFull, mode, count, with: kernels)
    }

    private func blendColors(
        _ colors: UnsafeMutablePointer<UInt8>, plane: Int, _ foreground: PlanarImage.Row,
        _ weights: UnsafePointer<UInt8>?, _ isFull: Bool, _ mode: BlendMode, _ count: Int, with kernels: some KernelSet
    ) {
        guard mode.isSeparable else {
            return kernels.blendColors(
                mode: mode, background: colors, plane: plane, red: foreground.red, green: foreground.green,
                blue: foreground.blue, weights: weights ?? UnsafePointer(pixelWeights), count: count)
        }
        func blend(_ colors: UnsafeMutablePointer<UInt8>, _ bytes: UnsafePointer<UInt8>) {
            if let weights, !isFull {
                kernels.blendWeighted(
                    mode: mode, background: colors, foreground: bytes, weights: weights, scratch: scratch, count: count)
            } else {
                kernels.blendBytes(
                    mode: mode, background: colors, foreground: bytes, weight: isFull ? 255 : pixelWeights[0],
                    scratch: scratch, count: count)
            }
        }
        blend(colors, foreground.red)
        blend(colors + plane, foreground.green)
        blend(colors + 2 * plane, foreground.blue)
    }
}
