// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
package import Imaging

/// Draws a scene. Each entity is painted once, then only stamped.
package final class ScenePainter {
    package let scene: Scene
    /// Sprites of each path, as far as they have been shown.
    private var sprites: [[Int: Sprite]]

    package init(_ scene: Scene) {
        self.scene = scene
        sprites = scene.paths.map { _ in [:] }
    }

    /// Draws the scene on a frame of any format.
    /// - Parameter time: in seconds.
    /// - Returns: who is where.
    @discardableResult
    package func draw(on frame: FrameImage, at time: Double) -> [SceneEntity] {
        let entities = scene.entities(at: time)
        if scene.kind == .coins { Paper.draw(on: frame) }
        scene.backdrop?.draw(on: frame)
        scene.logo?.draw(on: frame, at: time.isFinite ? time : 0)
        // The logo has already been drawn.
        for (index, entity) in entities.enumerated() where sprites.indices.contains(index) {
            sprite(index, entity.portrait).draw(on: frame, x: entity.sprite.x, y: entity.sprite.y)
        }
        return entities
    }

    private func sprite(_ index: Int, _ portrait: Int) -> Sprite {
        if let sprite = sprites[index][portrait] { return sprite }
        let path = scene.paths[index]
        let sprite = Sprite(path.portraits[portrait], scale: path.placement.scale, tilt: path.placement.tilt)
        sprites[index][portrait] = sprite
        return sprite
    }
}

/// A portrait that was painted, with its shadow if it lies on paper.
struct Sprite {
    let width: Int
    let height: Int
    private let picture: Stamp
    private let shadow: (stamp: Stamp, shift: Int)?

    /// - Parameter scale: pixels to a unit.
    init(_ portrait: Portrait, scale: Double, tilt: Double) {
        let placement = PortraitPlacement(of: portrait, scale: scale, tilt: tilt)
        (width, height) = placement.size(of: portrait)
        let picture = OwnedImage(.bgra, width: width, height: height)
        portrait.draw(on: picture.image, at: placement)
        self.picture = Stamp(premultiplied: picture.image)
        shadow = portrait.square == nil ? Self.shadow(of: portrait, at: placement, width, height) : nil
    }

    /// Draws it with its top left corner at a pixel.
    func draw(on frame: FrameImage, x: Int, y: Int) {
        if let shadow { shadow.stamp.draw(on: frame, x: x - shadow.shift, y: y - shadow.shift) }
        picture.draw(on: frame, x: x, y: y)
    }

    /// A soft shadow, a little to the lower right, since the light comes from the upper left.
    private static func shadow(
        of portrait: Portrait, at placement: PortraitPlacement, _ width: Int, _ height: Int
    ) -> (Stamp, Int) {
        let (softness, distance) = (6 * placement.scale, 7 * placement.scale)
        let margin = Int((3 * softness + distance).rounded(.up)) + 1
        let image = OwnedImage(.bgra, width: width + 2 * margin, height: height + 2 * margin)
        let center = placement.moved(x: Double(margin) + distance, y: Double(margin) + distance)
            .pixel(portrait.ground.center)
        let mask = Mask(
            ellipse: center, halfAxes: placement.scaled(portrait.ground.halfAxes), angle: placement.tilt,
            softness: softness, clip: image.image.bounds)
        fill(image.image, color: 0)
        for y in 0..<image.image.height {
            let row = image.image.row(y)
            for x in 0..<image.image.width { row[4 * x + 3] = mask[x, y] / 3 }
        }
        return (Stamp(premultiplied: image.image), margin)
    }
}
