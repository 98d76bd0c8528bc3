import CGStreamer
import Glibc
import Imaging

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
    /// Format, BGRA or I420.
    var format: String
    var size: FrameSize

    func footage() throws -> Footage {
        let person = try Person()
        let layout = try FrameLayout(format, size)
        let (picture, converter) = (Picture(size: size, count: 8, seed: 1), Converter(size))
        var footage = Footage(byteCount: layout.byteCount, count: picture.count) {
            converter.write(picture, $0, to: layout.image($1))
        }
        footage.draw = { number, frame in
            for index in 0..<count {
                let corner = corner(of: index, person.scene, number)
                person.draw(
                    on: layout.image(frame), x: corner.x, y: corner.y, shade: change == .lit ? 12 * step(number) : 0)
            }
        }
        let (box, landmarks) = (person.actor.rectangle, person.actor.landmarksParameter)
        footage.mark = { number, buffer in
            for index in 0..<count {
                let corner = corner(of: index, person.scene, number)
                buffer.markFace(
                    x: corner.x + box.x, y: corner.y + box.y, size: box.width, id: index + 1, landmarks: landmarks)
            }
        }
        return footage
    }

    /// Number of frames from one end of a face's way to the other.
    private static let steps = 12

    /// Returns the number of steps of its way that a face has gone.
    private func step(_ number: Int) -> Int {
        let step = number % (2 * Self.steps)
        return min(step, 2 * Self.steps - step)
    }

    /// Returns the origin of the scene of a face: in up to four columns, evenly over the frame.
    private func corner(of index: Int, _ scene: FrameSize, _ number: Int) -> (x: Int, y: Int) {
        func place(_ index: Int, of count: Int, room: Int) -> Int {
            count > 1 ? room * index / (count - 1) : room / 2
        }
        let columns = min(4, count)
        let rows = (count + columns - 1) / columns
        let x = place(index % columns, of: columns, room: size.width - scene.width - 4 * Self.steps)
        let y = place(index / columns, of: rows, room: size.height - scene.height - 3 * Self.steps)
        let step = change == .still ? 0 : step(number)
        return (x + 4 * step, y + 3 * step)
    }
}

/// A person whose face has the required size, in the smallest scene in which it does.
private struct Person {
    /// Seed of a person whose face fills its scene well.
    private static let seed: UInt64 = 38

    let scene: FrameSize
    let actor: SceneEntity
    private let artist: ScenePainter

    init() throws {
        for width in 300...480 {
            let size = FrameSize(width: width, height: width * 9 / 8)
            let scene = Scene(.faces, count: 1, seed: Self.seed, speed: 0, width: size.width, height: size.height)
            let actor = scene.entities(at: 0).first { $0.rectangle.width == MarkedStream.faceSize }
            guard let actor else { continue }
            self.scene = size
            self.actor = actor
            artist = ScenePainter(scene)
            return
        }
        throw Failure("nobody has a face of \(MarkedStream.faceSize) pixels")
    }

    /// - Parameters:
    ///   - x: the left edge of the scene in the frame, which has room for all of it.
    ///   - shade: the darkness of the face, 0…255.
    func draw(on frame: FrameImage, x: Int, y: Int, shade: Int) {
        let part = frame.cropped(to: Rectangle(x: x, y: y, width: scene.width, height: scene.height))
        artist.draw(on: part, at: 0)
        if shade > 0 { part.fill(actor.rectangle, color: .black.with(opacity: Double(shade) / 255)) }
    }
}

extension SceneEntity {
    /// Parameter `landmarks` of a region, as described in docs/metadata.md.
    fileprivate var landmarksParameter: String {
        let points = [
            ("left_eye", landmarks.leftEye), ("right_eye", landmarks.rightEye), ("nose", landmarks.nose),
            ("mouth_left", landmarks.mouthLeft), ("mouth_right", landmarks.mouthRight),
        ]
        let fields = points.map { name, point in
            let x = (point.x - Double(rectangle.x)) / Double(rectangle.width)
            let y = (point.y - Double(rectangle.y)) / Double(rectangle.height)
            return "\(name)_x=(double)\(x), \(name)_y=(double)\(y)"
        }
        return "landmarks, " + fields.joined(separator: ", ")
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    fileprivate func markFace(x: Int, y: Int, size: Int, id: Int, landmarks: String) {
        let meta = gst_buffer_add_video_region_of_interest_meta(
            self, "face", guint(x), guint(y), guint(size), guint(size))
        guard let meta else { return }
        meta.pointee.id = gint(id)
        gst_video_region_of_interest_meta_add_param(meta, gst_structure_from_string(landmarks, nil))
    }
}
