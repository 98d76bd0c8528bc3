// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer

/// An element at the end of a stream, which shows frames when their time has come (over GstVideoSink: `sync`, quality of
/// service, latency, and the first frame while paused are as with every other sink).
///
/// The callbacks below run on the streaming thread, or while it is not running; only they see `State`.
package protocol VideoSink: Element {
    associatedtype State

    /// True for a sink that takes `image/jpeg` as well as raw video, which it gets in any format. No, unless it says
    /// otherwise.
    static var takesJPEG: Bool { get }

    /// Loads what the settings name; called when the element leaves READY. An error stops the pipeline.
    func start(_ settings: Settings) throws -> State

    /// Shows a frame. The base class keeps a lock meanwhile, which pauses and stops need: what takes long is for another
    /// thread, which may keep the frame, and a wait ends with the host's `interruption`.
    func show(_ state: inout State, _ settings: Settings, frame: SharedFrame) throws

    /// Discards what was kept of earlier frames; called after a flush or at a new segment.
    func discontinuity(_ state: inout State)

    /// Finishes what is made of all frames; called before the end of the stream is reported, and may wait, unless the host's
    /// `interruption` is set.
    func endOfStream(_ state: inout State)

    /// Releases what `start` loaded; called when the element goes back to READY.
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
