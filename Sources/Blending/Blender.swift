// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

/// Bounds of weights, computed fast. `minimum` is the bitwise AND of all weights. It is at most the smallest weight,
/// and 255 only if all weights are 255. `maximum` is the bitwise OR of all weights. It is at least the largest weight,
/// and 0 only if all weights are 0.
typealias WeightRange = (minimum: UInt8, maximum: UInt8)

/// Blends images row by row. A blender has its own scratch memory, so only one thread at a time may use a blender. The
/// method `share` divides work among the threads of a pool.
package final class Blender {
    /// Number of pixels per kernel call. The scratch memory for this number of pixels fits into the first-level cache.
    static let tile = 1024

    let kernels: any KernelSet
    private let memory: UnsafeMutableRawPointer
    /// For each byte of a row: 255 if the byte is a colour sample, 0 if the byte is alpha or padding.
    private let mask: UnsafeMutablePointer<UInt32>
    private let byteWeights: UnsafeMutablePointer<UInt8>
    let pixelWeights: UnsafeMutablePointer<UInt8>
    /// Copies of three-byte background and foreground pixels, with four bytes per pixel.
    private let wideBackground: UnsafeMutableRawPointer
    private let wideForeground: UnsafeMutableRawPointer
    /// Scratch memory for the kernels.
    let scratch: UnsafeMutableRawPointer
    private(set) lazy var strips = YUVStrip(kernels: kernels)
    private(set) lazy var mixing = MixingRoom(kernels: kernels)
    private(set) lazy var keying = KeyingRoom()

    private let pool: ThreadPool
    /// True while `share` runs. If true, another call of `share` uses only the current thread.
    private var isSharing = false
    /// The blenders for the other threads of the pool. Each thread needs its own scratch memory.
    private lazy var helpers = (1..<pool.threads).map { _ in Blender(kernels: kernels) }

    /// - Parameters:
    ///   - threads: number of threads. It does not affect the result.
    ///   - kernels: the kernels to use, by default the fastest for this processor. Tests pass other kernels.
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

    /// Images with fewer pixels are blended by one thread, because starting the other threads would take longer than
    /// the blending.
    private static let shared = 1 << 18

    /// Number of rows in a band, the unit of work of a thread. It is a multiple of the height of a chroma sample in
    /// every format. With 1920 BGRA pixels per row, a band has 120 KB and fits into the second-level cache.
    package static let bandHeight = 16

    /// Divides rows into bands and calls `body` for each band on several threads. Bands end at multiples of
    /// `bandHeight`. If `body` calls `share` again, the inner call uses only one thread.
    /// - Parameters:
    ///   - width: number of pixels in a row. Small images use only one thread.
    ///   - body: receives the rows of a band and the blender of the current thread. Several threads call `body` at the
    ///     same time, so `body` must only write memory of its band.
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

    /// Blends `foreground` over `background`, in place: b + (blended(b, f) − b) · weight. b is a background sample and
    /// f is a foreground sample. The weight of a pixel is `opacity` × (its byte in `weights` / 255) × (the foreground's
    /// alpha / 255). The alpha and padding bytes of the background do not change.
    /// - Parameters:
    ///   - foreground: an image with the same order of colours as the background. It must not overlap the background in
    ///     memory.
    ///   - background: the image to change. If the sizes differ, the common part of all images is blended.
    ///   - opacity: clipped to 0…1; NaN counts as 0.
    ///   - weights: a GRAY8 image.
    ///   - useForegroundAlpha: true to use the foreground's alpha, if it has alpha.
    ///   - key: makes pixels of the foreground transparent by their colour. The weight is also multiplied by the matte
    ///     of the key.
    /// - Returns: false, without any change, if the formats do not match.
    @discardableResult
    package func blend(
        _ foreground: Image, onto background: Image, mode: BlendMode, opacity: Double, weights: Image? = nil,
        useForegroundAlpha: Bool = true, key: Keyer? = nil
    ) -> Bool {
        let format = background.format
        guard foreground.format.hasColors(as: format), weights?.format.isGray ?? true else { return false }
        let mode = format.isGray ? mode.onGray : mode
        // Do not use `min` and `max` here: they would return NaN for NaN.
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

/// The images of a blend call, cropped to the same size, and an opacity above 0.
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

    /// The weight of all pixels, if it is the same for all pixels; otherwise nil.
    var weight: UInt8? { weights == nil && alpha == nil && key == nil ? UInt8(opacity * 255 + 0.5) : nil }

    /// Calls `body` for parts of at most `length` pixels of each row.
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

/// Pointers to a part of a row, in the background, the foreground and the weights.
private struct Tile {
    let background: UnsafeMutablePointer<UInt8>
    let foreground: UnsafeMutablePointer<UInt8>
    let weights: UnsafeMutablePointer<UInt8>?
    let pixels: Int
    /// For each pixel, the weight that the key computed; nil without a key.
    var matte: UnsafePointer<UInt8>?
}

extension Blender {
    /// Blends a band. First checks whether all alpha values of the foreground are 255, because this is usual for video
    /// with alpha. If so, blending ignores alpha. The check also reads the foreground into the cache in sequence. This
    /// is faster than alternating reads of foreground and background.
    private func blendBand(_ job: Job) {
        var job = job
        if job.alpha != nil, job.weights == nil, job.foreground.isOpaque() { job.alpha = nil }
        if !copyRows(job) { blendTiles(job) }
    }

    /// Copies the foreground if the result of blending is a copy: with the mode `normal`, if all weights are 255 and
    /// all bytes are colours. Otherwise returns false.
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
            // Foregrounds often have large areas that are opaque or transparent. Skip transparent tiles (parts of a
            // row). With separable modes, blend opaque tiles without weights.
            let range = job.weight.map { (minimum: $0, maximum: $0) } ?? gatherWeights(tile, job)
            if range.maximum == 0 { return }
            if !job.mode.isSeparable {
                blendPixels(tile, job)
            } else if range.minimum == 255 {
                kernels.blendMasked(
                    mode: mode, background: tile.background, foreground: tile.foreground, mask: maskBytes,
                    scratch: scratch, count: bytes)
            } else {
                if job.weight == nil { spreadWeights(tile.pixels, format) }
                // In grey images, a pixel is one byte. So the weights of pixels are also the weights of bytes.
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

    /// Computes `pixelWeights` for a tile (a part of a row).
    /// - Returns: bounds of the weights, as in `WeightRange`.
    private func gatherWeights(_ tile: Tile, _ job: Job) -> (minimum: UInt8, maximum: UInt8) {
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

    /// Computes the matte of a tile (a part of a row), and removes spill. Returns the tile with the matte, and with a
    /// copy of the foreground without spill.
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

    /// Blends a tile (a part of a row) with a non-separable mode and the weights `pixelWeights`.
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
    /// Sets the constant weight for calls of `blendColors` without weights.
    func prepareBytes(weight: UInt8) { pixelWeights.update(repeating: weight, count: Self.tile) }

    /// Blends a row of an image whose red, green and blue samples are in separate planes.
    /// - Parameters:
    ///   - colors: the red samples, changed in place. The green samples begin `plane` bytes after the red samples, and
    ///     the blue samples begin `plane` bytes after the green samples.
    ///   - weights: `count` bytes; nil for the constant weight of `prepareBytes`.
    ///   - isFull: true if all weights are 255.
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
