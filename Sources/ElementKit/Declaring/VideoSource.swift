// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// An element at the beginning of a stream, whose frames come in real time (over GstPushSrc). It has one pad, which gives raw
/// video in the formats of `FrameFormat.all`.
///
/// The callbacks below run on the streaming thread, or while it is not running; only they see `State`.
package protocol VideoSource: Element {
    associatedtype State

    /// The longest time from a frame's timestamp to when it leaves the element. Asked in any thread; call
    /// `host.latencyChanged` when it changes.
    var latency: ClockTime { get }

    /// Checks the settings; called when the element leaves READY. An error stops the pipeline. It must not wait.
    func start(_ settings: Settings) throws -> State

    /// Waits for the next frame; called again and again while the pipeline plays. Each wait must end when
    /// `host.interruption` is set, and the call with `interrupted`. An error ends the stream.
    func next(_ state: inout State, _ settings: Settings) throws -> SourceOutput

    /// Releases what the element has; called when it goes back to READY.
    func stop(_ state: inout State)
}

extension VideoSource {
    package func stop(_ state: inout State) {}
}

/// The result of waiting for a frame.
package enum SourceOutput: Sendable {
    /// Its `time` is a running time of the pipeline.
    case frame(StreamFrame)
    case endOfStream
    case interrupted
}
