// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
internal import Imaging

/// Draws a person in front of a green wall, or the person's matte (the coverage of each pixel).
final class GreenScreen {
    /// The colour of the wall at its brightest point.
    static let wall = Color(32, 176, 70)
    /// Decrease of the light between the brightest point and the farthest corner, as a fraction.
    static let falloff = 0.2
    /// Maximum fraction by which the wall's colour is mixed into pixels near the edge of the person.
    static let spill = 0.3

    private let figure: PresenterPath?
    private var sprites: [Int: FigureSprite] = [:]
    private let backdrop = OwnedImage(.bgrx)
    private let patch = FramePatch()
    private let full = OwnedImage(.gray8)
    private let grain = Grain(deviation: 3)

    init(_ figure: PresenterPath?) { self.figure = figure }

    /// Draws the wall and the person over the whole frame.
    /// - Parameters:
    ///   - entity: the person with the current position; nil to draw only the wall.
    ///   - grain: seed of the noise.
    func draw(_ entity: SceneEntity?, on frame: FrameImage, grain number: UInt64) {
        patch.read(frame, frame.bounds)
        let image = patch.image
        guard !image.isEmpty else { return }
        if backdrop.image.width != image.width || backdrop.image.height != image.height {
            backdrop.resize(width: image.width, height: image.height)
            full.resize(width: image.width, height: image.height)
            fill(full.image, color: .white)
            paintGround()
        }
        image.copy(from: backdrop.image)
        if let entity, let sprite = sprite(entity.portrait) {
            sprite.stamp.draw(on: FrameImage(image), x: entity.sprite.x, y: entity.sprite.y)
        }
        grain.add(to: image, number: number)
        patch.mix(into: frame, weights: full.image)
    }

    /// Draws the matte. The person is white, and everything else is black.
    func drawMatte(_ entity: SceneEntity?, on frame: FrameImage) {
        frame.fill(frame.bounds, color: .black)
        guard let entity, let sprite = sprite(entity.portrait) else { return }
        frame.cropped(to: entity.sprite).fill(sprite.matte.image, color: .white)
    }

    private func sprite(_ pose: Int) -> FigureSprite? {
        guard let figure else { return nil }
        if let sprite = sprites[pose] { return sprite }
        let sprite = FigureSprite(figure.portrait(pose), scale: figure.scale)
        sprites[pose] = sprite
        return sprite
    }

    /// Draws the wall, whose brightest point is at the upper left. The light decreases with the square of the distance
    /// from this point.
    private func paintGround() {
        let image = backdrop.image
        let (width, height) = (Double(image.width), Double(image.height))
        let (x, y) = (0.35 * width, 0.3 * height)
        let farthest = 0.65 * 0.65 * width * width + 0.7 * 0.7 * height * height
        let levels = [Self.wall.blue, Self.wall.green, Self.wall.red]
        for row in 0..<image.height {
            let (to, down) = (image.row(row), Double(row) + 0.5 - y)
            for column in 0..<image.width {
                let across = Double(column) + 0.5 - x
                let light = 1 - Self.falloff * (across * across + down * down) / farthest
                for i in 0..<3 { to[4 * column + i] = byte(light * levels[i]) }
                to[4 * column + 3] = 255
            }
        }
    }
}

/// A drawing of the person, with spill from the wall at the edges.
private struct FigureSprite {
    let stamp: Stamp
    /// Coverage of the pixels, as GRAY8.
    let matte: OwnedImage

    /// - Parameter scale: pixels per unit of the portrait (1/200 of its size).
    init(_ portrait: Portrait, scale: Double) {
        let placement = PortraitPlacement(of: portrait, scale: scale, tilt: 0)
        let (width, height) = placement.size(of: portrait)
        let picture = OwnedImage(.bgra, width: width, height: height)
        portrait.draw(on: picture.image, at: placement)
        matte = OwnedImage(.gray8, width: width, height: height)
        extractAlpha(from: picture.image, into: matte.image)
        Self.addSpill(to: picture.image, matte.image, reach: max(1, Int((9 * scale).rounded())))
        stamp = Stamp(premultiplied: picture.image)
    }

    /// Adds spill: mixes the colour of the wall into pixels near the edge of the person. The spill is 0 if the
    /// surroundings of a pixel contain no wall. It has its maximum if at least half of the surroundings is wall.
    /// - Parameters:
    ///   - picture: the drawing, with premultiplied alpha.
    ///   - reach: sigma of the Gaussian that weights the surroundings of a pixel, in pixels.
    private static func addSpill(to picture: Image, _ matte: Image, reach: Int) {
        let around = OwnedImage(.gray8, width: matte.width, height: matte.height)
        around.image.copy(from: matte)
        let frame = FrameImage(around.image)
        frame.blur(.rectangle(frame.bounds), radius: reach)
        let levels = [GreenScreen.wall.blue, GreenScreen.wall.green, GreenScreen.wall.red]
        for y in 0..<picture.height {
            let (row, near) = (picture.row(y), around.image.row(y))
            for x in 0..<picture.width where row[4 * x + 3] > 0 && near[x] < 255 {
                let share = GreenScreen.spill * min(1, 2 - Double(near[x]) / 127.5)
                let alpha = Double(row[4 * x + 3]) / 255
                for i in 0..<3 {
                    let level = Double(row[4 * x + i])
                    row[4 * x + i] = byte(level + share * (alpha * levels[i] - level))
                }
            }
        }
    }
}
