import ElementKit

extension Overlay {
    struct Settings: ElementSettings {
        var boxes = true
        var landmarks = true
        var labels = true
        var confidence = true
        var ids = true
        var fps = false
        var font: String?
        var lineWidth: UInt32 = 0
        var colors: String?
        var blurFaces = false
        var pixelateFaces = false
        var truth = false

        var hidesFaces: Bool { blurFaces || pixelateFaces }
        var writes: Bool { labels || fps }
    }

    static let properties: [Property<Settings>] = [
        .boolean("boxes", \.boxes, nick: "Boxes", blurb: "Draw a box around each detection"),
        .boolean("landmarks", \.landmarks, nick: "Landmarks", blurb: "Draw eyes, nose and the mouth's corners"),
        .boolean("labels", \.labels, nick: "Labels", blurb: "Write what each detection is"),
        .boolean("confidence", \.confidence, nick: "Confidence", blurb: "Labels tell how sure the detector is"),
        .boolean("ids", \.ids, nick: "Ids", blurb: "Labels tell the detection's number"),
        .boolean("fps", \.fps, nick: "Frame rate", blurb: "Write how many frames a second arrive"),
        .string(
            "font-desc", \.font, nick: "Font",
            blurb: "Pango font description; without a size letters grow with the frame; none: Sans"),
        .uint(
            "line-width", \.lineWidth, in: 0...100, nick: "Line width",
            blurb: "Width of lines in pixels; 0: what suits the frame"),
        .string(
            "colors", \.colors, nick: "Colours",
            blurb: "Colours by type or label, as face=yellow,Ada=#ff8000 (#rrggbb, #aarrggbb or a CSS name)"),
        .boolean(
            "blur-faces", \.blurFaces, nick: "Blur faces",
            blurb: "Blur each face, and the whole frame where none was looked for"),
        .boolean(
            "pixelate-faces", \.pixelateFaces, nick: "Pixelate faces",
            blurb: "Pixelate each face, and the whole frame where none was looked for; goes before blur-faces"),
        .boolean("truth", \.truth, nick: "Truth", blurb: "Draw what svtestscene says is there, too, in dashes"),
    ]
}
