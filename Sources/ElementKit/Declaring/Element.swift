// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The description of an element that `gst-inspect-1.0` shows.
package struct ElementMetadata: Sendable {
    /// The factory's name, and the name of its debug category: lower case, run together, `sv` first.
    package let name: String
    package let longName: String
    package let category: Category
    package let description: String
    /// A further list that `gst-inspect-1.0` shows under a name of its own: lines of text.
    package let list: (name: String, text: String)?

    /// GStreamer's class strings.
    package enum Category: String, Sendable {
        case effect = "Filter/Effect/Video"
        case analyzer = "Filter/Analyzer/Video"
        case mixer = "Filter/Editor/Video/Compositor"
        case sink = "Sink/Video"
        case source = "Source/Video"
    }

    package init(
        name: String, longName: String, category: Category, description: String,
        list: (name: String, text: String)? = nil
    ) {
        self.name = name
        self.longName = longName
        self.category = category
        self.description = description
        self.list = list
    }

    /// The GType's name: `GstSvBlend` for `svblend`.
    var typeName: String {
        let rest = name.dropFirst(2)
        return "GstSv" + rest.prefix(1).uppercased() + rest.dropFirst()
    }

    static let author = "The swiftvision authors"
}

/// The values of an element's (or a pad's) properties. The initial values are the properties' defaults.
package protocol ElementSettings: Sendable {
    init()
}

/// An object with properties: an element or a pad of one.
package protocol Configurable: AnyObject, Sendable {
    associatedtype Settings: ElementSettings
    static var properties: [Property<Settings>] { get }
}

/// An element: its name, its properties and its actions.
///
/// An element keeps three kinds of data, each with one owner:
/// - `Settings`: what the user wants. Behind a lock in the element's `host`; set from any thread at any time. Each
///   frame gets one snapshot.
/// - `State`: what belongs to the streaming thread. ElementKit keeps it from start to stop and hands it to the callbacks
///   of the streaming thread; nothing else can reach it.
/// - Other data that threads share (requests of action signals, results of background work): the element's own `Mutex`
///   constants, which is why an element is `Sendable`.
package protocol Element: Configurable {
    static var metadata: ElementMetadata { get }
    /// Signals that applications emit to make the element do something.
    static var actions: [Action<Self>] { get }

    init(host: Host<Settings>)

    /// Handles a key that was pressed in the video window. Called on the thread of the window.
    /// - Parameter key: the name that the sink gives it: `c`, `space`, `Left`, `plus`.
    func keyPressed(_ key: String)

    /// Handles the mouse in the video window. Called on the thread of the window.
    /// - Returns: true if it was meant for this element; it then goes no further upstream.
    func pointed(_ event: PointerEvent) -> Bool

    /// Returns where the pixel that is seen at a place of the output comes from in the input, for elements upstream; nil if
    /// from nowhere. Called on the thread of the window.
    func source(of place: Point) -> Point?
}

extension Element {
    package static var actions: [Action<Self>] { [] }
    package func keyPressed(_ key: String) {}
    package func pointed(_ event: PointerEvent) -> Bool { false }
    package func source(of place: Point) -> Point? { place }
}
