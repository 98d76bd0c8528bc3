// SPDX-License-Identifier: LGPL-2.1-or-later
import COpenCV
import Glibc
import Imaging

/// Colours of an object relative to the background, independent of brightness. These colours are the logarithms of
/// red/green and blue/green, scaled to 0…255. The background has the value 128.
struct Chromaticity: Sendable {
    private let values: Matrix<UInt8>

    /// Creates the chromaticity of a part of an image; nil for grey images.
    /// - Parameters:
    ///   - part: the pixels of the part, in the order blue, green, red.
    ///   - image: the whole image, whose border is assumed to show the background.
    init?(_ part: Matrix<UInt8>, in image: Image) {
        guard part.channels == 3 else { return nil }
        let tables = Self.edgeMedians(image).map { white in
            (0..<256).map {
                log(Double($0) + AppearanceTuning.colorOffset) - log(Double(white) + AppearanceTuning.colorOffset)
            }
        }
        func value(_ logarithm: Double) -> UInt8 {
            UInt8(max(0, min(255, (128 + AppearanceTuning.colorScale * logarithm).rounded(.toNearestOrEven))))
        }
        var values = Matrix<UInt8>(sizeOf: part, channels: 2)
        for y in 0..<part.height {
            let (from, to) = (part.row(y), values.mutableRow(y))
            for x in 0..<part.width {
                let green = tables[1][Int(from[3 * x + 1])]
                to[2 * x] = value(tables[2][Int(from[3 * x + 2])] - green)
                to[2 * x + 1] = value(tables[0][Int(from[3 * x])] - green)
            }
        }
        self.values = values
    }

    private init(_ values: Matrix<UInt8>) { self.values = values }

    /// Returns the median of each channel of the pixels along the border of an image.
    private static func edgeMedians(_ image: Image) -> [Int] {
        let width = max(1, min(image.width, image.height) / AppearanceTuning.edgeWidths)
        var counts = [[Int]](repeating: [Int](repeating: 0, count: 256), count: 3)
        func count(_ row: UnsafePointer<UInt8>, _ columns: Range<Int>) {
            for x in columns { for c in 0..<3 { counts[c][Int(row[3 * x + c])] += 1 } }
        }
        for y in 0..<image.height {
            let row = UnsafePointer(image.row(y))
            if y < width || y >= image.height - width || 2 * width >= image.width {
                count(row, 0..<image.width)
            } else {
                count(row, 0..<width)
                count(row, image.width - width..<image.width)
            }
        }
        let half = counts[0].reduce(0, +) / 2
        return counts.map { counts in
            var (level, below) = (0, counts[0])
            while below <= half, level < 255 {
                level += 1
                below += counts[level]
            }
            return level
        }
    }

    /// Returns the colours, warped to `width` × `height` pixels. Pixels outside of the original colours repeat the
    /// colours at their edge.
    /// - Parameter map: maps pixels of the result to pixels of the original colours.
    func warped(_ map: AffineMap, width: Int, height: Int) throws(VisionError) -> Chromaticity {
        Chromaticity(
            try values.warped(map, isInverse: true, width: width, height: height, sv_cv_nearest, isEdgeRepeated: true))
    }

    /// Returns the Hellinger distance, 0…1, between the colour histograms of this object and of `other`. Both
    /// histograms contain only the pixels of `mask`.
    /// - Parameter bins: the number of bins along each axis of the histograms.
    func distance(to other: Chromaticity, under mask: Matrix<UInt8>, bins: Int) throws(VisionError) -> Double {
        let (first, second) = (try histogram(mask, bins), try other.histogram(mask, bins))
        var (a, b, product) = (0.0, 0.0, 0.0)
        for (u, v) in zip(first, second) {
            a += Double(u)
            b += Double(v)
            product += (Double(u) * Double(v)).squareRoot()
        }
        let scale = (a * b).squareRoot()
        return max(0, 1 - (scale > 0 ? product / scale : product)).squareRoot()
    }

    private func histogram(_ mask: Matrix<UInt8>, _ bins: Int) throws(VisionError) -> [Float] {
        let sigma = Double(bins) / AppearanceTuning.binsPerBlur
        // Surround the histogram with a margin of zeros. Without the margin, the blur would mirror values at the
        // histogram's edges.
        let margin = Int((4 * sigma).rounded(.up)) + 1, side = bins + 2 * margin
        var counts = Matrix<Float>(width: side, height: side)
        let cells = counts.mutableRow(0)
        for y in 0..<values.height {
            let (row, use) = (values.row(y), mask.row(y))
            for x in 0..<values.width where use[x] != 0 {
                let (across, down) = ((Int(row[2 * x]) * bins) >> 8, (Int(row[2 * x + 1]) * bins) >> 8)
                cells[(across + margin) * side + down + margin] += 1
            }
        }
        return try counts.blurred(sigma: sigma)
            .cropped(to: Rectangle(x: margin, y: margin, width: bins, height: bins)).samples
    }
}
