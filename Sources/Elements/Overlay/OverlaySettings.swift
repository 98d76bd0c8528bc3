// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

extension Overlay {
    struct Settings: SnapshotSettings {
        var boxes = true
        var outlines = true
        var landmarks = true
        var labels = true
        var confidence = true
        var ids = true
        var angles = false
        var fps = false
        var counter = false
        var font: String?
        var lineWidth = 0
        var colors: String?
        var hide: String? {
            didSet { if hide != nil { activations &+= 1 } }
        }
        var spare: String?
        var hideStyle = HideStyle.pixelate
        var hidePicture = Assigned<String>()
        var blurFaces = false {
            didSet { if blurFaces { activations &+= 1 } }
        }
        var pixelateFaces = false {
            didSet { if pixelateFaces { activations &+= 1 } }
        }
        /// The number of times that a property was set to a value that hides detections. Not a property.
        private(set) var activations: UInt32 = 0
        var truth = false
        var snapshotLocation: String?

        /// The active style. `pixelate-faces` and `blur-faces` have priority over `hide-style`.
        var style: HideStyle { pixelateFaces ? .pixelate : blurFaces ? .blur : hideStyle }
        var writes: Bool { labels || fps || counter }
    }

    static let properties: [Property<Settings>] = [
        Property("boxes", \.boxes, "Draw a box around each detection"),
        Property("outlines", \.outlines, "Draw the outlines of detections that have an outline"),
        Property("landmarks", \.landmarks, "Draw circles on eyes, noses and mouth corners"),
        Property("labels", \.labels, "Write a label next to each detection"),
        Property("confidence", \.confidence, "Include the confidence in labels"),
        Property("ids", \.ids, "Include the id in labels"),
        Property("angles", \.angles, "Include roll, yaw and pitch of faces in labels, in degrees"),
        Property("fps", \.fps, "Write the frame rate in the upper left corner", nick: "Frame rate"),
        Property(
            "counter", \.counter,
            "Write the number of detections, in total and for each label, in the upper left corner"),
        Property(
            "font-desc", \.font,
            "Font, as a Pango font description such as Sans Bold 12 (none = Sans). The default size depends on the "
                + "frame size", nick: "Font",
            text: .words
        ),
        Property(
            "line-width", \.lineWidth, in: 0...100,
            "Line width, in pixels (0 = 1/240 of the frame's shorter side)", flags: .animated),
        Property(
            "colors", \.colors,
            "Colours by type or label, such as face=yellow,Ada=#ff8000 (#rrggbb, #aarrggbb or a CSS name)", text: .words
        ),
        Property(
            "hide", \.hide,
            "Detections to hide: types, labels or person:NAME, such as face,logo,person:Bob. If no detector has "
                + "searched a frame, svoverlay hides the whole frame", text: .words),
        Property(
            "spare", \.spare,
            "Detections to keep visible: types, labels or person:NAME, such as Ada. A detection becomes visible after "
                + "three frames have confirmed its type or name",
            text: .words),
        Property("hide-style", \.hideStyle, "Appearance of hidden detections"),
        Property(
            "hide-picture", \.hidePicture,
            "Image file that covers hidden detections (used only with hide-style=picture)",
            text: .file(.image)),
        Property(
            "blur-faces", \.blurFaces,
            "Hide all faces, in addition to the detections in hide. All hidden areas are blurred, and hide-style has "
                + "no effect"),
        Property(
            "pixelate-faces", \.pixelateFaces,
            "Hide all faces, in addition to the detections in hide. All hidden areas are pixelated, and hide-style and "
                + "blur-faces have no effect"),
        Property("truth", \.truth, "Draw the ground truth of svtestscene as dashed boxes"),
        .snapshotLocation,
    ]
}
