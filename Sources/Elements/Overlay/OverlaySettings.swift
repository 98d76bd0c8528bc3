// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension Overlay {
    struct Settings: ElementSettings {
        var boxes = true
        var outlines = true
        var landmarks = true
        var labels = true
        var confidence = true
        var ids = true
        var fps = false
        var counter = false
        var font: String?
        var lineWidth = 0
        var colors: String?
        var hide: String?
        var spare: String?
        var hideStyle = HideStyle.pixelate
        var hidePicture = Assigned<String>()
        var blurFaces = false
        var pixelateFaces = false
        var truth = false

        /// The style in use: those of the short forms go before `hide-style`.
        var style: HideStyle { pixelateFaces ? .pixelate : blurFaces ? .blur : hideStyle }
        var writes: Bool { labels || fps || counter }
    }

    static let properties: [Property<Settings>] = [
        Property("boxes", \.boxes, "Draw a box around each detection"),
        Property("outlines", \.outlines, "Draw the outline of what is within a box, where it is known"),
        Property("landmarks", \.landmarks, "Draw eyes, nose and the mouth's corners"),
        Property("labels", \.labels, "Write what each detection is"),
        Property("confidence", \.confidence, "Labels tell how sure the detector is"),
        Property("ids", \.ids, "Labels tell the detection's number"),
        Property("fps", \.fps, "Write how many frames a second arrive", nick: "Frame rate"),
        Property("counter", \.counter, "Write how many detections there are, and of each name"),
        Property(
            "font-desc", \.font,
            "Pango font description; without a size letters grow with the frame; none: Sans", nick: "Font", text: .words
        ),
        Property(
            "line-width", \.lineWidth, in: 0...100,
            "Width of lines in pixels; 0: what suits the frame", flags: .animated),
        Property(
            "colors", \.colors,
            "Colours by type or label, as face=yellow,Ada=#ff8000 (#rrggbb, #aarrggbb or a CSS name)", text: .words),
        Property(
            "hide", \.hide,
            "What to hide: types of regions, labels or person:NAME, as face,logo,person:Bob; the whole frame where nobody "
                + "has looked for it", text: .words),
        Property(
            "spare", \.spare,
            "What not to hide once it was confirmed in three frames, in the same words, as Ann", text: .words),
        Property("hide-style", \.hideStyle, "What hidden things look like"),
        Property(
            "hide-picture", \.hidePicture, "Picture file for hide-style=picture, which fills what is hidden",
            text: .file(.image)),
        Property("blur-faces", \.blurFaces, "Short for hide=face hide-style=blur; goes before hide-style"),
        Property(
            "pixelate-faces", \.pixelateFaces, "Short for hide=face hide-style=pixelate; goes before blur-faces"),
        Property("truth", \.truth, "Draw what svtestscene says is there, too, in dashes"),
    ]
}
