// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// An element that produces frames (based on GstPushSrc). It has one pad with raw video in the formats of
/// `FrameFormat.all`.
///
/// The callbacks run on the streaming thread, or while that thread is not running. Only the callbacks can use `State`.
package protocol VideoSource: Element {
    associatedtype State

    /// True if the source produces frames in real time. If false, the source produces frames as fast as the next
    /// elements accept them.
    static var isLive: Bool { get }

    /// The maximum time from a frame's timestamp until the frame leaves the element. Any thread may read this property.
    /// After a change, the element must call `host.latencyChanged`.
    var latency: ClockTime { get }

    /// Checks the settings. Called when the element leaves READY. An error stops the pipeline. The method must not
    /// block.
    func start(_ settings: Settings) throws -> State

    /// Waits for the next frame. Called repeatedly while the pipeline plays. When `host.interruption` is set, the wait
    /// must end and the method must return `interrupted`. An error ends the stream.
    func next(_ state: inout State, _ settings: Settings) throws -> SourceOutput

    /// Releases the element's resources. Called when the element returns to READY.
    func stop(_ state: inout State)

    /// Called when a mixer begins or stops to show this source, and once after the stream has started. Any thread may
    /// call this function.
    func shown(_ visibility: InputVisibility)
}

extension VideoSource {
    package static var isLive: Bool { true }
    package var latency: ClockTime { .zero }
    package func shown(_ visibility: InputVisibility) {}
    package func stop(_ state: inout State) {}
}

/// The result of waiting for a frame.
package enum SourceOutput: Sendable {
    /// A frame. Its `time` is a running time of the pipeline.
    case frame(StreamFrame)
    case endOfStream
    case interrupted
}
