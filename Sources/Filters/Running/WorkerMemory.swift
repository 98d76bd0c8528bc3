// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// Scratch memory for one thread.
final class WorkerMemory {
    /// Number of pixels in a tile. A tile consists of adjacent pixels of a row that are processed together. All planes
    /// of a tile fit into the first-level cache.
    static let tile = 512
    /// Number of pixels in a large tile, for operations that need few planes.
    static let largeTile = 1024
    /// Number of floats from the start of a plane to the start of the next plane. A plane holds one channel of a large
    /// tile, with a margin on both sides.
    static let plane = largeTile + 2 * margin
    static let margin = 8
    /// Number of planes: three for the colours of the tile, and sixteen for other data of the same pixels.
    private static let planes = 19
    private static let ringRows = 5
    private static let ringPlanes = 4

    private let memory: UnsafeMutableRawPointer
    /// Memory for a strip of a YUV frame, created at the first access.
    private(set) lazy var strip = YUVStrip(kernels: kernels)
    private let kernels: any KernelSet
    private var lineMemory: UnsafeMutableRawPointer?
    private var lineBytes = 0

    init(kernels: any KernelSet) {
        self.kernels = kernels
        let floats = Self.plane * (Self.planes + Self.ringRows * Self.ringPlanes + 1)
        let bytes = 4 * floats + 64 * Self.largeTile
        memory = .allocate(byteCount: bytes, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    }

    deinit {
        memory.deallocate()
        lineMemory?.deallocate()
    }

    /// The start of all planes: red, green and blue of the tile, and then the other planes.
    var tile: UnsafeMutablePointer<Float> { memory.assumingMemoryBound(to: Float.self) }

    /// A ring buffer of five rows. Returns the planes of red, green, blue and luma of the row `row` modulo 5. The
    /// memory before each plane is a margin for pixels left of the tile.
    func ring(_ row: Int) -> UnsafeMutablePointer<Float> {
        tile + Self.plane * (Self.planes + (row % Self.ringRows) * Self.ringPlanes) + Self.margin
    }

    /// The mask of a tile, one float per pixel.
    var mask: UnsafeMutablePointer<Float> {
        tile + Self.plane * (Self.planes + Self.ringRows * Self.ringPlanes)
    }

    private var buffers: UnsafeMutableRawPointer { UnsafeMutableRawPointer(mask + Self.plane) }

    /// Memory for the pixels of a large tile, 8 bytes per pixel.
    var pixels: UnsafeMutableRawPointer { buffers }
    /// Memory for four rows of a tile with 16-bit samples, or for one row of a large tile.
    var collected: UnsafeMutableRawPointer { buffers + 8 * Self.largeTile }
    /// Memory for two rows of a tile, with four 16-bit weights per pixel.
    var shares: UnsafeMutableRawPointer { collected + 32 * Self.tile }
    /// Source positions of the pixels of a tile. For each pixel, an index (`indices`) and an offset (`distances`), as
    /// in `SamplingMap`.
    var indices: UnsafeMutablePointer<UInt32> { (shares + 16 * Self.tile).assumingMemoryBound(to: UInt32.self) }
    var distances: UnsafeMutablePointer<UInt16> {
        (shares + 20 * Self.tile).assumingMemoryBound(to: UInt16.self)
    }
    /// Indices for table lookups: one 16-bit number per pixel of a large tile.
    var tableIndices: UnsafeMutablePointer<UInt16> { (shares + 22 * Self.tile).assumingMemoryBound(to: UInt16.self) }

    /// Returns memory of at least `bytes` bytes for lines of pixels. The contents are undefined. Another call may
    /// return the same memory.
    func lines(_ bytes: Int) -> UnsafeMutableRawPointer {
        if let lineMemory, bytes <= lineBytes { return lineMemory }
        lineMemory?.deallocate()
        let new = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
        (lineMemory, lineBytes) = (new, bytes)
        return new
    }
}
