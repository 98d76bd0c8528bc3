import Glibc
import KernelTypes
import Imaging

/// A kernel, or a memcpy of the frame, the yardstick of the rows that have no kernel of their own.
struct KernelJob: Job, Work {
    /// Nick of the blend mode; nil for the memcpy.
    var mode: String?
    var opacity = 1.0
    /// True if the foreground's alpha varies from pixel to pixel and counts.
    var hasAlpha = false
    var size: FrameSize
    var rounds: Int

    func perform() throws -> Reading {
        guard let nick = mode else {
            return measure { memcpy($1, $0, size.byteCount) }
        }
        guard let mode = BlendMode(nick: nick) else { throw Failure("there is no mode \(nick)") }
        let blender = Blender()
        var isBlended = true
        let reading = measure { foreground, background in
            let done = blender.blend(
                image(foreground), onto: image(background), mode: mode, opacity: opacity,
                useForegroundAlpha: hasAlpha)
            isBlended = isBlended && done
        }
        guard isBlended else { throw Failure("the kernel refuses its pictures") }
        return reading
    }

    /// Times `kernel(foreground, background)` and a memcpy of the frame in turn.
    ///
    /// The copy restores the backgrounds from their originals, so each round blends the same pictures. The backgrounds
    /// alone are twice the last-level cache, as are the originals and the foregrounds: everything a cold pass touches
    /// has left the caches since its last use.
    private func measure(
        kernel: (_ foreground: UnsafeMutableRawPointer, _ background: UnsafeMutableRawPointer) -> Void
    ) -> Reading {
        let count = min(max(8, 2 * Machine.lastLevelCache / size.byteCount + 1), 128)
        let (originals, backgrounds) = (frames(count, seed: 1), frames(count, seed: 3))
        let foregrounds = frames(count, seed: 2)
        if hasAlpha { varyAlpha(foregrounds) }

        func pass(_ indices: [Int]) -> (kernel: Double, copy: Double) {
            let start = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
            for index in indices { memcpy(backgrounds[index], originals[index], size.byteCount) }
            let middle = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
            for index in indices { kernel(foregrounds[index], backgrounds[index]) }
            let end = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
            return (Double(end - middle) / Double(indices.count), Double(middle - start) / Double(indices.count))
        }
        func medianPass(_ passes: Int, _ indices: [Int]) -> (kernel: Double, copy: Double) {
            _ = pass(indices)
            let times = (0..<passes).map { _ in pass(indices) }
            return (times.map(\.kernel).median, times.map(\.copy).median)
        }
        let cold = medianPass(rounds, Array(0..<count))
        let hot = medianPass(rounds * count, [0])
        return Reading(figures: [
            .cpu: cold.kernel, .copy: cold.copy, .hot: hot.kernel, .hotCopy: hot.copy,
            .peak: Double(Machine.peakKilobytes),
        ])
    }

    /// Returns frames in plain memory, which is never freed.
    private func frames(_ count: Int, seed: UInt64) -> [UnsafeMutableRawPointer] {
        let picture = Picture(size: size, count: 8, seed: seed)
        return (0..<count).map { index in
            let frame = UnsafeMutableRawPointer.allocate(byteCount: size.byteCount, alignment: 16)
            picture.write(index, to: frame)
            return frame
        }
    }

    /// Gives each pixel an alpha of its own.
    private func varyAlpha(_ frames: [UnsafeMutableRawPointer]) {
        var random = Random(state: 7)
        for frame in frames {
            for offset in stride(from: 3, to: size.byteCount, by: 4) {
                frame.storeBytes(of: UInt8(truncatingIfNeeded: random.next()), toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    private func image(_ frame: UnsafeMutableRawPointer) -> Image {
        Image(base: frame, width: size.width, height: size.height, stride: size.width * 4, format: .bgra)
    }
}
