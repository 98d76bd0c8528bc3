// SPDX-License-Identifier: LGPL-2.1-or-later
import Imaging

/// The description of an element that `gst-inspect-1.0` shows.
package struct ElementMetadata: Sendable {
    /// The name of the factory and of the debug category, for example `svblend`: `sv` and a word, in lower case.
    package let name: String
    package let longName: String
    package let category: Category
    package let description: String
    /// Lists that `gst-inspect-1.0` shows in separate sections: the section name, and lines of text.
    package let lists: [(name: String, text: String)]

    /// The class of the element (`klass` in GStreamer).
    package enum Category: String, Sendable {
        case effect = "Filter/Effect/Video"
        case analyzer = "Filter/Analyzer/Video"
        case mixer = "Filter/Editor/Video/Compositor"
        case sink = "Sink/Video"
        case source = "Source/Video"
    }

    package init(
        name: String, longName: String, category: Category, description: String,
        lists: [(name: String, text: String)] = []
    ) {
        self.name = name
        self.longName = longName
        self.category = category
        self.description = description
        self.lists = lists
    }

    /// The name of the GType, for example `GstSvBlend` for `svblend`.
    var typeName: String {
        let suffix = name.dropFirst(2)
        return "GstSv" + suffix.prefix(1).uppercased() + suffix.dropFirst()
    }

    static let author = "The swiftvision authors"
}

/// The property values of an element or a pad. The initial values are the defaults of the properties.
package protocol ElementSettings: Sendable {
    init()
}

/// An object with properties: an element, or a pad of an element.
package protocol Configurable: AnyObject, Sendable {
    associatedtype Settings: ElementSettings
    static var properties: [Property<Settings>] { get }
}

/// An element: its name, its properties and its actions.
///
/// An element has three kinds of data:
/// - `Settings`: the property values. Any thread may set these values at any time. The element's `host` protects the
///   values with a lock, and each frame gets one snapshot of the values.
/// - `State`: the data of the streaming thread. ElementKit keeps the state from start to stop, and passes it only to
///   the callbacks of the streaming thread.
/// - Shared data, such as requests of action signals and results of background work: `Mutex` constants of the element.
///   Therefore an element is `Sendable`.
package protocol Element: Configurable {
    static var metadata: ElementMetadata { get }
    /// The action signals of the element.
    static var actions: [Action<Self>] { get }

    init(host: Host<Settings>)

    /// Handles a key press in the video window. Called on the window's thread.
    /// - Parameter key: the key's name from the sink: `c`, `space`, `Left`, `plus`.
    func keyPressed(_ key: String)

    /// Handles a pointer event in the video window. Called on the window's thread.
    /// - Returns: true if the element has used the event. The event then does not travel further upstream.
    func pointed(_ event: PointerEvent) -> Bool

    /// Converts a position in the output to a position in the input, for elements upstream. Returns nil if the input
    /// has no such position. Called on the window's thread.
    func source(of point: Point) -> Point?
}

extension Element {
    package static var actions: [Action<Self>] { [] }
    package func keyPressed(_ key: String) {}
    package func pointed(_ event: PointerEvent) -> Bool { false }
    package func source(of point: Point) -> Point? { point }
}
