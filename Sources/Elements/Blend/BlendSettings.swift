import ElementKit
import Pixels
import KernelTypes

extension Blend {
    struct Settings: ElementSettings {
        var location = FilePath()
        var mask = FilePath()
        var mode = BlendMode.normal
        var opacity = 1.0
        var fit = Fit.cover
        var xpos: Int32 = 0
        var ypos: Int32 = 0
        var width: Int32 = 0
        var height: Int32 = 0
        var hudColor: UInt32 = 0xFF80_FF00
        var captureEvery: UInt64 = 0
        var snapshotEvery: UInt64 = 0
        var snapshotLocation: String? = "svblend-%05d.png"
        var message = MessagePolicy.onChange
        var keys = true
    }

    static let properties: [Property<Settings>] = [
        .file(
            "location", \.location, nick: "Location",
            blurb: "Picture file that is blended over the stream; none: no picture"),
        .file(
            "mask", \.mask, nick: "Mask",
            blurb: "Picture file whose luma weighs the foreground: black keeps the stream, white blends in full"),
        .enumeration("mode", \.mode, nick: "Mode", blurb: "How foreground (f) and stream (b) are blended"),
        .double("opacity", \.opacity, in: 0...1, nick: "Opacity", blurb: "Share of the blended result in the output"),
        .enumeration("fit", \.fit, nick: "Fit", blurb: "How the foreground fills its rectangle"),
        .int(
            "xpos", \.xpos, in: -longestSide...longestSide, nick: "X position",
            blurb: "Left edge of the foreground's rectangle in the frame, in pixels"),
        .int(
            "ypos", \.ypos, in: -longestSide...longestSide, nick: "Y position",
            blurb: "Top edge of the foreground's rectangle in the frame, in pixels"),
        .int(
            "width", \.width, in: 0...longestSide, nick: "Width",
            blurb: "Width of the foreground's rectangle in pixels; 0: the frame's width"),
        .int(
            "height", \.height, in: 0...longestSide, nick: "Height",
            blurb: "Height of the foreground's rectangle in pixels; 0: the frame's height"),
        .color("hud-color", \.hudColor, nick: "HUD colour", blurb: "Colour of the lines in mode hud"),
        .uint64(
            "capture-every", \.captureEvery, in: 0...UInt64.max, nick: "Capture every",
            blurb: "Stream time in nanoseconds after which a frame becomes the foreground, again and again; 0: never"),
        .uint64(
            "snapshot-every", \.snapshotEvery, in: 0...UInt64.max, nick: "Snapshot every",
            blurb: "Stream time in nanoseconds after which a composed frame is written to snapshot-location; 0: never"),
        .string(
            "snapshot-location", \.snapshotLocation, nick: "Snapshot location",
            blurb: "PNG file for snapshot-every and the key s; %d or %05d: the first free number; none: no file"),
        .enumeration(
            "message", \.message, nick: "Message", blurb: "When to post element messages about the foreground"),
        .boolean("keys", \.keys, nick: "Keys", blurb: "Listen to keys in the video window (c x s m M + -)"),
    ]

    static let actions: [Action<Blend>] = [
        Action("capture", "The next frame becomes the foreground") { (blend: Blend) in
            blend.request { $0.capture = true }
        },
        Action("capture-to", "The next composed frame is written to this path as PNG") { (blend: Blend, path: String) in
            blend.request { $0.snapshots.append(.file(path)) }
        },
        Action("clear", "The foreground is dropped; location becomes none") { (blend: Blend) in
            blend.request { $0.clear = true }
        },
    ]
}
