// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// An element that shows the frames of a stream at their running times. It is based on GstVideoSink, which handles
/// `sync`, quality of service, latency and preroll.
///
/// The callbacks run on the streaming thread, or while that thread is not running. Only the callbacks can use `State`.
package protocol VideoSink: Element {
    associatedtype State

    /// True if the sink accepts `image/jpeg` as well as raw video in any format. The default is false.
    static var takesJPEG: Bool { get }

    /// Loads the files in the settings. Called when the element leaves READY. An error stops the pipeline.
    func start(_ settings: Settings) throws -> State

    /// Shows a frame. During the call, the base class holds a lock that state changes need. Therefore, long work must
    /// run on another thread, which may keep the frame. A wait must end when the host's `interruption` is set.
    func show(_ state: inout State, _ settings: Settings, frame: SharedFrame) throws

    /// Discards data of earlier frames. Called after a flush or at a new segment.
    func discontinuity(_ state: inout State)

    /// Finishes work that needs all frames. Called before the element reports the end of the stream. The method may
    /// block until the host's `interruption` is set.
    func endOfStream(_ state: inout State)

    /// Releases the resources of `start`. Called when the element returns to READY.
    func stop(_ state: inout State)
}

extension VideoSink {
    package static var takesJPEG: Bool { false }
    package func discontinuity(_ state: inout State) {}
    package func endOfStream(_ state: inout State) {}
    package func stop(_ state: inout State) {}
}

extension VideoSink where State == Void {
    package func start(_ settings: Settings) throws {}
}
