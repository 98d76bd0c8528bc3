// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// Computes the stencil by its definition, slowly: per byte of the pixel, the sum over 5x5 with the weights 1 4 6 4 1
/// in both directions over 256, rounded; then 2 0 2, 0 -8 0, 2 0 2 over 3x3, clipped to 0…255. Borders are reflected,
/// without repeating the border itself.
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

/// Returns an index beyond the ends mirrored at the first or last, as often as needed; 0 if there is only one.
private func reflected(_ index: Int, _ count: Int) -> Int {
    guard count > 1 else { return 0 }
    let period = 2 * (count - 1)
    let place = ((index % period) + period) % period
    return place < count ? place : period - place
}
