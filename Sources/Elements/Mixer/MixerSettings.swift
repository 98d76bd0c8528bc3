import ElementKit

extension Mixer {
    struct Settings: ElementSettings {
        var backgroundColor: UInt32 = 0xFF00_0000
    }

    static let properties: [Property<Settings>] = [
        .color("background-color", \.backgroundColor, "What is seen, and blended with, where no input lies below")
    ]
}
