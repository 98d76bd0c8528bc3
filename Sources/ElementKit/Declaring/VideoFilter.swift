// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Imaging

/// The access to a frame that `prepare` requests.
package enum FrameHandling: Sendable {
    /// The frame passes through without mapping, copying or changes.
    case passThrough
    /// `transform` gets the frame for reading, and may add metadata. The pixels are not copied, even if the buffer is
    /// shared.
    case read
    /// `transform` gets the frame for writing. A shared buffer is copied first.
    case transform
}

/// An element that analyses or changes video frames in place (based on GstVideoFilter).
///
/// The callbacks run on the streaming thread, or while that thread is not running. Only the callbacks can use `State`.
package protocol VideoFilter: Element {
    associatedtype State

    /// The supported formats, best first. Both pads have the same caps. The default is all formats.
    static var formats: [FrameFormat] { get }

    /// Loads the files in the settings. Called when the element leaves READY. An error stops the pipeline.
    func start(_ settings: Settings) throws -> State

    /// Adapts to new caps. The caps apply to all following frames.
    func configure(_ state: inout State, for video: VideoFormat) throws

    /// Decides how to handle the frame. Called before each frame.
    /// - Parameter frame: the frame, for reading.
    func prepare(_ state: inout State, _ settings: Settings, frame: borrowing InputFrame) throws -> FrameHandling

    /// Changes the frame after `.transform`, or reads the frame after `.read`. `settings` is the same as in `prepare`.
    func transform(_ state: inout State, _ settings: Settings, frame: Frame) throws

    /// Discards data of earlier frames. Called after a flush or at a new segment.
    func discontinuity(_ state: inout State)

    /// Reports results that need all frames. Called before the element forwards the end-of-stream event.
    func endOfStream(_ state: inout State)

    /// Releases the resources of `start`. Called when the element returns to READY.
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
