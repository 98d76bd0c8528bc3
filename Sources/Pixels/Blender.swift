/// Blends pictures, row by row. It holds the scratch rows for that, so each thread needs its own.
package final class Blender {
    /// Pixels that are blended at once, few enough for all scratch rows to stay in the first-level cache.
    private static let tile = 512

    private let kernels: KernelSet
    private let memory: UnsafeMutableRawPointer
    /// One weight for each pixel of the tile.
    private let pixelWeights: UnsafeMutablePointer<UInt8>
    /// One weight, or mask, for each byte of the tile.
    private let byteWeights: UnsafeMutablePointer<UInt8>
    /// The tile's pixels widened from three bytes to four.
    private let wideBackground: UnsafeMutablePointer<UInt8>
    private let wideForeground: UnsafeMutablePointer<UInt8>
    /// What the kernels need for themselves.
    private let scratch: UnsafeMutableRawPointer

    /// - Parameter kernels: which kernels to use; the fastest that this processor can run unless a test wants others.
    package init(kernels: KernelSet = .best) {
        let tile = Self.tile
        self.kernels = kernels
        let size = 33 * tile + 8
        memory = .allocate(byteCount: size, alignment: 64)
        let bytes = memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        byteWeights = bytes
        wideBackground = bytes + 4 * tile
        wideForeground = bytes + 8 * tile
        pixelWeights = bytes + 12 * tile
        scratch = memory + 13 * tile
    }

    deinit { memory.deallocate() }

    /// Blends `foreground` over `background`, in place: b + (blended(b, f) − b) · weight, where a pixel's weight is
    /// `opacity` × its byte in `weights` / 255 × the foreground's alpha / 255. The background's alpha and padding bytes
    /// stay as they are.
    /// - Parameters:
    ///   - foreground: a picture with its colours in the same places as the background's, not overlapping it in memory.
    ///   - background: the picture to change. If sizes differ, the part that all pictures have in common is blended.
    ///   - opacity: clipped to 0…1; not a number counts as 0.
    ///   - weights: a GRAY8 picture.
    ///   - useForegroundAlpha: whether the foreground's alpha, if it has one, counts.
    /// - Returns: false, and nothing is done, if the formats do not fit.
    @discardableResult
    package func blend(
        _ foreground: Image, onto background: Image, mode: BlendMode, opacity: Double, weights: Image? = nil,
        useForegroundAlpha: Bool = true
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
            background: background.cropped(to: common), foreground: foreground.cropped(to: common),
            weights: weights?.cropped(to: common), alpha: alpha, mode: mode, opacity: opacity)
        if job.hasOneWeight {
            blendEvenly(job)
        } else {
            blendUnevenly(job)
        }
        return true
    }
}

/// What is to be blended: pictures of one size, and an opacity above 0.
private struct Job {
    let background: Image
    let foreground: Image
    let weights: Image?
    let alpha: Int?
    let mode: BlendMode
    let opacity: Float

    var hasOneWeight: Bool { weights == nil && alpha == nil }

    /// Calls `body` for each row and tile of it.
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
}

extension Blender {
    /// All pixels have the same weight, which need be written down only once.
    private func blendEvenly(_ job: Job) {
        let weight = UInt8(job.opacity * 255 + 0.5)
        let format = job.background.format
        guard weight > 0 else { return }
        if job.mode == .normal, weight == 255, format.alpha == nil, format.padding == nil {
            return copyRows(job)
        }
        pixelWeights.update(repeating: weight, count: Self.tile)
        spreadWeights(Self.tile, format)
        job.forEachTile(of: Self.tile) { tile in
            if !job.mode.isSeparable {
                blendPixels(tile, job)
            } else if weight == 255 {
                kernels.blendMasked(
                    job.mode.rawValue, tile.background, tile.foreground, rowWeights(format), scratch,
                    tile.pixels &* format.bytesPerPixel)
            } else {
                kernels.blendWeighted(
                    job.mode.rawValue, tile.background, tile.foreground, rowWeights(format), scratch,
                    tile.pixels &* format.bytesPerPixel)
            }
        }
    }

    /// Each pixel has its own weight.
    private func blendUnevenly(_ job: Job) {
        let format = job.background.format
        job.forEachTile(of: Self.tile) { tile in
            gatherWeights(tile, job)
            if job.mode.isSeparable {
                spreadWeights(tile.pixels, format)
                kernels.blendWeighted(
                    job.mode.rawValue, tile.background, tile.foreground, rowWeights(format), scratch,
                    tile.pixels &* format.bytesPerPixel)
            } else {
                blendPixels(tile, job)
            }
        }
    }

    private func copyRows(_ job: Job) {
        for y in 0..<job.background.height {
            job.background.row(y).update(from: job.foreground.row(y), count: job.background.rowBytes)
        }
    }

    /// Fills `pixelWeights` for a tile.
    private func gatherWeights(_ tile: Tile, _ job: Job) {
        if let alpha = job.alpha {
            kernels.extractByte(alpha, tile.foreground, pixelWeights, tile.pixels)
            if let weights = tile.weights {
                kernels.multiplyWeights(pixelWeights, weights, job.opacity, tile.pixels)
                return
            }
        } else if let weights = tile.weights {
            pixelWeights.update(from: weights, count: tile.pixels)
        }
        if job.opacity < 1 { kernels.scaleWeights(pixelWeights, job.opacity, tile.pixels) }
    }

    /// The weights for the bytes of a tile; in grey pictures pixels are bytes.
    private func rowWeights(_ format: PixelFormat) -> UnsafeMutablePointer<UInt8> {
        format.isGray ? pixelWeights : byteWeights
    }

    private func spreadWeights(_ pixels: Int, _ format: PixelFormat) {
        switch format.bytesPerPixel {
        case 4: kernels.spreadWeights4(pixelWeights, format.colorMask, byteWeights, pixels)
        case 3: kernels.spreadWeights3(pixelWeights, byteWeights, pixels)
        default: break
        }
    }

    /// Blends a tile with a mode that is not separable, with `pixelWeights`.
    private func blendPixels(_ tile: Tile, _ job: Job) {
        let format = job.background.format
        guard format.bytesPerPixel == 3 else {
            return blendPixels(tile.background, tile.foreground, tile.pixels, job)
        }
        kernels.widenPixels(tile.background, wideBackground, tile.pixels)
        kernels.widenPixels(tile.foreground, wideForeground, tile.pixels)
        blendPixels(wideBackground, wideForeground, tile.pixels, job)
        kernels.narrowPixels(wideBackground, tile.background, tile.pixels)
    }

    private func blendPixels(
        _ background: UnsafeMutablePointer<UInt8>, _ foreground: UnsafeMutablePointer<UInt8>, _ pixels: Int, _ job: Job
    ) {
        let format = job.background.format
        kernels.blendPixels(
            job.mode.rawValue, background, foreground, pixelWeights,
            UInt32(format.red), UInt32(format.green), UInt32(format.blue), pixels)
    }
}

extension PixelFormat {
    /// 255 in each byte that is a colour, as a little-endian number.
    var colorMask: UInt32 {
        var mask: UInt32 = .max
        for other in [alpha, padding] {
            if let other { mask &= ~(255 << UInt32(8 * other)) }
        }
        return mask
    }
}
