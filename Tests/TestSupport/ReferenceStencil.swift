// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Computes the stencil filter by its definition, without optimisation, for each byte of a pixel. The first step is the
/// sum of 5x5 pixels with the weights 1 4 6 4 1 in both directions, divided by 256 and rounded. The second step is the
/// 3x3 kernel 2 0 2, 0 -8 0, 2 0 2, clipped to 0…255. Outside of the image, pixels are mirrored at the border pixel,
/// which is not repeated.
package func referenceStencil(of frame: TestFrame) -> TestFrame {
    let row = [1, 4, 6, 4, 1]
    let blurred = frame.filtered { value in
        var sum = 0
        for dy in -2...2 {
            for dx in -2...2 {
                let weight: Int = row[dy + 2] * row[dx + 2]
                sum += weight * value(dx, dy)
            }
        }
        return (sum + 128) / 256
    }
    return blurred.filtered { value in
        let corners: Int = value(-1, -1) + value(1, -1) + value(-1, 1) + value(1, 1)
        return 2 * corners - 8 * value(0, 0)
    }
}

extension TestFrame {
    fileprivate func filtered(_ kernel: (_ value: (_ dx: Int, _ dy: Int) -> Int) -> Int) -> TestFrame {
        let channels = format.bytesPerPixel
        return TestFrame(format, width, height) { x, y in
            (0..<channels).map { channel in
                UInt8(
                    clamping: kernel { dx, dy in
                        let place = reflected(y + dy, height) * width + reflected(x + dx, width)
                        return Int(bytes[place * channels + channel])
                    })
            }
        }
    }
}

/// Returns an index that is mirrored at the first and the last index until it is in range. Returns 0 if `count` is 1.
private func reflected(_ index: Int, _ count: Int) -> Int {
    guard count > 1 else { return 0 }
    let period = 2 * (count - 1)
    let place = ((index % period) + period) % period
    return place < count ? place : period - place
}
