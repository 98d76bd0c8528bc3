import Glibc
import Pixels
import KernelTypes

/// One kernel to be measured.
struct KernelTask: Codable {
    /// The nick of the blend mode.
    var mode: String
    var opacity = 1.0
    /// Whether the foreground's alpha varies from pixel to pixel and counts.
    var hasAlpha = false
    var size: FrameSize
    var rounds: Int
}

/// Nanoseconds per frame.
struct KernelResult: Codable {
    /// A pair of times taken in turn on the same frames.
    struct Times: Codable {
        var kernel: Double
        var copy: Double
    }

    /// On frames that have left the caches, as those of a stream have.
    var cold: Times
    /// On the same frame again and again.
    var hot: Times
    var peakKilobytes: Int
}

func measureKernel(_ task: KernelTask) throws -> KernelResult {
    guard let mode = BlendMode(nick: task.mode) else { throw Failure("there is no mode \(task.mode)") }
    let blender = Blender()
    let size = task.size
    var isBlended = true
    let result = measure(size: size, rounds: task.rounds, hasAlpha: task.hasAlpha) { foreground, background in
        let done = blender.blend(
            image(foreground, size), onto: image(background, size), mode: mode, opacity: task.opacity,
            useForegroundAlpha: task.hasAlpha)
        isBlended = isBlended && done
    }
    guard isBlended else { throw Failure("the kernel refuses its pictures") }
    return result
}

/// A copy against a copy: the yardstick of the rows that have no kernel of their own.
func measureCopy(size: FrameSize, rounds: Int) -> KernelResult {
    measure(size: size, rounds: rounds, hasAlpha: false) { memcpy($1, $0, size.byteCount) }
}

private func image(_ frame: UnsafeMutableRawPointer, _ size: FrameSize) -> Image {
    Image(base: frame, width: size.width, height: size.height, stride: size.width * 4, format: .bgra)
}

/// Times `kernel(foreground, background)` and a memcpy of the frame in turn.
///
/// The copy restores the backgrounds from their originals, so each round blends the same pictures. The backgrounds alone
/// are twice the last-level cache, as are the originals and the foregrounds: whatever a cold pass touches has left
/// the caches since it was used last.
private func measure(
    size: FrameSize, rounds: Int, hasAlpha: Bool,
    kernel: (_ foreground: UnsafeMutableRawPointer, _ background: UnsafeMutableRawPointer) -> Void
) -> KernelResult {
    let count = min(max(8, 2 * Machine.lastLevelCache / size.byteCount + 1), 128)
    let originals = FrameSet(size: size, count: count, seed: 1)
    let foregrounds = FrameSet(size: size, count: count, seed: 2)
    let backgrounds = FrameSet(size: size, count: count, seed: 3)
    if hasAlpha { foregrounds.varyAlpha() }

    func pass(_ indices: [Int]) -> KernelResult.Times {
        let start = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        for index in indices { memcpy(backgrounds[index], originals[index], size.byteCount) }
        let middle = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        for index in indices { kernel(foregrounds[index], backgrounds[index]) }
        let end = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        return .init(
            kernel: Double(end - middle) / Double(indices.count), copy: Double(middle - start) / Double(indices.count))
    }
    func medianPass(_ passes: Int, _ indices: [Int]) -> KernelResult.Times {
        _ = pass(indices)
        let times = (0..<passes).map { _ in pass(indices) }
        return .init(kernel: median(times.map(\.kernel)), copy: median(times.map(\.copy)))
    }
    let cold = medianPass(rounds, Array(0..<count))
    let hot = medianPass(rounds * count, [0])
    return KernelResult(cold: cold, hot: hot, peakKilobytes: Machine.peakKilobytes)
}

/// Frames in plain memory.
private final class FrameSet {
    private let frames: [UnsafeMutableRawPointer]
    private let size: FrameSize

    init(size: FrameSize, count: Int, seed: UInt64) {
        self.size = size
        let picture = Picture(size: size, count: 8, seed: seed)
        frames = (0..<count).map { index in
            let frame = UnsafeMutableRawPointer.allocate(byteCount: size.byteCount, alignment: 16)
            picture.write(index, to: frame)
            return frame
        }
    }

    deinit { frames.forEach { $0.deallocate() } }

    subscript(index: Int) -> UnsafeMutableRawPointer { frames[index] }

    /// Gives each pixel an alpha of its own.
    func varyAlpha() {
        var random = Random(state: 7)
        for frame in frames {
            for offset in stride(from: 3, to: size.byteCount, by: 4) {
                frame.storeBytes(of: UInt8(truncatingIfNeeded: random.next()), toByteOffset: offset, as: UInt8.self)
            }
        }
    }
}

/// The middle value; of an even number of values, the mean of the middle two. 0 of none.
func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

/// The value that so many percent of the values do not exceed. 0 of none.
func percentile(_ percent: Int, of values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    return values.sorted()[max(0, (values.count * percent + 99) / 100 - 1)]
}
