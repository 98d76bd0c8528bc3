import CGStreamer
import Pixels

/// What to do with a frame.
package enum FrameHandling: Sendable {
    /// The frame goes on as it is: not mapped, not copied, not touched.
    case passThrough
    /// The frame is given to `transform` for reading, and metadata can be put on it. Its pixels are not copied, even
    /// when somebody else holds them too.
    case read
    /// The frame is made writable and given to `transform`.
    case transform
}

/// An element that looks at the picture, or changes it in place, frame by frame (over GstVideoFilter).
///
/// The callbacks below run on the streaming thread, or while it stands still; they alone see `State`.
package protocol VideoFilter: Element {
    associatedtype State

    /// The formats it works on, best first; both pads have the same caps.
    static var formats: [FrameFormat] { get }

    /// The element leaves READY: load what the settings name. An error stops the pipeline.
    func start(_ settings: Settings) throws -> State

    /// New caps. Frames look like this from now on.
    func configure(_ state: inout State, for video: VideoFormat) throws

    /// Before each frame: decides whether the frame is touched at all.
    /// - Parameter frame: for reading.
    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) throws -> FrameHandling

    /// Changes the picture, after `prepare` returned `.transform`, or reads it, after `.read`; with the same settings.
    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws

    /// After a flush or at a new segment: what was kept of earlier frames is stale.
    func discontinuity(_ state: inout State)

    /// The element goes back to READY.
    func stop(_ state: inout State)
}

extension VideoFilter {
    package func configure(_ state: inout State, for video: VideoFormat) throws {}
    package func prepare(
        _ state: inout State, _ settings: Settings, frame: borrowing InputFrame
    ) throws -> FrameHandling { .transform }
    package func discontinuity(_ state: inout State) {}
    package func stop(_ state: inout State) {}
}

extension VideoFilter where State == Void {
    package func start(_ settings: Settings) throws {}
}
