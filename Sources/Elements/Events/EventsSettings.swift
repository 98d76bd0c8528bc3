// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension Events {
    struct Settings: ElementSettings {
        var location: String?
        var trigger: String?
        var preRoll = 5 * ClockTime.second
        var postRoll = 5 * ClockTime.second
        var maxDuration = 300 * ClockTime.second
        var snapshot = true
        var bitrate = 4_000_000
        var maxMemory: UInt64 = 64_000_000
        var maxDiskSpace: UInt64 = 0
        var maxAge = ClockTime.zero
        var timeLapse = ClockTime.zero
        var timeLapseLocation: String?
        var messageLocation = Assigned<String>()

        /// Returns the settings of the recorder; nil if `location` is not set.
        func plan() throws(ElementError) -> ClipPlan? {
            guard let location else { return nil }
            return ClipPlan(
                name: try ClipName(location, of: "location"), preRoll: Int64(clamping: preRoll.nanoseconds),
                postRoll: Int64(clamping: postRoll.nanoseconds), maxDuration: Int64(clamping: maxDuration.nanoseconds),
                maxMemory: Int(clamping: maxMemory), takesSnapshots: snapshot)
        }

        /// Parses the trigger; nil if `trigger` is not set.
        func rule() throws(ElementError) -> TriggerRule? {
            guard let trigger else { return nil }
            do throws(TriggerRule.ParsingError) { return try TriggerRule(trigger) } catch { throw ElementError(error) }
        }
    }

    /// The maximum value of `pre-roll`, `post-roll` and `max-duration`: one day.
    private static let day = 86_400 * ClockTime.second

    static let properties: [Property<Settings>] = [
        Property(
            "location", \.location,
            "Pattern for the paths of clips, such as clips/%Y%m%d-%H%M%S-{label}.mkv. The ending .mkv, .mp4 or .webm "
                + "sets the format (none = write no clips)", flags: .mutableReady),
        Property(
            "trigger", \.trigger,
            "Messages of other elements that start or extend a clip, such as event=enter zone=door | label=face",
            text: .wordsUnless { text in
                do throws(TriggerRule.ParsingError) {
                    _ = try TriggerRule(text)
                    return nil
                } catch { return ElementError(error).message }
            }),
        Property(
            "pre-roll", \.preRoll, in: .zero...day,
            "Duration of a clip before its first event, in nanoseconds (5000000000 = 5 s)", flags: .mutableReady),
        Property(
            "post-roll", \.postRoll, in: .zero...day,
            "Duration of a clip after its last event, in nanoseconds (5000000000 = 5 s)", flags: .mutableReady),
        Property(
            "max-duration", \.maxDuration, in: ClockTime.second...day,
            "Maximum duration of a clip, in nanoseconds (300000000000 = 5 min). A longer recording continues in "
                + "another clip",
            flags: .mutableReady),
        Property(
            "snapshot", \.snapshot, "Save the frame of the first event as a JPEG file next to the clip",
            flags: .mutableReady),
        Property(
            "bitrate", \.bitrate, in: 1000...1_000_000_000,
            "Bit rate of the encoder for raw video, in bits per second", flags: .mutableReady),
        Property(
            "max-memory", \.maxMemory, in: 1_000_000...1_000_000_000_000,
            "Maximum size of the encoded video that svevents keeps in memory for the pre-roll, in "
                + "bytes", flags: .mutableReady),
        Property(
            "max-disk-space", \.maxDiskSpace, in: 0...UInt64.max,
            "Maximum size of all clips, in bytes (0 = unlimited). Above this size, svevents deletes its "
                + "oldest clips",
            flags: .mutableReady),
        Property(
            "max-age", \.maxAge, in: .zero ... .max,
            "Maximum age of clips, in nanoseconds (0 = unlimited, 86400000000000 = 1 day). svevents deletes its own "
                + "older clips, but no other files",
            flags: .mutableReady),
        Property(
            "time-lapse", \.timeLapse, in: .zero ... .max,
            "Interval between the frames of the time lapse, in nanoseconds (0 = off, 10000000000 = 10 s)",
            flags: .mutableReady),
        Property(
            "time-lapse-location", \.timeLapseLocation,
            "Pattern for the path of the time lapse, such as lapse-%Y%m%d-%H%M%S.mp4", flags: .mutableReady),
        Property(
            "message-location", \.messageLocation,
            "File for a copy of the messages, as JSON lines (- = standard output, none = off)"),
    ]
}
