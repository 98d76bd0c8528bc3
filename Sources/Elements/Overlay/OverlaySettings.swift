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
        Property("outlines", \.outlines, "Draw the outline of each detection that has an outline"),
        Property("landmarks", \.landmarks, "Draw eyes, nose and corners of the mouth"),
        Property("labels", \.labels, "Write the label of each detection"),
        Property("confidence", \.confidence, "Include the confidence in labels"),
        Property("ids", \.ids, "Include the id in labels"),
        Property("fps", \.fps, "Show the frame rate", nick: "Frame rate"),
        Property("counter", \.counter, "Show the number of detections, in total and per label"),
        Property(
            "font-desc", \.font,
            "Pango font description; without a size, text scales with the frame (if not set: Sans)", nick: "Font",
            text: .words
        ),
        Property(
            "line-width", \.lineWidth, in: 0...100,
            "Line width, in pixels (0 = by frame size)", flags: .animated),
        Property(
            "colors", \.colors,
            "Colours by type or label, such as face=yellow,Ada=#ff8000 (#rrggbb, #aarrggbb or a CSS name)", text: .words
        ),
        Property(
            "hide", \.hide,
            "Detections to hide, by type, label or person:NAME, such as face,logo,person:Bob; a frame that no "
                + "detector has searched is hidden completely", text: .words),
        Property(
            "spare", \.spare,
            "Detections not to hide, by type, label or person:NAME, such as Ann; a detection is shown after three "
                + "frames confirm its name",
            text: .words),
        Property("hide-style", \.hideStyle, "Appearance of hidden detections"),
        Property(
            "hide-picture", \.hidePicture, "Image file that covers hidden detections, with hide-style=picture",
            text: .file(.image)),
        Property("blur-faces", \.blurFaces, "Shortcut for hide=face hide-style=blur; overrides hide-style"),
        Property(
            "pixelate-faces", \.pixelateFaces, "Shortcut for hide=face hide-style=pixelate; overrides blur-faces"),
        Property("truth", \.truth, "Also draw the ground truth of svtestscene, with dashed lines"),
    ]
}
