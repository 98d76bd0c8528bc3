// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// Scratch memory of a thread.
final class WorkerMemory {
    /// Number of pixels of a row to process together, so that all planes fit into the first-level cache.
    static let tile = 512
    /// Number of pixels to process together if few planes are needed.
    static let largeTile = 1024
    /// Distance between planes in floats: a tile, and a margin on both sides.
    static let plane = largeTile + 2 * margin
    static let margin = 8
    /// Number of planes: three for the tile, and up to sixteen for the images that it is combined with.
    private static let planes = 19
    private static let ringRows = 5
    private static let ringPlanes = 4

    private let memory: UnsafeMutableRawPointer
    /// Memory for a strip of a YUV frame, created on demand.
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

    /// The red plane of the tile; green, blue and the other planes follow.
    var tile: UnsafeMutablePointer<Float> { memory.assumingMemoryBound(to: Float.self) }

    /// Returns the planes of red, green, blue and luma for one of five rows, with a margin before each plane.
    func ring(_ row: Int) -> UnsafeMutablePointer<Float> {
        tile + Self.plane * (Self.planes + (row % Self.ringRows) * Self.ringPlanes) + Self.margin
    }

    /// A float for each pixel of a tile.
    var mask: UnsafeMutablePointer<Float> {
        tile + Self.plane * (Self.planes + Self.ringRows * Self.ringPlanes)
    }

    private var buffers: UnsafeMutableRawPointer { UnsafeMutableRawPointer(mask + Self.plane) }

    /// Memory for the pixels of a large tile, 8 bytes each.
    var pixels: UnsafeMutableRawPointer { buffers }
    /// Memory for four rows of 16-bit pixels of a tile, or for one row of a large tile.
    var collected: UnsafeMutableRawPointer { buffers + 8 * Self.largeTile }
    /// Memory for two rows of a tile, with four 16-bit weights for each pixel.
    var shares: UnsafeMutableRawPointer { collected + 32 * Self.tile }
    /// `indices`: an index for each pixel of a tile. `distances`: a distance for each pixel of a tile.
    var indices: UnsafeMutablePointer<UInt32> { (shares + 16 * Self.tile).assumingMemoryBound(to: UInt32.self) }
    var distances: UnsafeMutablePointer<UInt16> {
        (shares + 20 * Self.tile).assumingMemoryBound(to: UInt16.self)
    }
    /// A 16-bit number for each pixel of a large tile.
    var tableIndices: UnsafeMutablePointer<UInt16> { (shares + 22 * Self.tile).assumingMemoryBound(to: UInt16.self) }

    /// Returns uninitialised memory for lines of pixels, which is reused.
    func lines(_ bytes: Int) -> UnsafeMutableRawPointer {
        if let lineMemory, bytes <= lineBytes { return lineMemory }
        lineMemory?.deallocate()
        let new = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
        (lineMemory, lineBytes) = (new, bytes)
        return new
    }
}
