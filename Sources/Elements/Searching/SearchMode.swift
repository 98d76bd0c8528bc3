import ElementKit

/// Whether the stream waits for what takes long.
enum SearchMode: Int32, PropertyEnum {
    case sync, async, auto
    static let typeName = "GstSvSearchMode"
    var nick: String { "\(self)" }

    var blurb: String {
        switch self {
        case .sync: "Each frame leaves with the result for that very frame"
        case .async: "The work is done beside the stream, which never waits; results come some frames late"
        case .auto: "async for live sources, else sync"
        }
    }
}

/// Knows whether frames wait, by asking the source once.
struct SearchPatience {
    /// Nil until the source was asked.
    private var isLive: Bool?

    /// For new caps: the source may be another one.
    mutating func reset() { isLive = nil }

    mutating func waits<Settings>(_ mode: SearchMode, _ host: Host<Settings>) -> Bool {
        switch mode {
        case .sync: return true
        case .async: return false
        case .auto:
            if isLive == nil {
                isLive = host.isSourceLive
                host.log(.debug, "the source is \(isLive == true ? "live" : "not live")")
            }
            return isLive != true
        }
    }
}
