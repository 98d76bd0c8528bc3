// SPDX-License-Identifier: LGPL-2.1-or-later
import CGStreamer
import Waiting

/// An element that passes a video stream of any format on unchanged, and also gets the packets of the stream. A second
/// input, the request pad `audio`, ends in the element.
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

    /// Gets the next buffer of the video stream before the buffer passes on.
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
