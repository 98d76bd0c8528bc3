import ElementKit
import Imaging
import Scenes

/// `svtestscene` draws a moving scene over the stream and attaches to each buffer what can be found in it.
///
///     gst-launch-1.0 videotestsrc ! svtestscene scene=both ! videoconvert ! autovideosink
final class TestScene: VideoFilter {
    static let metadata = ElementMetadata(
        name: "svtestscene", longName: "Test scene", category: .effect,
        description: "Draws moving faces, coins and beans, or a logo, over the stream, with the truth as metadata")
    static let formats = FrameFormat.all

    private let host: Host<Settings>

    struct State {
        var stream: VideoFormat?
        var clock = SceneClock()
        /// The time in seconds of the frame between `prepare` and `transform`.
        var time = 0.0
        var cast: Cast?
    }

    init(host: Host<Settings>) { self.host = host }

    func start(_ settings: Settings) throws -> State {
        if let folder = settings.trainingLocation { try Trinket.writeTraining(to: folder) }
        return State()
    }

    func configure(_ state: inout State, for video: VideoFormat) { state.stream = video }

    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) -> FrameHandling {
        guard let stream = state.stream else { return .passThrough }
        state.time = state.clock.time(of: frame.time, rate: stream.frameRate)
        let recipe = Cast.Recipe(settings, stream.size)
        if recipe != state.cast?.recipe {
            let cast = Cast(recipe)
            if cast.ids.count < settings.count, settings.scene != .logo || cast.ids.isEmpty {
                host.log(
                    .info,
                    "a frame of \(stream.size.width)x\(stream.size.height) has room for \(cast.ids.count) actors")
            }
            state.cast = cast
        }
        return state.cast?.ids.isEmpty == false || settings.scene == .logo ? .transform : .passThrough
    }

    func transform(_ state: inout State, _ settings: Settings, frame: Frame) {
        guard let cast = state.cast else { return }
        frame.attach(cast.draw(on: frame.pixels, at: state.time))
        frame.setChanged()
    }

    func discontinuity(_ state: inout State) { state.clock = SceneClock() }
}

/// The actors of one scene.
struct Cast {
    /// The settings that a scene follows from.
    struct Recipe: Equatable {
        let kind: Scene.Kind
        let count: UInt32
        let seed: UInt32
        let speed: Double
        let size: PixelSize

        init(_ settings: TestScene.Settings, _ size: PixelSize) {
            kind = settings.scene
            count = settings.count
            seed = settings.seed
            speed = settings.speed
            self.size = size
        }
    }

    let recipe: Recipe
    /// The number of each actor, the same as long as this scene plays.
    let ids: [Int32]
    private let artist: SceneArtist

    init(_ recipe: Recipe) {
        self.recipe = recipe
        let scene = Scene(
            recipe.kind, count: Int(recipe.count), seed: UInt64(recipe.seed), speed: recipe.speed,
            width: recipe.size.width, height: recipe.size.height)
        ids = scene.actors(at: 0).map { _ in Detection.newID() }
        artist = SceneArtist(scene)
    }

    /// - Parameter time: in seconds.
    /// - Returns: the objects in the frame.
    func draw(on frame: FrameImage, at time: Double) -> [Detection] {
        zip(ids, artist.draw(on: frame, at: time)).map { Detection(truth: $1, id: $0) }
    }
}

extension Detection {
    fileprivate init(truth actor: Actor, id: Int32) {
        let type: Kind =
            switch actor.kind {
            case .human: .face
            case .cat: .catFace
            case .trinket: .blob
            case .logo: .logo
            }
        self.init(type: type.truth, id: id, box: actor.rectangle, confidence: 1)
        if let trinket = actor.trinket {
            label = trinket.label
            labelID = Int32(trinket.number)
        } else if actor.kind != .logo {
            landmarks = actor.landmarks
            if let person = actor.person {
                classifications = [
                    Classification(
                        name: "person", label: person.name, labelID: Int32(person.number), confidence: 1)
                ]
            }
        }
    }
}

/// Determines each frame's time in the scene.
struct SceneClock {
    /// The time in seconds of the last frame that had one.
    private var start = 0.0
    /// The number of frames since then; nil before the first.
    private var count: Int?

    /// Returns the stream time in seconds. A frame without a time comes one frame duration after the previous one.
    /// - Parameter rate: frames a second; 30 if it is not known.
    mutating func time(of frame: FrameTime, rate: Double?) -> Double {
        if let time = frame.streamTime ?? frame.timestamp {
            start = time.seconds
            count = 0
        } else {
            count = count.map { $0 &+ 1 } ?? 0
        }
        return start + Double(count ?? 0) / (rate ?? 30)
    }
}
