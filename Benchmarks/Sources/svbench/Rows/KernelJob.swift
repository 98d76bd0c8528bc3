// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Glibc
import Imaging
import KernelTypes

extension BlendMode: Codable {}

/// A kernel, or a memcpy of the frame, the yardstick of the rows that have no kernel of their own.
struct KernelJob: Job {
    /// Blend mode; nil for the memcpy.
    var mode: BlendMode?
    var opacity = 1.0
    /// True if the foreground's alpha varies from pixel to pixel and counts.
    var hasAlpha = false
    var size: FrameSize
    var rounds: Int

    func perform() -> Reading {
        guard let mode else { return measure { memcpy($1.base, $0.base, size.byteCount) } }
        let blender = Blender()
        return measure { blender.blend($0, onto: $1, mode: mode, opacity: opacity, useForegroundAlpha: hasAlpha) }
    }

    /// Times `kernel(foreground, background)` and a memcpy of the frame in turn.
    ///
    /// The copy restores the backgrounds from their originals, so each round blends the same pictures. The backgrounds
    /// alone are twice the last-level cache, as are the originals and the foregrounds: everything a cold pass touches
    /// has left the caches since its last use.
    private func measure(kernel: (_ foreground: Image, _ background: Image) -> Void) -> Reading {
        let count = min(max(8, 2 * Machine.lastLevelCache / size.byteCount + 1), 128)
        func frames(seed: UInt64) -> [OwnedImage] { (0..<count).map(Picture(size: size, count: 8, seed: seed).image) }
        let (originals, foregrounds, backgrounds) = (frames(seed: 1), frames(seed: 2), frames(seed: 3))
        if hasAlpha {
            // Gives each pixel an alpha of its own.
            var random = Random(state: 7)
            for frame in foregrounds {
                for offset in stride(from: 3, to: size.byteCount, by: 4) {
                    frame.image.row(0)[offset] = UInt8(truncatingIfNeeded: random.next())
                }
            }
        }

        func times(_ passes: Int, _ indices: [Int]) -> (kernel: Double, copy: Double) {
            var (kernels, copies): ([Double], [Double]) = ([], [])
            for pass in 0...passes {
                let start = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
                for index in indices {
                    memcpy(backgrounds[index].image.base, originals[index].image.base, size.byteCount)
                }
                let middle = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
                for index in indices { kernel(foregrounds[index].image, backgrounds[index].image) }
                let end = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
                // The first pass is not counted.
                guard pass > 0 else { continue }
                kernels.append(Double(end - middle) / Double(indices.count))
                copies.append(Double(middle - start) / Double(indices.count))
            }
            return (kernels.median, copies.median)
        }
        let cold = times(rounds, Array(0..<count))
        let hot = times(rounds * count, [0])
        return Reading(figures: [
            .cpu: cold.kernel, .copy: cold.copy, .hot: hot.kernel, .hotCopy: hot.copy,
            .peak: Double(Machine.peakKilobytes),
        ])
    }
}
