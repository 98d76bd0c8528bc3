// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// Treatment of a frame.
package enum FrameHandling: Sendable {
    /// The frame goes on as it is: not mapped, not copied, not touched.
    case passThrough
    /// The frame is given to `transform` for reading, and metadata can be put on it. Its pixels are not copied, even if
    /// somebody else holds them too.
    case read
    /// The frame is made writable and given to `transform`.
    case transform
}

/// An element that looks at the picture, or changes it in place, frame by frame (over GstVideoFilter).
///
/// The callbacks below run on the streaming thread, or while it is not running; only they see `State`.
package protocol VideoFilter: Element {
    associatedtype State

    /// Formats the filter works on, best first; both pads have the same caps. All of them, unless it says otherwise.
    static var formats: [FrameFormat] { get }

    /// Loads what the settings name; called when the element leaves READY. An error stops the pipeline.
    func start(_ settings: Settings) throws -> State

    /// Adapts to new caps, which describe all frames from now on.
    func configure(_ state: inout State, for video: VideoFormat) throws

    /// Decides before each frame whether it is touched at all.
    /// - Parameter frame: for reading.
    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) throws -> FrameHandling

    /// Changes the picture, if `prepare` returned `.transform`, or reads it, after `.read`; with the same settings.
    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws

    /// Discards what was kept of earlier frames; called after a flush or at a new segment.
    func discontinuity(_ state: inout State)

    /// Reports what is only known once all frames have come; called before the end of the stream goes on.
    func endOfStream(_ state: inout State)

    /// Releases what `start` loaded; called when the element goes back to READY.
    func stop(_ state: inout State)
}

extension VideoFilter {
    package static var formats: [FrameFormat] { FrameFormat.all }
    package func configure(_ state: inout State, for video: VideoFormat) throws {}
    package func prepare(
        _ state: inout State, _ settings: Settings, frame: borrowing InputFrame
    ) throws -> FrameHandling { .transform }
    package func discontinuity(_ state: inout State) {}
    package func endOfStream(_ state: inout State) {}
    package func stop(_ state: inout State) {}
}

extension VideoFilter where State == Void {
    package func start(_ settings: Settings) throws {}
}
