import ElementKit
import Imaging

extension Mixer {
    struct Settings: ElementSettings {
        var backgroundColor = Color.black
    }

    static let properties: [Property<Settings>] = [
        .color("background-color", \.backgroundColor, "What is seen, and blended with, where no input lies below")
    ]
}
