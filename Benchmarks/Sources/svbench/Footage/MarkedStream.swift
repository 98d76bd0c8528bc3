// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Drawing
import Imaging
import Scenes

/// Drawn faces over waves of colour, marked on the buffers as a detector marks them.
struct MarkedStream: Codable, Hashable {
    /// Width of a face, in pixels.
    static let faceSize = 200

    enum Change: String, Codable {
        case still
        /// The faces move by 5 pixels a frame, to and fro.
        case moving
        /// The faces move, and the light on them changes all the time.
        case lit
    }

    var count: Int
    var change: Change

    /// - Parameter layout: BGRA or I420, with room for the faces.
    func footage(_ layout: FrameLayout) throws -> Footage {
        // The smallest scene in which the one face has the required size. With this seed it fills its scene well.
        let scenes = (300...480).lazy.map { width in
            let size = FrameSize(width: width, height: width * 9 / 8)
            return (size, Scene(.faces, count: 1, seed: 38, speed: 0, width: width, height: size.height))
        }
        guard let (size, scene) = scenes.first(where: { $1.entities(at: 0).first?.rectangle.width == Self.faceSize }),
            let entity = scene.entities(at: 0).first
        else { throw Failure("nobody has a face of \(Self.faceSize) pixels") }
        let (painter, face, landmarks) = (ScenePainter(scene), entity.rectangle, Self.landmarks(of: entity))
        return Footage(Picture(size: layout.size, count: 8, seed: 1), as: layout) { number, frame, buffer in
            for index in 0..<count {
                let (x, y) = corner(of: index, size, in: layout.size, number)
                let place = Rectangle(x: x, y: y, width: size.width, height: size.height)
                let part = layout.image(frame).cropped(to: place)
                painter.draw(on: part, at: 0)
                if change == .lit { part.fill(face, color: Color(argb: UInt32(clamping: 12 * step(number)) << 24)) }
                let (left, top, width) = (guint(clamping: x + face.x), guint(clamping: y + face.y), guint(face.width))
                let meta = gst_buffer_add_video_region_of_interest_meta(buffer, "face", left, top, width, width)
                meta?.pointee.id = gint(index + 1)
                gst_video_region_of_interest_meta_add_param(meta, gst_structure_from_string(landmarks, nil))
            }
        }
    }

    /// Number of frames from one end of a face's way to the other.
    private static let steps = 12

    /// Returns the number of steps of its way that a face has gone.
    private func step(_ number: Int) -> Int {
        let step = number % (2 * Self.steps)
        return min(step, 2 * Self.steps - step)
    }

    /// Returns the origin of the scene of a face: in up to four columns, evenly over the frame.
    private func corner(of index: Int, _ scene: FrameSize, in frame: FrameSize, _ number: Int) -> (x: Int, y: Int) {
        func place(_ index: Int, of count: Int, room: Int) -> Int {
            count > 1 ? room * index / (count - 1) : room / 2
        }
        let columns = min(4, count)
        let rows = (count + columns - 1) / columns
        let x = place(index % columns, of: columns, room: frame.width - scene.width - 4 * Self.steps)
        let y = place(index / columns, of: rows, room: frame.height - scene.height - 3 * Self.steps)
        let step = change == .still ? 0 : step(number)
        return (x + 4 * step, y + 3 * step)
    }

    /// Returns the parameter `landmarks` of a region, as described in docs/metadata.md.
    private static func landmarks(of entity: SceneEntity) -> String {
        let (points, box) = (entity.landmarks, entity.rectangle)
        let fields = [
            ("left_eye", points.leftEye), ("right_eye", points.rightEye), ("nose", points.nose),
            ("mouth_left", points.mouthLeft), ("mouth_right", points.mouthRight),
        ].map { name, point in
            let (x, y) = (point.x - Double(box.x), point.y - Double(box.y))
            return ", \(name)_x=(double)\(x / Double(box.width)), \(name)_y=(double)\(y / Double(box.height))"
        }
        return "landmarks" + fields.joined()
    }
}
