import CGStreamer
import Glibc
import Pixels

/// Drawn faces over waves of colour, marked on the buffers as a detector marks them.
struct MarkedStream: Codable {
    /// How wide a face is, in pixels.
    static let faceSize = 200

    enum Change: String, Codable {
        case still
        /// The faces move by 5 pixels a frame, to and fro.
        case moving
        /// They move, and the light on them changes all the time.
        case lit
    }

    var count: Int
    var change: Change
    /// BGRA or I420.
    var format: String
    var size: FrameSize

    var caps: String {
        "video/x-raw,format=\(format),width=\(size.width),height=\(size.height),"
            + "framerate=\(StreamTask.framesPerSecond)/1,pixel-aspect-ratio=1/1"
    }

    func footage() throws -> Footage {
        let person = try Person()
        let (picture, converter) = (Picture(size: size, count: 8, seed: 1), Converter(size))
        var footage = Footage(byteCount: isPlanar ? size.byteCount * 3 / 8 : size.byteCount, count: picture.count) {
            converter.write(picture, $0, to: image($1))
        }
        footage.draw = { number, frame in
            for index in 0..<count {
                let corner = corner(of: index, person.scene, number)
                person.draw(on: image(frame), x: corner.x, y: corner.y, shade: change == .lit ? 12 * step(number) : 0)
            }
        }
        let landmarks = try Landmarks(person.actor)
        footage.mark = { number, buffer in
            for index in 0..<count {
                let corner = corner(of: index, person.scene, number)
                buffer.markFace(
                    person.actor.rectangle.moved(x: corner.x, y: corner.y), id: index + 1, landmarks)
            }
        }
        return footage
    }

    private var isPlanar: Bool { format == "I420" }

    /// A frame as GStreamer lays it out; widths are multiples of 8, and heights of 2.
    private func image(_ frame: UnsafeMutableRawPointer) -> FrameImage {
        let (width, height) = (size.width, size.height)
        guard isPlanar else {
            return FrameImage(
                Image(base: frame, width: width, height: height, stride: 4 * width, format: .bgra))
        }
        let chroma = frame + width * height
        let planes = [
            FrameImage.Plane(base: frame, stride: width), FrameImage.Plane(base: chroma, stride: width / 2),
            FrameImage.Plane(base: chroma + width * height / 4, stride: width / 2),
        ]
        return FrameImage(.i420, width: width, height: height, planes: planes)
    }

    /// From one end of a face's way to the other.
    private static let steps = 12

    /// How many steps of its way a face has gone.
    private func step(_ number: Int) -> Int {
        let step = number % (2 * Self.steps)
        return min(step, 2 * Self.steps - step)
    }

    /// Where the scene of a face begins: in up to four columns, evenly over the frame.
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

/// Somebody whose face has the size wanted, in the smallest scene where it has.
private struct Person {
    /// One whose face fills its scene well.
    private static let seed: UInt64 = 38

    let scene: FrameSize
    let actor: Actor
    private let artist: SceneArtist

    init() throws {
        for width in 300...480 {
            let size = FrameSize(width: width, height: width * 9 / 8)
            let scene = Scene(.faces, count: 1, seed: Self.seed, speed: 0, width: size.width, height: size.height)
            let actor = scene.actors(at: 0).first { $0.rectangle.width == MarkedStream.faceSize }
            guard let actor else { continue }
            self.scene = size
            self.actor = actor
            artist = SceneArtist(scene)
            return
        }
        throw Failure("nobody has a face of \(MarkedStream.faceSize) pixels")
    }

    /// - Parameters:
    ///   - x: where the scene begins in the frame, which has room for all of it.
    ///   - shade: how dark the face is, 0…255.
    func draw(on frame: FrameImage, x: Int, y: Int, shade: Int) {
        let part = frame.cropped(to: Rectangle(x: x, y: y, width: scene.width, height: scene.height))
        artist.draw(on: part, at: 0)
        if shade > 0 { part.fill(actor.rectangle, color: UInt32(clamping: shade) << 24) }
    }
}

/// Writes pictures of four bytes a pixel as frames of any format.
private struct Converter {
    private let patch = FramePatch()
    private let weights: OwnedImage

    init(_ size: FrameSize) {
        weights = OwnedImage(.gray8, width: size.width, height: size.height)
        fill(weights.image, color: .max)
    }

    func write(_ picture: Picture, _ index: Int, to frame: FrameImage) {
        patch.read(frame, frame.bounds)
        for y in 0..<patch.image.height { picture.writeRow(y, of: index, to: patch.image.row(y)) }
        patch.mix(into: frame, weights: weights.image)
    }
}

/// The parameter `landmarks` of a region, as docs/metadata.md has it.
private final class Landmarks {
    let structure: UnsafeMutablePointer<GstStructure>

    init(_ actor: Actor) throws {
        let points = [
            ("left_eye", actor.leftEye), ("right_eye", actor.rightEye), ("nose", actor.nose),
            ("mouth_left", actor.mouthLeft), ("mouth_right", actor.mouthRight),
        ]
        let box = actor.rectangle
        let fields = points.map { name, point in
            let x = (point.x - Double(box.x)) / Double(box.width)
            let y = (point.y - Double(box.y)) / Double(box.height)
            return "\(name)_x=(double)\(x), \(name)_y=(double)\(y)"
        }
        let text = "landmarks, " + fields.joined(separator: ", ")
        guard let structure = gst_structure_from_string(text, nil) else { throw Failure("not a structure: \(text)") }
        self.structure = structure
    }

    deinit { gst_structure_free(structure) }
}

extension UnsafeMutablePointer<GstBuffer> {
    fileprivate func markFace(_ box: Rectangle, id: Int, _ landmarks: Landmarks) {
        let meta = gst_buffer_add_video_region_of_interest_meta(
            self, "face", guint(box.x), guint(box.y), guint(box.width), guint(box.height))
        guard let meta else { return }
        meta.pointee.id = gint(id)
        gst_video_region_of_interest_meta_add_param(meta, gst_structure_copy(landmarks.structure))
    }
}

extension Rectangle {
    fileprivate func moved(x: Int, y: Int) -> Rectangle {
        Rectangle(x: self.x + x, y: self.y + y, width: width, height: height)
    }
}
