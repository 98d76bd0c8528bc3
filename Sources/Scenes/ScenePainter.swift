// SPDX-License-Identifier: LGPL-2.1-or-later
internal import Drawing
package import Imaging

/// Draws a scene. The painter draws each portrait once into a sprite, and reuses the sprite.
package final class ScenePainter {
    package let scene: Scene
    /// For each entity path, the sprites of its portraits. The painter creates a sprite when the sprite is first
    /// needed.
    private var sprites: [[Int: Sprite]]
    private let shadows = CastShadows()
    private let falling = FallingLight()
    private let screen: GreenScreen

    package init(_ scene: Scene) {
        self.scene = scene
        sprites = scene.paths.map { _ in [:] }
        screen = GreenScreen(scene.presenter)
    }

    /// Draws the scene on a frame of any format.
    /// - Parameters:
    ///   - time: in seconds.
    ///   - light: the light for scenes on paper. Other scenes ignore this parameter.
    /// - Returns: the entities with their positions.
    @discardableResult
    package func draw(on frame: FrameImage, at time: Double, light: SceneLight = SceneLight()) -> [SceneEntity] {
        let entities = scene.entities(at: time)
        if scene.kind.isOnPaper { Paper.draw(on: frame) }
        scene.backdrop?.draw(on: frame)
        scene.logo?.draw(on: frame, at: time.isFinite ? time : 0)
        if scene.kind == .green {
            let moment = time.isFinite ? scene.speed * time : 0
            screen.draw(entities.first, on: frame, grain: moment.bitPattern)
        }
        if scene.kind == .matte { screen.drawMatte(scene.figure(at: time), on: frame) }
        if scene.kind == .walkers { Floor.draw(scene.walkers, on: frame, at: time.isFinite ? time : 0) }
        // Draw the sprites of all entities that have sprites. The logo, the walkers and the person in front of the wall
        // have no sprites, because they are already drawn.
        let shown = entities.enumerated().filter { sprites.indices.contains($0.offset) }
            .map { ($0.element, sprite($0.offset, $0.element.portrait)) }
        let isHard = scene.kind.isOnPaper && light.shadow > 0
        if isHard {
            let (sine, cosine) = sineAndCosine(degrees: light.angle)
            let silhouettes = shown.map { entity, sprite in
                let length = light.shadow * Double(max(entity.rectangle.width, entity.rectangle.height))
                return (
                    levels: sprite.silhouette.image, x: entity.sprite.x + floored(length * cosine + 0.5),
                    y: entity.sprite.y + floored(length * sine + 0.5)
                )
            }
            shadows.draw(silhouettes, on: frame)
        }
        for (entity, sprite) in shown {
            sprite.draw(on: frame, x: entity.sprite.x, y: entity.sprite.y, hasShadow: !isHard)
        }
        if scene.kind.isOnPaper { falling.draw(light, on: frame) }
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

/// A drawn portrait. Objects on paper have a soft shadow.
struct Sprite {
    let width: Int
    let height: Int
    /// Coverage of the pixels as GRAY8. The image is empty unless the portrait is an object on paper.
    let silhouette: OwnedImage
    private let picture: Stamp
    private let shadow: (stamp: Stamp, shift: Int)?

    /// - Parameter scale: pixels per unit of the portrait (1/200 of its size).
    init(_ portrait: Portrait, scale: Double, tilt: Double) {
        let placement = PortraitPlacement(of: portrait, scale: scale, tilt: tilt)
        (width, height) = placement.size(of: portrait)
        let picture = OwnedImage(.bgra, width: width, height: height)
        portrait.draw(on: picture.image, at: placement)
        self.picture = Stamp(premultiplied: picture.image)
        let isOnPaper = portrait.square == nil
        silhouette = OwnedImage(.gray8, width: isOnPaper ? width : 0, height: height)
        extractAlpha(from: picture.image, into: silhouette.image)
        shadow = isOnPaper ? Self.shadow(of: portrait, at: placement, silhouette.image) : nil
    }

    /// Draws the sprite with its top left corner at (x, y).
    func draw(on frame: FrameImage, x: Int, y: Int, hasShadow: Bool = true) {
        if let shadow, hasShadow { shadow.stamp.draw(on: frame, x: x - shadow.shift, y: y - shadow.shift) }
        picture.draw(on: frame, x: x, y: y)
    }

    /// Returns a soft shadow with a small offset to the lower right. The light comes from the upper left.
    private static func shadow(
        of portrait: Portrait, at placement: PortraitPlacement, _ silhouette: Image
    ) -> (Stamp, Int) {
        let (softness, distance) = (6 * placement.scale, 7 * placement.scale)
        let margin = Int((3 * softness + distance).rounded(.up)) + 1
        let image = OwnedImage(.bgra, width: silhouette.width + 2 * margin, height: silhouette.height + 2 * margin)
        fill(image.image, color: 0)
        guard let background = portrait.background else {
            let begin = margin + Int(distance.rounded())
            let part = image.image.cropped(
                to: Rectangle(x: begin, y: begin, width: silhouette.width, height: silhouette.height))
            setAlpha(of: part, to: silhouette)
            let frame = FrameImage(image.image)
            frame.blur(.rectangle(frame.bounds), radius: Int(softness.rounded()))
            forEachAlpha(of: image.image) { _, _, alpha in alpha / 3 }
            return (Stamp(premultiplied: image.image), margin)
        }
        let center = placement.moved(x: Double(margin) + distance, y: Double(margin) + distance)
            .pixel(background.center)
        let mask = Mask(
            ellipse: center, halfAxes: placement.scaled(background.halfAxes), angle: placement.tilt,
            softness: softness, clip: image.image.bounds)
        forEachAlpha(of: image.image) { x, y, _ in mask[x, y] / 3 }
        return (Stamp(premultiplied: image.image), margin)
    }

    private static func forEachAlpha(of image: Image, _ body: (_ x: Int, _ y: Int, _ alpha: UInt8) -> UInt8) {
        for y in 0..<image.height {
            let row = image.row(y)
            for x in 0..<image.width { row[4 * x + 3] = body(x, y, row[4 * x + 3]) }
        }
    }
}
