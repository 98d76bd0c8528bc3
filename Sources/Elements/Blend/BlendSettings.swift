// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension Blend {
    struct Settings: KeyedSettings, FittedSettings, SnapshotSettings {
        var location = Assigned<String>()
        var layer = LayerSettings(fit: .cover)
        var captureEvery = ClockTime.zero
        var snapshotEvery = ClockTime.zero
        var snapshotLocation: String? = "svblend-%05d.png"
        var message = MessagePolicy.onChange
        var keys = true
        var threads: UInt32 = 0

        var postsMessages: Bool { message != .none }

        var key: KeySettings {
            get { layer.key }
            set { layer.key = newValue }
        }

        var alignment: Fit.Alignment {
            get { layer.alignment }
            set { layer.alignment = newValue }
        }
    }

    static let properties: [Property<Settings>] =
        [
            Property(
                "location", \.location,
                "Image file to blend over the video (none = no file, for example while the foreground is a captured "
                    + "frame)",
                text: .file(.image)),
            Property(
                "mask", \.layer.mask,
                "Image file whose luma scales the opacity of the foreground (black = transparent, white = opaque)",
                text: .file(.image)),
            Property("mode", \.layer.mode, "Blend mode of the foreground (f) over the video (b)"),
            Property(
                "opacity", \.layer.opacity, in: 0...1, "Opacity of the blended image (0 = invisible)",
                flags: .animated),
            Property("fit", \.layer.fit, "Scaling of the foreground to its rectangle (xpos, ypos, width, height)"),
            Property(
                "xpos", \.layer.xpos, in: -longestSide...longestSide,
                "Left edge of the foreground's rectangle in the frame, in pixels", nick: "X position",
                flags: .animated),
            Property(
                "ypos", \.layer.ypos, in: -longestSide...longestSide,
                "Top edge of the foreground's rectangle in the frame, in pixels", nick: "Y position", flags: .animated),
            Property(
                "width", \.layer.width, in: 0...longestSide,
                "Width of the foreground's rectangle, in pixels (0 = frame width)", flags: .animated),
            Property(
                "height", \.layer.height, in: 0...longestSide,
                "Height of the foreground's rectangle, in pixels (0 = frame height)", flags: .animated),
            .color("hud-color", \.layer.hudColor, "Colour of the lines that mode=hud draws", nick: "HUD colour"),
            Property(
                "capture-every", \.captureEvery,
                "Interval at which svblend captures a frame as the new foreground, in nanoseconds "
                    + "(0 = off, 5000000000 = 5 s)"),
            Property(
                "snapshot-every", \.snapshotEvery,
                "Interval at which svblend writes a snapshot to the path in snapshot-location, in nanoseconds "
                    + "(0 = off, 5000000000 = 5 s)"),
            .snapshotLocation,
            Property("message", \.message, "When to post element messages about the foreground"),
            Property(
                "keys", \.keys,
                "React to keys in the video window: c = capture, x = clear, b = restore, s = snapshot, m = next mode, "
                    + "M = previous mode, + = more opacity, - = less opacity"),
            .threads(\.threads),
        ] + Property.alignment(of: "foreground") + Property.keying(of: "foreground")

    static let actions: [Action<Blend>] = [
        Action("capture", "Use the next frame as the foreground") { (blend: Blend) in
            blend.requests.request { requests, _ in requests.capture = true }
        },
        Action("capture-to", "Write the next output frame to a PNG file with this path", ActionArgument("path")) {
            (blend: Blend, path: String) in
            blend.host.snapshots.request(SnapshotRequest(.file(path)), blend.host)
        },
        Action("clear", "Remove the foreground and set location to none") { (blend: Blend) in
            blend.requests.request { requests, _ in requests.clear = true }
        },
        Action("restore", "Load the last image file again, and set location to the path of this file") {
            (blend: Blend) in
            blend.requests.request { requests, _ in requests.restore = true }
        },
        .snapshot,
    ]
}
