// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit

/// Selects whether the stream waits for the results of slow work, such as the detection of objects.
enum SearchMode: Int32, PropertyEnum {
    case sync, async, auto
    static let typeName = "GstSvSearchMode"

    static let members: [(value: Self, blurb: String)] = [
        (.sync, "The stream waits for the result of each frame"),
        (.async, "The stream never waits. Results arrive some frames late"),
        (.auto, "async if the source is live, otherwise sync"),
    ]
}

/// Checks once whether the source of a stream is live, and caches the answer.
struct LivenessProbe {
    private var isLive: Bool?

    /// Returns true if the streaming thread waits for the search of each frame.
    mutating func waits<Settings>(_ mode: SearchMode, _ host: Host<Settings>) -> Bool {
        switch mode {
        case .sync: return true
        case .async: return false
        case .auto:
            if let isLive { return !isLive }
            let isLive = host.isSourceLive
            self.isLive = isLive
            host.log(.debug, "the source is \(isLive ? "live" : "not live")")
            return !isLive
        }
    }
}
