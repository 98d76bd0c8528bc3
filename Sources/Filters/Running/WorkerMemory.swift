// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Imaging
internal import KernelTypes

/// Memory of a thread for its work on rows.
final class WorkerMemory {
    /// Pixels of a row that are worked on at once, few enough for all planes to stay in the first-level cache.
    static let tile = 512
    /// Pixels worked on at once where few planes are needed.
    static let largeTile = 1024
    /// Floats from one plane to the next: a tile, and pixels to both sides of it.
    static let plane = largeTile + 2 * margin
    static let margin = 8
    /// Number of planes: three of the tile, three or sixteen of what it is combined with.
    private static let planes = 19
    private static let ringRows = 5
    private static let ringPlanes = 4

    private let memory: UnsafeMutableRawPointer
    /// Room for a strip of a YUV frame; made when it is needed.
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

    /// The red plane; green and blue follow, and then the others.
    var tile: UnsafeMutablePointer<Float> { memory.assumingMemoryBound(to: Float.self) }

    /// Planes of red, green, blue and luma of one of five rows, with a margin before each.
    func ring(_ row: Int) -> UnsafeMutablePointer<Float> {
        tile + Self.plane * (Self.planes + (row % Self.ringRows) * Self.ringPlanes) + Self.margin
    }

    /// A float for each pixel.
    var mask: UnsafeMutablePointer<Float> {
        tile + Self.plane * (Self.planes + Self.ringRows * Self.ringPlanes)
    }

    private var rest: UnsafeMutableRawPointer { UnsafeMutableRawPointer(mask + Self.plane) }

    /// Room for pixels of a large tile: 8 bytes each.
    var pixels: UnsafeMutableRawPointer { rest }
    /// Room for four rows of pixels of 16-bit samples of a tile, or one of a large one.
    var collected: UnsafeMutableRawPointer { rest + 8 * Self.largeTile }
    /// Room for two rows of four 16-bit numbers to a pixel of a tile.
    var shares: UnsafeMutableRawPointer { collected + 32 * Self.tile }
    /// An index, and distances, for each pixel of a tile.
    var indices: UnsafeMutablePointer<UInt32> { (shares + 16 * Self.tile).assumingMemoryBound(to: UInt32.self) }
    var distances: UnsafeMutablePointer<UInt16> {
        (shares + 20 * Self.tile).assumingMemoryBound(to: UInt16.self)
    }
    /// A 16-bit number for each pixel of a large tile.
    var numbers: UnsafeMutablePointer<UInt16> { (shares + 22 * Self.tile).assumingMemoryBound(to: UInt16.self) }

    /// Room for lines of pixels, kept for the next ones; not initialised.
    func lines(_ bytes: Int) -> UnsafeMutableRawPointer {
        if let lineMemory, bytes <= lineBytes { return lineMemory }
        lineMemory?.deallocate()
        let new = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
        (lineMemory, lineBytes) = (new, bytes)
        return new
    }
}
