// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Imaging
import Scenes

/// `svtestscene` draws a moving scene over the stream, and attaches the ground truth to each buffer.
///
///     gst-launch-1.0 videotestsrc ! svtestscene scene=both ! videoconvert ! autovideosink
final class TestScene: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svtestscene", longName: "Test Scene", category: .effect,
        description:
            "Draws moving faces, things, people or a logo over the video, with ground truth as metadata")
    static let formats = FrameFormat.all

    private let host: Host<Settings>

    struct State {
        var stream: VideoFormat?
        /// The stream time of the current frame, in seconds. `prepare` sets this value for `transform`.
        var time = 0.0
        var scene: RunningScene?
    }

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings) throws -> State {
        if let folder = settings.trainingLocation {
            try SceneObject.writeTraining(
                of: settings.scene == .things ? SceneObject.things : SceneObject.coins, to: folder)
        }
        return State()
    }

    func configure(_ state: inout State, for video: VideoFormat) { state.stream = video }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        guard let stream = state.stream else { return .passThrough }
        state.time = frame.time.position.seconds
        let configuration = RunningScene.Configuration(settings, stream.shape)
        if configuration != state.scene?.configuration {
            let scene = RunningScene(configuration)
            if scene.ids.count < settings.count, settings.scene != .matte,
                !settings.scene.isBackdrop || scene.ids.isEmpty
            {
                host.log(
                    .info,
                    "a frame of \(stream.size.width)x\(stream.size.height) has room for only \(scene.ids.count) "
                        + "objects")
            }
            state.scene = scene
        }
        return state.scene?.ids.isEmpty == false || settings.scene.isBackdrop ? .transform : .passThrough
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) {
        guard let scene = state.scene else { return }
        frame.attach(scene.draw(on: frame.pixels, at: state.time, light: settings.light))
        frame.setChanged()
    }
}

/// A scene with its settings, the ids of its entities (such as people and objects), and its painter.
struct RunningScene {
    /// The settings that determine a scene.
    struct Configuration: Equatable {
        let kind: Scene.Kind
        let count: UInt32
        let seed: UInt32
        let speed: Double
        let shape: FrameShape

        init(_ settings: TestScene.Settings, _ shape: FrameShape) {
            kind = settings.scene
            count = settings.count
            seed = settings.seed
            speed = settings.speed
            self.shape = shape
        }
    }

    let configuration: Configuration
    /// The id of each entity, such as a person or an object. The ids do not change during the scene.
    let ids: [Int32]
    private let painter: ScenePainter
    /// The canvas for frames with non-square pixels; nil if the pixels are square.
    private let canvas: SceneCanvas?

    init(_ configuration: Configuration) {
        self.configuration = configuration
        let size = configuration.shape.squared
        let scene = Scene(
            configuration.kind, count: Int(configuration.count), seed: UInt64(configuration.seed),
            speed: configuration.speed, width: size.width, height: size.height)
        ids = scene.entities(at: 0).map { _ in Detection.newID() }
        painter = ScenePainter(scene)
        canvas =
            size == configuration.shape.size ? nil : SceneCanvas(painter, width: size.width, height: size.height)
    }

    /// Draws the scene onto the frame.
    /// - Parameter time: the stream time, in seconds.
    /// - Returns: the ground truth: all objects in the frame.
    func draw(on frame: FrameImage, at time: Double, light: SceneLight) -> [Detection] {
        let entities =
            canvas?.draw(on: frame, at: time, light: light) ?? painter.draw(on: frame, at: time, light: light)
        return zip(ids, entities).map { Detection(truth: $1, id: $0) }
    }
}

extension Detection {
    fileprivate init(truth entity: SceneEntity, id: Int32) {
        let type: Kind =
            switch entity.kind {
            case .human: .face
            case .cat: .catFace
            case .object: .blob
            case .logo: .logo
            case .walker: "person"
            case .walkingCat: "cat"
            }
        self.init(type: type.truth, id: id, box: entity.rectangle, confidence: 1)
        if let object = entity.object {
            label = object.label
            labelID = Int32(object.number)
        } else if entity.kind == .human || entity.kind == .cat {
            landmarks = entity.landmarks
            if let person = entity.person {
                classifications = [
                    Classification(
                        name: "person", label: person.name, labelID: Int32(person.number), confidence: 1)
                ]
            }
        }
    }
}
