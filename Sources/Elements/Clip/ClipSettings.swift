// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Selects what follows the end of the file.
enum ClipEnd: Int32, PropertyEnum {
    case eos, hold, loop

    static let typeName = "GstSvClipEnd"
    static let members: [(value: Self, blurb: String)] = [
        (.eos, "End the stream"), (.hold, "Repeat the last frame"), (.loop, "Play the file again, without a gap"),
    ]
}

/// Selects what the clip does while no mixer shows it.
enum ClipOffAir: Int32, PropertyEnum {
    case play, pause, restart

    static let typeName = "GstSvClipOffAir"
    static let members: [(value: Self, blurb: String)] = [
        (.play, "Continue to play"), (.pause, "Pause, and continue when a mixer shows the clip again"),
        (.restart, "Pause, and start from the beginning when a mixer shows the clip again"),
    ]
}

extension Clip {
    struct Settings: ElementSettings {
        var location: String?
        var atEnd = ClipEnd.eos
        var offAir = ClipOffAir.play
        var start = ClockTime.zero
        /// The name of the element that gets the sound; nil if the clip plays without sound.
        var sound: String?
    }

    static let properties: [Property<Settings>] = [
        Property(
            "location", \.location,
            "Path of the video file. If location changes in PLAYING, the current file plays until the first frame of "
                + "the new file is ready"),
        Property("at-end", \.atEnd, "Output after the end of the file"),
        Property("off-air", \.offAir, "Behaviour while svswitch or svmixer does not show the clip"),
        Property(
            "start", \.start,
            "Time after the first frame of the file at which each playback begins, in nanoseconds (2000000000 = 2 s). "
                + "A new value applies the next time svclip opens a file"),
        Property(
            "sound", \.sound,
            "Name of an element appsrc in the same pipeline, into which svclip pushes the sound of the file (if not set: "
                + "no sound)",
            flags: .mutableReady),
    ]

    static let actions: [Action<Clip>] = [
        Action("restart", "Play the file from the beginning") { (clip: Clip) in clip.restart() },
        Action(
            "next",
            "Play another file when the current file has reached its end. A later call replaces the waiting file",
            ActionArgument("location")
        ) { (clip: Clip, location: String) in clip.playNext(location) },
    ]
}
