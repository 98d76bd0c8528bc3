// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps of Canny's detector after the gradients: non-maximum suppression and hysteresis. Sets of pixels are stored
// as bits, 64 pixels per word. The leftmost pixel is the lowest bit.

// MARK: - Ridges

extension RowKernels {
    /// Non-maximum suppression. Marks a pixel if its gradient magnitude is above `low`, and greater than the magnitudes
    /// of the two neighbours in the direction of the gradient. If a pixel and a horizontal or vertical neighbour have
    /// equal magnitudes, marks the left or upper pixel of the two. Of two diagonal neighbours with equal magnitudes,
    /// marks neither. A mark is 1, or 3 if the magnitude is also above `high`. Other pixels get 0.
    /// - Parameters:
    ///   - above: the gradient magnitudes of the row above, `count` values with one more value before and after.
    ///   - row: the gradient magnitudes of the current row, in the same format.
    ///   - below: the gradient magnitudes of the row below, in the same format.
    ///   - directions: `count` gradient directions (see `direction`).
    ///   - marks: `count` bytes.
    @inline(never)
    package func markRidges(
        above: UnsafePointer<Int16>, _ row: UnsafePointer<Int16>, below: UnsafePointer<Int16>,
        directions: UnsafePointer<Int16>, low: Int16, high: Int16, into marks: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        findRidges(above, row, below, directions, low, high, marks, count)
    }

    /// Like `markRidges`, but for squared magnitudes. `low` and `high` are squared limits.
    @inline(never)
    package func markSquaredRidges(
        above: UnsafePointer<Int32>, _ row: UnsafePointer<Int32>, below: UnsafePointer<Int32>,
        directions: UnsafePointer<Int16>, low: Int32, high: Int32, into marks: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        findRidges(above, row, below, directions, low, high, marks, count)
    }
}

@inline(__always)
func findRidges<Size: FixedWidthInteger>(
    _ above: UnsafePointer<Size>, _ row: UnsafePointer<Size>, _ below: UnsafePointer<Size>,
    _ directions: UnsafePointer<Int16>, _ low: Size, _ high: Size, _ marks: UnsafeMutablePointer<UInt8>, _ count: Int
) {
    let sign = Size(truncatingIfNeeded: Size.bitWidth &- 1)
    var i = 0
    while i < count {
        // Select values by bit masks. If memory accesses depended on a condition, LLVM could not vectorise the loop.
        let (size, direction) = (row[i], directions[i])
        let isOdd = Size(truncatingIfNeeded: 0 &- (direction & 1))
        let isSlanted = Size(truncatingIfNeeded: 0 &- (direction >> 1))
        let firstUpright = chosen(row[i &- 1], above[i], isOdd)
        let first = chosen(firstUpright, chosen(above[i &- 1], above[i &+ 1], isOdd), isSlanted)
        let secondUpright = chosen(row[i &+ 1], below[i], isOdd)
        let second = chosen(secondUpright, chosen(below[i &+ 1], below[i &- 1], isOdd), isSlanted)
        // A right or lower neighbour with the same magnitude does not suppress the pixel, so subtract 1 from its
        // magnitude. This does not apply to diagonal neighbours.
        let bound = second &- (1 & ~isSlanted)
        let maximum = first > bound ? first : bound
        let limit = maximum > low ? maximum : low
        let strong = limit > high ? limit : high
        // These differences cannot overflow, because magnitudes are not negative. If a difference is negative, the
        // magnitude exceeds the limit.
        let signs = ((limit &- size) &>> sign & 1) | ((strong &- size) &>> sign & 2)
        marks[i] = UInt8(truncatingIfNeeded: signs)
        i &+= 1
    }
}

/// Returns `second` if all bits of `mask` are set, and `first` if no bit is set.
@inline(__always)
func chosen<Size: FixedWidthInteger>(_ first: Size, _ second: Size, _ mask: Size) -> Size {
    first ^ ((first ^ second) & mask)
}

extension RowKernels {
    /// Packs marks into bits, 64 marks per word.
    /// - Parameters:
    ///   - marks: 64 × `words` bytes with the values 0, 1 or 3.
    ///   - candidates: one bit per mark. The bit is set if the mark is not 0.
    ///   - edges: one bit per mark. The bit is set if the mark is 3.
    @inline(never)
    package func packMarks(
        _ marks: UnsafeRawPointer, candidates: UnsafeMutablePointer<UInt64>, edges: UnsafeMutablePointer<UInt64>,
        words: Int
    ) {
        var word = 0
        while word < words {
            var (weak, strong): (UInt64, UInt64) = (0, 0)
            var part: UInt64 = 0
            while part < 8 {
                let offset = 64 &* word &+ 8 &* Int(truncatingIfNeeded: part)
                let eight = UInt64(littleEndian: marks.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                weak |= lowBits(eight) &<< (8 &* part)
                strong |= lowBits(eight >> 1) &<< (8 &* part)
                part &+= 1
            }
            candidates[word] = weak
            edges[word] = strong
            word &+= 1
        }
    }
}

/// Returns a byte that consists of the lowest bits of the eight bytes of `value`.
@inline(__always)
func lowBits(_ bytes: UInt64) -> UInt64 { ((bytes & 0x0101_0101_0101_0101) &* 0x0102_0408_1020_4080) >> 56 }

// MARK: - Hysteresis

extension RowKernels {
    /// Hysteresis: adds candidate pixels to the edges. A candidate becomes an edge if a path of neighbouring candidates
    /// (8-connectivity) connects it to an edge.
    ///
    /// The images have one bit per pixel, 64 pixels per word. A row begins `stride` words after the row above. The last
    /// word of each row is a margin without candidates. A margin of one row and one word comes before the first row,
    /// and a margin of the same size comes after the last row.
    /// - Parameters:
    ///   - edges: the first word of the first row. Every edge must be a candidate.
    ///   - candidates: the first word of the first row.
    ///   - pending: the first word of the first row. All words are 0 before and after the call.
    ///   - stack: memory for `count` word indices.
    ///   - count: the number of words in all rows, including margins.
    @inline(never)
    package func joinEdges(
        _ edges: UnsafeMutablePointer<UInt64>, candidates: UnsafePointer<UInt64>, pending: UnsafeMutablePointer<UInt64>,
        stack: UnsafeMutablePointer<Int32>, stride: Int, count: Int
    ) {
        // The stack contains the indices of words with unprocessed edge pixels, each index at most once. For each word
        // on the stack, `pending` contains the edge pixels from which the search must still continue.
        var waiting = 0
        var i = 0
        while i < count {
            if edges[i] != 0 {
                pending[i] = edges[i]
                stack[waiting] = Int32(truncatingIfNeeded: i)
                waiting &+= 1
            }
            i &+= 1
        }
        while waiting > 0 {
            waiting &-= 1
            let here = Int(truncatingIfNeeded: stack[waiting])
            let added = filled(pending[here], within: candidates[here])
            pending[here] = 0
            edges[here] |= added
            let around = added | (added << 1) | (added >> 1)
            var row = -1
            while row <= 1 {
                let index = here &+ row &* stride
                if row != 0 { add(around, index, edges, candidates, pending, stack, &waiting) }
                // The first and the last pixel of a word also have neighbours in the adjacent words.
                if added & 1 != 0 { add(1 << 63, index &- 1, edges, candidates, pending, stack, &waiting) }
                if added >> 63 != 0 { add(1, index &+ 1, edges, candidates, pending, stack, &waiting) }
                row &+= 1
            }
        }
    }
}

@inline(__always)
func add(
    _ bits: UInt64, _ index: Int, _ edges: UnsafeMutablePointer<UInt64>, _ candidates: UnsafePointer<UInt64>,
    _ pending: UnsafeMutablePointer<UInt64>, _ stack: UnsafeMutablePointer<Int32>, _ waiting: inout Int
) {
    let new = bits & candidates[index] & ~edges[index]
    guard new != 0 else { return }
    if pending[index] == 0 {
        stack[waiting] = Int32(truncatingIfNeeded: index)
        waiting &+= 1
    }
    pending[index] |= new
    edges[index] |= new
}

/// Returns all runs of consecutive 1 bits in `area` that contain a bit of `seeds`. All bits of `seeds` must also be set
/// in `area`.
@inline(__always)
func filled(_ seeds: UInt64, within area: UInt64) -> UInt64 {
    // The carry of the addition fills the runs from the seeds to higher bits. The shifts fill the runs from the seeds
    // to lower bits, by 1, 2, 4, … bits.
    var runs = (((area &+ seeds) ^ area) | seeds) & area
    var reach = area
    runs |= reach & (runs >> 1)
    reach &= reach >> 1
    runs |= reach & (runs >> 2)
    reach &= reach >> 2
    runs |= reach & (runs >> 4)
    reach &= reach >> 4
    runs |= reach & (runs >> 8)
    reach &= reach >> 8
    runs |= reach & (runs >> 16)
    reach &= reach >> 16
    return runs | (reach & (runs >> 32))
}

// MARK: - Painting

extension RowKernels {
    /// Expands each bit to a byte: 255 if the bit is set, otherwise 0.
    /// - Parameter output: 64 × `words` bytes.
    @inline(never)
    package func spreadBits(_ bits: UnsafePointer<UInt64>, into output: UnsafeMutableRawPointer, words: Int) {
        var word = 0
        while word < words {
            let all = bits[word]
            var part: UInt64 = 0
            while part < 8 {
                let eight = ((all &>> (8 &* part)) & 255) &* 0x0101_0101_0101_0101 & 0x8040_2010_0804_0201
                let tops = ((eight & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F) | eight
                let bytes = ((tops >> 7) & 0x0101_0101_0101_0101) &* 255
                output.storeBytes(
                    of: bytes.littleEndian, toByteOffset: 64 &* word &+ 8 &* Int(truncatingIfNeeded: part),
                    as: UInt64.self)
                part &+= 1
            }
            word &+= 1
        }
    }

    /// Writes `set` or `clear` into each output byte.
    /// - Parameter mask: `count` bytes. 255 selects `set`, 0 selects `clear`.
    @inline(never)
    package func chooseBytes(
        _ mask: UnsafePointer<UInt8>, set: UInt8, clear: UInt8, into output: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let change = set ^ clear
        var i = 0
        while i < count {
            output[i] = clear ^ (change & mask[i])
            i &+= 1
        }
    }

    /// Writes `set` or `clear` into each pixel.
    /// - Parameters:
    ///   - mask: `count` bytes. 255 selects `set`, 0 selects `clear`.
    ///   - setKeeps: bits of the pixel that do not change if `set` is written.
    ///   - clearKeeps: bits of the pixel that do not change if `clear` is written.
    ///   - pixels: `count` pixels of four bytes. The first byte of a pixel is the lowest byte of `set` and `clear`.
    @inline(never)
    package func choosePixels(
        _ mask: UnsafePointer<UInt8>, set: UInt32, setKeeps: UInt32, clear: UInt32, clearKeeps: UInt32,
        into pixels: UnsafeMutableRawPointer, count: Int
    ) {
        let (change, changeKept) = (set ^ clear, setKeeps ^ clearKeeps)
        var i = 0
        while i < count {
            let marked = UInt32(bitPattern: Int32(truncatingIfNeeded: Int8(bitPattern: mask[i])))
            put((clear ^ (change & marked)) | (word(i, pixels) & (clearKeeps ^ (changeKept & marked))), i, pixels)
            i &+= 1
        }
    }
}
