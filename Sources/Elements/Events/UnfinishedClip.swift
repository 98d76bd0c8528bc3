// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension ClipDesk {
    /// A clip whose file is not complete yet.
    final class Clip {
        let number: Int
        let writer: ClipWriter
        let match: TriggerRule.Match
        /// `end`: the running time of the planned end, which further events can delay. `latestEnd`: the maximum of
        /// `end`.
        var end: Int64
        let latestEnd: Int64
        var events = 1
        /// The greatest presentation time of the frames in the file.
        private var latest = Int64.min
        var hasSound: Bool
        /// The time of the newest audio in the file.
        var soundTime = Int64.min
        /// The end of the audio: the planned end, or the greatest presentation time in the file if this time is later,
        /// which is possible with B-frames.
        var soundEnd: Int64 { max(end, latest) }
        /// The last event whose post-roll ends after `latestEnd`. Another clip then follows this clip.
        var rest: ClipEvent?
        /// The event whose frame becomes the snapshot, until the frame has arrived.
        var snapshot: ClipEvent?
        /// True if the file is complete, and only the snapshot may be missing.
        var isWritten = false

        init(_ number: Int, _ writer: ClipWriter, _ event: ClipEvent, end: Int64, latestEnd: Int64) {
            (self.number, self.writer, match) = (number, writer, event.match)
            (self.end, self.latestEnd, hasSound) = (min(end, latestEnd), latestEnd, writer.hasSound)
        }

        func add(_ packet: StreamPacket) {
            latest = max(latest, packet.presentation ?? .min)
            writer.add(packet)
        }

        /// Returns true if the packet belongs to the clip. `time` is its decoding time. A B-frame arrives after a frame
        /// that is displayed later, so the last B-frames can arrive after the end.
        func contains(_ packet: StreamPacket, at time: Int64) -> Bool {
            time <= end || time <= end + ClipDesk.disorder && packet.presentation.map { $0 < latest } ?? false
        }

        func endSound() {
            if hasSound { writer.endSound() }
            hasSound = false
        }
    }
}
