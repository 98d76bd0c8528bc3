/// Draws a scene. Each actor is painted once, then only stamped.
package final class SceneArtist {
    package let scene: Scene
    private lazy var stamps = scene.roles.map(Self.stamp)

    package init(_ scene: Scene) { self.scene = scene }

    /// Draws the scene on a frame of any format.
    /// - Parameter time: in seconds.
    /// - Returns: who is where.
    @discardableResult
    package func draw(on frame: FrameImage, at time: Double) -> [Actor] {
        let actors = scene.actors(at: time)
        for (stamp, actor) in zip(stamps, actors) { stamp.draw(on: frame, x: actor.sprite.x, y: actor.sprite.y) }
        return actors
    }

    private static func stamp(_ role: Role) -> Stamp {
        let size = 4 * role.width * role.height
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, size), alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        let picture = Image(
            base: memory, width: role.width, height: role.height, stride: 4 * role.width, format: .bgra)
        role.portrait.draw(on: picture, at: role.placement)
        return Stamp(premultiplied: picture)
    }
}
