// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Waiting

/// An element that forwards a video stream of any format unchanged, and also reads the packets of the stream. The
/// element reads the audio stream of its request pad `audio`, too, but does not forward this stream.
///
/// The callbacks run on the streaming thread, or while that thread is not running. Only the callbacks can use `State`.
/// `hear`, `flushAudio` and `audioEnded` run on the thread of the audio stream.
package protocol StreamTap: Element {
    associatedtype State

    /// The caps of the pads `sink` and `src`, in addition to raw video in the formats of `FrameFormat.all`.
    static var encodedCaps: [String] { get }
    /// The caps of the pad `audio`.
    static var audioCaps: [String] { get }

    /// Prepares the stream. Called when the element leaves READY. An error stops the pipeline.
    func start(_ settings: Settings) throws -> State

    /// Gets the next buffer of the video stream, before the element sends the buffer downstream.
    func see(_ state: inout State, _ settings: Settings, _ packet: StreamPacket) throws

    /// Discards data of earlier packets. Called after a flush.
    func flush(_ state: inout State)

    /// Reports results that need the whole stream. Called before the element forwards the end-of-stream event.
    func endOfStream(_ state: inout State)

    /// Releases the resources of `start`. Called when the element returns to READY.
    func stop(_ state: inout State)

    /// Gets the next buffer of the audio stream. May block until `interruption` is set.
    func hear(_ packet: StreamPacket, unless interruption: Interruption)

    /// Discards data of earlier audio. Called after a flush of the audio stream.
    func flushAudio()

    /// Called at the end of the audio stream, and when the pad `audio` is removed.
    func audioEnded()
}
