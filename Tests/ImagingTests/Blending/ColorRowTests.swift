// SPDX-License-Identifier: LGPL-2.1-or-later
import Blending
import Imaging
import KernelTypes
import Testing

/// Compares rows with separate red, green and blue bytes and rows of pixels.
@Suite("Rows of colours")
struct ColorRowTests {
    private let plane = 300
    private let kernelSets = Processor.kernelSets

    @Test("modes that are not separable are those of pixels, bit for bit", arguments: BlendMode.allCases)
    func nonSeparable(_ mode: BlendMode) {
        guard !mode.isSeparable else { return }
        var random = Random(seed: 11)
        for kernels in kernelSets {
            for count in [0, 1, 2, 3, 4, 5, 31, 63, 64, 65, 255, 299] {
                let (pixels, over) = (random.bytes(4 * 300), random.bytes(4 * 300))
                let weights = random.bytes(300)
                func apart(_ pixels: [UInt8]) -> [UInt8] {
                    (0..<3).flatMap { channel in (0..<plane).map { pixels[4 * $0 + channel] } }
                }
                var (rows, joined) = (apart(pixels), pixels)
                let foreground = apart(over)
                rows.withUnsafeMutableBufferPointer { rows in
                    foreground.withUnsafeBufferPointer { foreground in
                        weights.withUnsafeBufferPointer { weights in
                            guard let rows = rows.baseAddress, let red = foreground.baseAddress,
                                let weights = weights.baseAddress
                            else { return }
                            kernels.blendColors(
                                mode: mode, background: rows, plane: plane, red: red, green: red + plane,
                                blue: red + 2 * plane, weights: weights, count: count)
                        }
                    }
                }
                joined.withUnsafeMutableBytes { joined in
                    over.withUnsafeBytes { over in
                        weights.withUnsafeBufferPointer { weights in
                            guard let joined = joined.baseAddress, let over = over.baseAddress,
                                let weights = weights.baseAddress
                            else { return }
                            kernels.blendPixels(
                                mode: mode, background: joined, foreground: over, weights: weights,
                                offsets: PixelFormat.rgbx.offsets, count: count)
                        }
                    }
                }
                #expect(rows == apart(joined), "\(kernels.level.rawValue), \(count)")
            }
        }
    }

    @Test("separable modes with one weight are those with a row of it, bit for bit", arguments: BlendMode.allCases)
    func separable(_ mode: BlendMode) {
        guard mode.isSeparable else { return }
        var random = Random(seed: 12)
        for kernels in kernelSets {
            for (count, weight) in [(0, 7), (1, 255), (63, 1), (64, 254), (129, 128), (257, 255), (299, 77)] {
                let (before, foreground) = (random.bytes(300), random.bytes(300))
                let scratch = UnsafeMutableRawPointer.allocate(byteCount: 608, alignment: 64)
                defer { scratch.deallocate() }
                func blended(
                    _ body: (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, UnsafePointer<UInt8>) -> Void
                ) -> [UInt8] {
                    var bytes = before
                    let weights = [UInt8](repeating: UInt8(weight), count: 300)
                    bytes.withUnsafeMutableBufferPointer { bytes in
                        foreground.withUnsafeBufferPointer { foreground in
                            weights.withUnsafeBufferPointer { weights in
                                guard let bytes = bytes.baseAddress, let foreground = foreground.baseAddress,
                                    let weights = weights.baseAddress
                                else { return }
                                body(bytes, foreground, weights)
                            }
                        }
                    }
                    return bytes
                }
                let even = blended { background, foreground, _ in
                    kernels.blendBytes(
                        mode: mode, background: background, foreground: foreground, weight: UInt8(weight),
                        scratch: scratch, count: count)
                }
                let weighted = blended { background, foreground, weights in
                    kernels.blendWeighted(
                        mode: mode, background: background, foreground: foreground, weights: weights, scratch: scratch,
                        count: count)
                }
                #expect(even == weighted, "\(kernels.level.rawValue), \(count), \(weight)")
                #expect(even[count...] == before[count...])
                guard mode == .normal || mode == .average else { continue }
                // The result goes to a third row.
                let mixed = blended { output, foreground, _ in
                    let background = before
                    background.withUnsafeBufferPointer { background in
                        guard let background = background.baseAddress else { return }
                        output.update(repeating: 7, count: 300)
                        kernels.mixBytes(
                            background, foreground, weight: UInt8(weight), averaged: mode == .average, into: output,
                            count: count)
                    }
                }
                #expect(mixed[..<count] == even[..<count] && mixed[count...].allSatisfy { $0 == 7 })
            }
        }
    }
}

extension Random {
    fileprivate mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }
}
