// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Blending
internal import Imaging
internal import KernelTypes

/// The two images of a transition and the output frame of the transition.
struct Scene {
    let old, new, output: FrameImage
    let moment: TransitionPainter.Moment
    let room: TransitionRoom
    let blender: Blender
    let planes: [(old: PlaneView, new: PlaneView, output: PlaneView)]

    var progress: Double { moment.progress }

    init(
        old: FrameImage, new: FrameImage, output: FrameImage, at moment: TransitionPainter.Moment,
        _ room: TransitionRoom, with blender: Blender
    ) {
        (self.old, self.new, self.output) = (old, new, output)
        (self.moment, self.room, self.blender) = (moment, room, blender)
        planes = zip(zip(old.views, new.views), output.views).map { ($0.0.0, $0.0.1, $0.1) }
    }

    /// Divides the rows of the output into bands, and calls `body` for each band on the threads of the blender.
    func forEachBand(_ body: (Range<Int>) -> Void) {
        blender.share(0..<output.height, width: output.width) { band, _ in body(band) }
    }

    /// Calls `body` for each number in 0 ..< `count` on the threads of the blender.
    func forEachUnit(_ count: Int, _ body: (Int) -> Void) {
        guard count > 0 else { return }
        let height = Blender.bandHeight
        let width = max(1, output.width * output.height / (count * height))
        blender.share(0..<count * height, width: width) { band, _ in
            for unit in band.lowerBound / height..<(band.upperBound + height - 1) / height { body(unit) }
        }
    }

    func copy(_ side: TransitionSide) {
        forEachBand { band in
            for plane in planes {
                for row in plane.output.rows(of: band) {
                    plane.output.row(row).update(
                        from: (side == .old ? plane.old : plane.new).row(row), count: plane.output.rowBytes)
                }
            }
        }
    }

    func mix(weight: UInt8) {
        forEachBand { band in
            let mixer = RowMixer(width: 0, kernels: output.kernels)
            for plane in planes {
                for row in plane.output.rows(of: band) {
                    mixer.mix(
                        plane.old.row(row), plane.new.row(row), weight: weight, into: plane.output.row(row),
                        count: plane.output.rowBytes)
                }
            }
        }
    }

    func mix(by map: ThresholdMap, at moment: ThresholdMap.Moment) {
        forEachBand { band in
            let mixer = RowMixer(width: output.width, kernels: output.kernels)
            for plane in planes {
                mixer.mix(
                    plane.old, plane.new, by: map, at: moment, into: plane.output, rows: plane.output.rows(of: band))
            }
        }
    }

    /// Mixes the image `side` with a colour.
    /// - Parameter share: weight of the colour, 0…1.
    func fade(through color: Color, share: Double, shows side: TransitionSide) {
        let weight = byte(255 * share)
        let rows = planes.map {
            Array(repeating: self.samples(of: color, $0.output), count: $0.output.units).flatMap(\.self)
        }
        forEachBand { band in
            let mixer = RowMixer(width: 0, kernels: output.kernels)
            for (plane, color) in zip(planes, rows) {
                color.withUnsafeBufferPointer { color in
                    guard let color = color.baseAddress else { return }
                    for row in plane.output.rows(of: band) {
                        mixer.mix(
                            (side == .old ? plane.old : plane.new).row(row), color, weight: weight,
                            into: plane.output.row(row), count: plane.output.rowBytes)
                    }
                }
            }
        }
    }

    func samples(of color: Color, _ plane: PlaneView) -> [UInt8] {
        let unit = output.format.unit(of: plane.layout, color, output.colorimetry)
        return (0..<min(4, plane.layout.unitBytes)).map { unit[$0] }
    }
}
