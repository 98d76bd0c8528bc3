// SPDX-License-Identifier: LGPL-2.1-or-later
/// Layout of the samples of a video frame. A format is a packed format of `PixelFormat` or a YUV format. The chroma
/// planes of YUV formats have full size (4:4:4), half the width (4:2:2), or half the width and half the height (4:2:0).
package struct FrameFormat: Sendable, Hashable {
    /// GStreamer's name of the format, or another name if GStreamer does not have the format.
    package let name: String
    /// The planes in GStreamer's order.
    package let planes: [PlaneLayout]
    /// The equivalent pixel format for an `Image`. Nil for YUV formats.
    package let packed: PixelFormat?

    /// For formats with 10-bit samples in 16-bit words: a byte becomes a sample when it is shifted to the left by this
    /// number of bits. Nil if the samples of the format are bytes.
    package let shift: Int?

    /// The layout of the samples. Use it only if the format is a YUV format.
    let layout: SampleLayout

    @inlinable package var isYUV: Bool { packed == nil }
    @inlinable package var isGray: Bool { packed?.isGray ?? false }

    package init(_ packed: PixelFormat) {
        name = packed.name
        planes = [PlaneLayout(packed.isGray ? "Y" : packed.name)]
        shift = nil
        self.packed = packed
        layout = SampleLayout(planes, shift: shift)
    }

    private init(_ name: String, planes: [PlaneLayout], shift: Int? = nil) {
        self.name = name
        self.planes = planes.map { plane in
            var plane = plane
            plane.sampleBytes = shift == nil ? 1 : 2
            return plane
        }
        self.shift = shift
        packed = nil
        layout = SampleLayout(self.planes, shift: shift)
    }

    package static let i420 = FrameFormat("I420", planes: [.init("Y"), .init("U", 2, 2), .init("V", 2, 2)])
    package static let yv12 = FrameFormat("YV12", planes: [.init("Y"), .init("V", 2, 2), .init("U", 2, 2)])
    package static let nv12 = FrameFormat("NV12", planes: [.init("Y"), .init("UV", 2, 2)])
    package static let nv21 = FrameFormat("NV21", planes: [.init("Y"), .init("VU", 2, 2)])
    package static let yuy2 = FrameFormat("YUY2", planes: [.init("YUYV", 2)])
    package static let uyvy = FrameFormat("UYVY", planes: [.init("UYVY", 2)])
    package static let y42b = FrameFormat("Y42B", planes: [.init("Y"), .init("U", 2), .init("V", 2)])
    package static let y444 = FrameFormat("Y444", planes: [.init("Y"), .init("U"), .init("V")])
    package static let i420Deep = FrameFormat("I420_10LE", planes: i420.planes, shift: 2)
    package static let p010 = FrameFormat("P010_10LE", planes: nv12.planes, shift: 8)

    /// All formats whose samples are bytes, in order of preference.
    package static let all = allPacked + allYUV
    package static let allPacked = PixelFormat.all.map { FrameFormat($0) }
    package static let allYUV = [i420, nv12, yv12, nv21, yuy2, uyvy, y42b, y444]
    /// The formats with 10-bit samples. Only functions that convert samples to bytes and back accept these formats.
    package static let deep = [i420Deep, p010]

    /// Creates the format with this name. Returns nil if the name is unknown.
    package init?(name: String) {
        guard let format = (Self.all + Self.deep).first(where: { $0.name == name }) else { return nil }
        self = format
    }

    /// The format with the same planes, but with one chroma sample per pixel (4:4:4). Nil if the samples are 16-bit
    /// words, or if all samples are in one plane.
    package var withFullChroma: FrameFormat? {
        guard isYUV, shift == nil, planes.count > 1 else { return nil }
        return FrameFormat("\(name) 4:4:4", planes: planes.map { PlaneLayout($0.samples) })
    }

    /// The meaning of a sample.
    package enum Sample: Character, Sendable {
        case red = "R"
        case green = "G"
        case blue = "B"
        case alpha = "A"
        /// An unused byte, which GStreamer's format names call "x".
        case padding = "x"
        case luma = "Y"
        case chromaBlue = "U"
        case chromaRed = "V"
    }
}

/// The layout of a YUV format. Swift can copy all members of this type without reference counting.
struct SampleLayout: Sendable, Hashable {
    let planes: Int
    /// Number of adjacent pixels in a row (`columns`), and number of rows (`rows`), that share a chroma sample.
    let columns: Int
    let rows: Int
    /// True if luma comes before chroma in a plane that contains both.
    let isLumaFirst: Bool
    /// True if blue chroma comes before red chroma.
    let isBlueFirst: Bool
    /// The shift between bytes and samples; see `FrameFormat.shift`.
    let shift: Int?

    fileprivate init(_ planes: [PlaneLayout], shift: Int?) {
        let chroma = planes.last
        (self.planes, columns, rows) = (planes.count, chroma?.columns ?? 1, chroma?.rows ?? 1)
        isLumaFirst = planes.first?.samples.first == .luma
        isBlueFirst = planes.lazy.flatMap(\.samples).first { $0 == .chromaBlue || $0 == .chromaRed } == .chromaBlue
        self.shift = shift
    }

    /// Returns the number of samples of each chroma channel in a row of `width` pixels.
    func units(width: Int) -> Int { (width + columns - 1) / columns }

    /// Returns the number of bytes from the start of a row to the samples of the pixel in column `x`. If pixels share a
    /// chroma sample, `x` must be the first of these pixels.
    func offset(ofPixel x: Int, plane: Int) -> Int {
        let samples = planes == 1 ? 2 * x : plane == 0 ? x : planes == 2 ? x / columns * 2 : x / columns
        return shift == nil ? samples : 2 * samples
    }
}

/// Layout of a plane. A plane consists of rows of equal units. A unit contains the samples of one pixel, or of several
/// pixels that share a chroma sample.
package struct PlaneLayout: Sendable, Hashable {
    /// The meaning of each sample in a unit. A unit contains the samples of one pixel, or of several pixels that share
    /// a chroma sample.
    package let samples: [FrameFormat.Sample]
    /// Number of adjacent pixels of a row whose samples form one unit of the plane: 1 or 2.
    package let columns: Int
    /// Number of pixel rows that share one row of samples in the plane: 1 or 2.
    package let rows: Int
    /// Size of a sample in bytes: 1 or 2.
    package fileprivate(set) var sampleBytes = 1

    /// - Parameter samples: the meaning of the samples in a unit, as one letter per sample.
    fileprivate init(_ samples: String, _ columns: Int = 1, _ rows: Int = 1) {
        self.init(samples.compactMap(FrameFormat.Sample.init(rawValue:)), columns, rows)
    }

    fileprivate init(_ samples: [FrameFormat.Sample], _ columns: Int = 1, _ rows: Int = 1) {
        (self.samples, self.columns, self.rows) = (samples, columns, rows)
    }

    @inlinable package var unitBytes: Int { samples.count * sampleBytes }

    /// Returns the number of units in a row of `width` pixels. A unit contains the samples of one or two pixels. If the
    /// width is odd, the last unit may be incomplete.
    @inlinable package func units(width: Int) -> Int {
        max(0, width) / columns + (max(0, width) % columns == 0 ? 0 : 1)
    }

    /// Returns the number of sample rows that the plane needs for `height` rows of pixels. One or two rows of pixels
    /// share a sample row.
    @inlinable package func unitRows(height: Int) -> Int {
        max(0, height) / rows + (max(0, height) % rows == 0 ? 0 : 1)
    }

    /// True if a unit contains the luma samples of two pixels and the chroma samples that these pixels share.
    @inlinable package var hasOwnLuma: Bool { columns > 1 && samples.contains(.luma) }
}

extension FrameFormat {
    /// Returns the samples of a colour for one unit of a plane. A unit contains the samples of one pixel, or of pixels
    /// that share a chroma sample. Alpha and padding are 255. Elements after the last sample are 0.
    @inlinable package func unit(
        of plane: PlaneLayout, _ color: Color, _ colorimetry: Colorimetry
    ) -> SIMD4<UInt8> {
        let yuv = colorimetry.samples(of: color)
        var unit = SIMD4<UInt8>()
        for (index, sample) in plane.samples.enumerated() where index < 4 {
            unit[index] =
                switch sample {
                case .red: byte(color.red)
                case .green: byte(color.green)
                case .blue: byte(color.blue)
                case .alpha, .padding: 255
                case .luma: byte(yuv.luma)
                case .chromaBlue: byte(yuv.chromaBlue)
                case .chromaRed: byte(yuv.chromaRed)
                }
        }
        return unit
    }

    /// GStreamer's default colorimetry: full range for grey formats, limited range for YUV.
    package var usualColorimetry: Colorimetry { Colorimetry(.bt601, isFullRange: isGray) }
}
