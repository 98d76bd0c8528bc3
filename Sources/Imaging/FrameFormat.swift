// SPDX-License-Identifier: LGPL-2.1-or-later
/// Layout of the samples of a video frame: the packed formats of `PixelFormat`, and YUV with its chroma at full size
/// (4:4:4), half the width (4:2:2) or half of both width and height (4:2:0).
package struct FrameFormat: Sendable, Hashable {
    /// GStreamer's name of the format, if it has one.
    package let name: String
    /// The planes in GStreamer's order.
    package let planes: [PlaneLayout]
    /// The same format for an `Image`, if there is one.
    package let packed: PixelFormat?

    /// Bits by which samples of 10 bits, in words of 16, are larger than bytes of the same meaning; nil if samples are
    /// bytes.
    package let shift: Int?

    /// Places of the samples of YUV.
    let places: SamplePlaces

    @inlinable package var isYUV: Bool { packed == nil }
    @inlinable package var isGray: Bool { packed?.isGray ?? false }

    package init(_ packed: PixelFormat) {
        name = packed.name
        planes = [PlaneLayout(packed.isGray ? "Y" : packed.name)]
        shift = nil
        self.packed = packed
        places = SamplePlaces(planes, shift: shift)
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
        places = SamplePlaces(self.planes, shift: shift)
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

    /// Every format whose samples are bytes, the preferred ones first.
    package static let all = allPacked + allYUV
    package static let allPacked = PixelFormat.all.map { FrameFormat($0) }
    package static let allYUV = [i420, nv12, yv12, nv21, yuy2, uyvy, y42b, y444]
    /// Formats of 10 bits, for what works on them through bytes.
    package static let deep = [i420Deep, p010]

    /// The format of this name, if there is one.
    package init?(name: String) {
        guard let format = (Self.all + Self.deep).first(where: { $0.name == name }) else { return nil }
        self = format
    }

    /// The format with the same planes, but chroma for each pixel; nil if samples are words, or all share a plane.
    package var withFullChroma: FrameFormat? {
        guard isYUV, shift == nil, planes.count > 1 else { return nil }
        return FrameFormat("\(name) 4:4:4", planes: planes.map { PlaneLayout($0.samples) })
    }

    /// Meaning of a sample.
    package enum Sample: Character, Sendable {
        case red = "R"
        case green = "G"
        case blue = "B"
        case alpha = "A"
        /// GStreamer's "x": means nothing.
        case padding = "x"
        case luma = "Y"
        case chromaBlue = "U"
        case chromaRed = "V"
    }
}

/// Places of the samples of a YUV format, as numbers, which are copied without counting references.
struct SamplePlaces: Sendable, Hashable {
    let planes: Int
    /// Pixels side by side, and one above the other, that share chroma.
    let columns: Int
    let rows: Int
    /// True if luma comes before chroma where both are in one plane.
    let isLumaFirst: Bool
    /// True if blue chroma comes before red.
    let isBlueFirst: Bool
    /// `FrameFormat.shift`
    let shift: Int?

    fileprivate init(_ planes: [PlaneLayout], shift: Int?) {
        let chroma = planes.last
        (self.planes, columns, rows) = (planes.count, chroma?.columns ?? 1, chroma?.rows ?? 1)
        isLumaFirst = planes.first?.samples.first == .luma
        isBlueFirst = planes.lazy.flatMap(\.samples).first { $0 == .chromaBlue || $0 == .chromaRed } == .chromaBlue
        self.shift = shift
    }

    /// Chroma samples of one kind in a row of `width` pixels.
    func units(width: Int) -> Int { (width + columns - 1) / columns }

    /// Bytes from the beginning of a row to the samples of a pixel, with which its chroma begins.
    func offset(ofPixel x: Int, plane: Int) -> Int {
        let samples = planes == 1 ? 2 * x : plane == 0 ? x : planes == 2 ? x / columns * 2 : x / columns
        return shift == nil ? samples : 2 * samples
    }
}

/// A plane is rows of equal units, each the samples of one pixel or of several that share chroma.
package struct PlaneLayout: Sendable, Hashable {
    /// Meaning of each byte of a unit.
    package let samples: [FrameFormat.Sample]
    /// Pixels side by side that one unit covers: 1 or 2.
    package let columns: Int
    /// Pixels one above the other that one unit covers: 1 or 2.
    package let rows: Int
    /// Bytes of a sample: 1 or 2.
    package fileprivate(set) var sampleBytes = 1

    /// - Parameter samples: the letters of a unit's bytes.
    fileprivate init(_ samples: String, _ columns: Int = 1, _ rows: Int = 1) {
        self.init(samples.compactMap(FrameFormat.Sample.init(rawValue:)), columns, rows)
    }

    fileprivate init(_ samples: [FrameFormat.Sample], _ columns: Int = 1, _ rows: Int = 1) {
        (self.samples, self.columns, self.rows) = (samples, columns, rows)
    }

    @inlinable package var unitBytes: Int { samples.count * sampleBytes }

    /// Units in a row of `width` pixels. Odd widths have a last unit of their own.
    @inlinable package func units(width: Int) -> Int {
        max(0, width) / columns + (max(0, width) % columns == 0 ? 0 : 1)
    }

    /// Rows of units in a frame of `height` pixels.
    @inlinable package func unitRows(height: Int) -> Int {
        max(0, height) / rows + (max(0, height) % rows == 0 ? 0 : 1)
    }

    /// True if a unit has a luma sample for each of several pixels.
    @inlinable package var hasOwnLuma: Bool { columns > 1 && samples.contains(.luma) }
}

extension FrameFormat {
    /// The samples of a colour, as one unit of a plane has them; only as many as the unit has bytes. Alpha and padding are
    /// 255.
    @inlinable package func unit(
        of plane: PlaneLayout, _ color: Color, _ colorimetry: Colorimetry
    ) -> SIMD4<UInt8> {
        let yuv = colorimetry.samples(of: color)
        var unit = SIMD4<UInt8>()
        for (place, sample) in plane.samples.enumerated() where place < 4 {
            unit[place] =
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

    /// Grey formats are full range in GStreamer, YUV is limited unless the caps say otherwise.
    package var usualColorimetry: Colorimetry { Colorimetry(.bt601, isFullRange: isGray) }
}
