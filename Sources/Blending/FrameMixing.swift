// SPDX-License-Identifier: LGPL-2.1-or-later
package import Imaging
package import KernelTypes

extension Blender {
    /// Fills rows of a YUV frame with a background and blends layers over it, like `blend(_:onto:)` in RGB. The method
    /// processes the frame in strips. It converts the colours of each image to RGB by the matrix and range of the
    /// image, and converts the result by the matrix and range of the frame. It computes each chroma sample from the
    /// mean colour of the sample's pixels. Samples outside of all layers do not change.
    ///
    /// A layer with the format, colorimetry and chroma grid of the frame needs no conversion. If the opacity of such a
    /// layer is constant and the mode is `normal` or `average`, the method blends the layer directly in YUV. This is
    /// correct because these modes are linear.
    /// - Parameters:
    ///   - layers: the layers, the lowest first.
    ///   - background: the colour below the layers. Pass nil to keep the contents of the frame, or if the lowest layer
    ///     covers the whole frame.
    ///   - rows: the rows to fill. They must begin at the first row of a chroma sample. They must end at the last row
    ///     of a chroma sample or of the frame.
    package func mix(_ layers: [FrameLayer], over background: Color?, into frame: FrameImage, rows: Range<Int>) {
        let band = Rectangle(y: rows.lowerBound, width: frame.width, height: rows.count).intersection(frame.bounds)
        guard frame.format.isYUV, !band.isEmpty else { return }
        if let background { frame.cropped(to: band).fill(background) }
        let visible = layers.filter { $0.mode != .none && !$0.destination.intersection(band).isEmpty }
        // Find the first and the last layer that must be blended in RGB. Blend these two layers and all layers between
        // them in RGB, in one pass. Strips are then loaded and stored only once, and intermediate results are not
        // rounded.
        let isDirect = visible.map { $0.isDirect(on: frame) }
        let first = isDirect.firstIndex(of: false) ?? visible.count
        let last = isDirect.lastIndex(of: false).map { $0 + 1 } ?? visible.count
        mixSamples(of: visible[..<first], into: frame, band: band)
        if first < last { mixColors(of: visible[first..<last], into: frame, band: band) }
        mixSamples(of: visible[last...], into: frame, band: band)
    }
}

// MARK: - Samples

extension Blender {
    private static let run = MixingRoom.width

    /// Blends layers directly in the YUV samples of the frame. `isDirect` must be true for all layers.
    private func mixSamples(of layers: ArraySlice<FrameLayer>, into frame: FrameImage, band: Rectangle) {
        var below: FrameLayer?
        for (index, layer) in zip(layers.indices, layers) {
            let next = index + 1 < layers.endIndex ? layers[index + 1] : nil
            if layer.isCopied, let next, !next.isCopied,
                next.destination.intersection(band) == layer.destination.intersection(band)
            {
                // This opaque layer and the next layer cover the same area. Do not write this layer to the frame, but
                // blend the next layer directly over this layer's image.
                below = layer
                continue
            }
            if let key = layer.key {
                mixSamples(of: layer, keyedBy: key, over: below, into: frame, band: band)
            } else {
                mixSamples(of: layer, over: below, into: frame, band: band)
            }
            below = nil
        }
    }

    /// Blends a layer without a key directly in the YUV samples of the frame.
    /// - Parameter below: the layer directly below, if its samples are not in the frame yet; nil to blend over the
    ///   frame.
    private func mixSamples(
        of layer: FrameLayer, over below: FrameLayer?, into frame: FrameImage, band: Rectangle
    ) {
        let visible = layer.destination.intersection(band)
        let weight = layer.weight ?? 0
        let (x, y) = (frame.window.x + visible.x, frame.window.y + visible.y)
        for (plane, layout) in frame.format.planes.enumerated() {
            let (columns, rows) = (layout.columns, layout.rows)
            let first = x / columns
            let count = (layout.units(width: x + visible.width) - first) * layout.unitBytes
            /// Returns the samples of a layer for a row of the frame's plane.
            func samples(of layer: FrameLayer, row: Int) -> UnsafePointer<UInt8> {
                let across = layer.picture.window.x - layer.destination.x - frame.window.x
                let down = layer.picture.window.y - layer.destination.y - frame.window.y
                let from = layer.picture.planes[plane]
                return UnsafePointer(
                    (from.base + ((row + down / rows) * from.stride + (x + across) / columns * layout.unitBytes))
                        .assumingMemoryBound(to: UInt8.self))
            }
            let to = frame.planes[plane]
            for row in y / rows..<layout.unitRows(height: y + visible.height) {
                let output = (to.base + (row * to.stride + first * layout.unitBytes))
                    .assumingMemoryBound(to: UInt8.self)
                let input = samples(of: layer, row: row)
                if layer.isCopied {
                    output.update(from: input, count: count)
                } else if let below {
                    kernels.mixBytes(
                        samples(of: below, row: row), input, weight: weight, averaged: layer.mode == .average,
                        into: output, count: count)
                } else {
                    for start in stride(from: 0, to: count, by: Self.run) {
                        kernels.blendBytes(
                            mode: layer.mode, background: output + start, foreground: input + start, weight: weight,
                            scratch: mixing.scratch, count: min(Self.run, count - start))
                    }
                }
            }
        }
    }
}

// MARK: - Colours

extension Blender {
    /// Returns the number of adjacent pixels in a row that share a chroma sample.
    private func columns(of frame: FrameImage) -> Int { frame.format.planes.last?.columns ?? 1 }

    /// Blends layers of any format and mode, in RGB.
    private func mixColors(of layers: ArraySlice<FrameLayer>, into frame: FrameImage, band: Rectangle) {
        let part = layers.reduce(Rectangle(width: 0, height: 0)) { $0.union($1.destination.intersection(band)) }
        // If a strip begins in the middle of a layer's chroma sample, the reader also loads the pixel before the strip.
        // So use shorter strips in this case, to leave space for this pixel.
        let first = (frame.window.x + part.x) / columns(of: frame) * columns(of: frame)
        let isEven = layers.allSatisfy {
            (first + $0.picture.window.x - $0.destination.x - frame.window.x) % columns(of: $0.picture) == 0
        }
        prepareBytes(weight: 255)
        let (strips, room) = (strips, mixing)
        for layer in layers { look(at: layer, in: band) }
        frame.cropped(to: band).forEachStrip(
            of: Rectangle(x: part.x, y: part.y - band.y, width: part.width, height: part.height),
            longest: isEven ? YUVStrip.width : YUVStrip.width / 2
        ) { strip in
            mixStrip(strip, layers, frame, strips, room)
        }
    }

    /// Reads the part of the layer's image in the band once, so that the image is in the cache. This is faster than
    /// alternating reads of several images.
    private func look(at layer: FrameLayer, in band: Rectangle) {
        let visible = layer.destination.intersection(band)
        let (x, y) = (
            layer.picture.window.x + visible.x - layer.destination.x,
            layer.picture.window.y + visible.y - layer.destination.y
        )
        for (layout, plane) in zip(layer.picture.format.planes, layer.picture.planes) {
            let first = x / layout.columns
            let bytes = (layout.units(width: x + visible.width) - first) * layout.unitBytes
            for row in y / layout.rows..<layout.unitRows(height: y + visible.height) {
                _ = kernels.commonBits(
                    of: plane.base + (row * plane.stride + first * layout.unitBytes), count: bytes / 4)
            }
        }
    }

    private func mixStrip(
        _ strip: FrameImage.Strip, _ layers: ArraySlice<FrameLayer>, _ frame: FrameImage, _ strips: YUVStrip,
        _ room: MixingRoom
    ) {
        var (isLoaded, isCovered) = (false, false)
        for layer in layers {
            let part = LayerPart(of: layer, in: strip, of: frame)
            guard !part.columns.isEmpty else { continue }
            if let key = layer.key { readKeyed(part, layer, key, room) }
            guard let weights = weigh(part, layer, room) else { continue }
            let coversStrip = part.columns.count == strip.width && part.hasAllRows(of: strip)
            if !isLoaded {
                // If an opaque layer replaces the whole strip, do not load the old contents of the strip.
                if !coversStrip || layer.mode != .normal || weights.minimum < 255 { strips.load(strip, of: frame) }
                for row in 0..<strip.rowCount { strips.weights(row).update(repeating: 0, count: strip.width) }
                isLoaded = true
            }
            if layer.key == nil {
                room.reader.read(part.columns, first: part.first, second: part.second, of: layer.picture)
            }
            for row in 0..<strip.rowCount where part.row(row) != nil {
                blendColors(
                    strips.colors(row) + part.offset, plane: YUVStrip.plane,
                    with: layer.key == nil ? room.reader.colors(row) : keying.colors(row),
                    weights: room.weights(row), isFull: weights.minimum == 255, layer.mode, count: part.columns.count)
            }
            isCovered = isCovered || (coversStrip && weights.minimum > 0)
            for row in 0..<strip.rowCount where !isCovered && part.row(row) != nil {
                let touched = strips.weights(row) + part.offset
                kernels.joinWeights(
                    touched, room.weights(row), doubled: false, into: touched, count: part.columns.count)
            }
        }
        if isLoaded { strips.store(strip, into: frame, masked: !isCovered) }
    }

    /// Reads the colours of a keyed layer, computes the matte of these colours, and removes spill.
    private func readKeyed(_ part: LayerPart, _ layer: FrameLayer, _ key: Keyer, _ room: MixingRoom) {
        room.reader.read(part.columns, first: part.first, second: part.second, of: layer.picture)
        for row in 0..<2 where part.row(row) != nil {
            keying.key(room.reader.colors(row), by: key, row: row, count: part.columns.count, kernels)
        }
    }

    /// Computes the weights of the layer's pixels in the strip, and writes the weights into `room.weights`.
    /// - Returns: bounds of the weights; nil if all weights are 0.
    private func weigh(
        _ part: LayerPart, _ layer: FrameLayer, _ room: MixingRoom
    ) -> (minimum: UInt8, maximum: UInt8)? {
        let count = part.columns.count
        if let weight = layer.weight {
            for row in 0..<2 where part.row(row) != nil { room.weights(row).update(repeating: weight, count: count) }
            return (weight, weight)
        }
        var bounds: (minimum: UInt8, maximum: UInt8) = (255, 0)
        for row in 0..<2 {
            guard let y = part.row(row) else { continue }
            let values = room.weights(row)
            if let alpha = layer.alpha, let image = layer.image {
                let pixels = image.row(y) + part.columns.lowerBound * image.format.bytesPerPixel
                kernels.extractByte(at: alpha, of: pixels, into: values, count: count)
            } else {
                values.update(repeating: 255, count: count)
            }
            if layer.key != nil {
                kernels.multiplyWeights(values, by: keying.weights(row), opacity: 1, count: count)
            }
            if let weights = layer.weights {
                kernels.multiplyWeights(
                    values, by: weights.row(y) + part.columns.lowerBound, opacity: layer.opacity, count: count)
            } else if layer.opacity < 1 {
                kernels.scaleWeights(values, opacity: layer.opacity, count: count)
            }
            let range = kernels.rangeOfWeights(values, count: count)
            bounds = (min(bounds.minimum, range.minimum), max(bounds.maximum, range.maximum))
        }
        return bounds.maximum > 0 ? bounds : nil
    }
}

/// The part of a layer in a strip. `columns` are columns of the layer's image.
private struct LayerPart {
    let columns: Range<Int>
    /// The first column of the strip that the layer covers, counted from the start of the strip.
    let offset: Int
    /// The row of the layer's image that covers the first row of the strip (`first`), and the row that covers the
    /// second row (`second`). Nil if the image does not cover the row.
    let first: Int?
    let second: Int?

    init(of layer: FrameLayer, in strip: FrameImage.Strip, of frame: FrameImage) {
        // Left and top edge of the image in the planes of the frame.
        let (left, top) = (frame.window.x + layer.destination.x, frame.window.y + layer.destination.y)
        let columns = (left..<left + layer.destination.width).clamped(
            to: max(strip.x, frame.window.x)..<strip.x + strip.width)
        func row(_ index: Int) -> Int? {
            let row = strip.row(index) - top
            return index < strip.rowCount && 0..<layer.destination.height ~= row ? row : nil
        }
        (first, second) = (row(0), row(1))
        let isVisible = !columns.isEmpty && (first != nil || second != nil)
        self.columns = isVisible ? columns.lowerBound - left..<columns.upperBound - left : 0..<0
        offset = columns.lowerBound - strip.x
    }

    func row(_ index: Int) -> Int? { index == 0 ? first : second }

    func hasAllRows(of strip: FrameImage.Strip) -> Bool { first != nil && (second != nil || strip.rowCount == 1) }
}

// MARK: - Memory

final class MixingRoom {
    static let width = 2048

    let reader: ColorReader
    /// Scratch memory for kernel calls with at most `width` bytes.
    let scratch: UnsafeMutableRawPointer
    private let values: UnsafeMutablePointer<UInt8>

    init(kernels: any KernelSet) {
        reader = ColorReader(kernels: kernels)
        scratch = .allocate(byteCount: 4 * Self.width + 8, alignment: 64)
        values = (scratch + 2 * Self.width + 8).assumingMemoryBound(to: UInt8.self)
        scratch.initializeMemory(as: UInt8.self, repeating: 0, count: 4 * Self.width + 8)
    }

    deinit { scratch.deallocate() }

    /// Returns `width` bytes for the weights of a row.
    /// - Parameter row: 0 or 1.
    func weights(_ row: Int) -> UnsafeMutablePointer<UInt8> { values + (row & 1) * Self.width }
}
