// SPDX-License-Identifier: LGPL-2.1-or-later

/// The use of a text value. The use decides whether a web page of svwebsink may set the text. The application itself
/// may set any text.
package enum TextUse: Sendable {
    /// A text that does not name a file and has no effect outside the element: a label, a colour, a number.
    case words
    /// Like `words`, but the closure may reject a text. For a rejected text, the closure returns the error message;
    /// otherwise nil.
    case wordsUnless(@Sendable (String) -> String?)
    /// Like `words`, but the closure refuses malformed texts. `files=any` in svwebsink does not switch off this check.
    /// The web page shows the error message that the closure returns, and the property keeps its value.
    case parsed(@Sendable (String) -> String?)
    /// The path of a file of this type. The element only reads the file.
    case file(FileKind)
    /// The path of a folder. The element only reads the folder.
    case folder
    /// Any other text, such as the path of an output file.
    case guarded

    var isGuarded: Bool {
        if case .guarded = self { true } else { false }
    }
}

/// The type of a file. A web page offers only files of the right type for a property.
package enum FileKind: String, Sendable, CaseIterable {
    /// An image for which GStreamer has a decoder.
    case image
    /// A cascade file of OpenCV.
    case cascade
    /// A network in the ONNX format.
    case network
}

/// The meaning of a number or a text, in addition to its type.
package enum ValueUse: Sendable {
    case plain
    /// A colour: alpha, red, green, blue from the highest byte to the lowest.
    case color
    /// A time in nanoseconds.
    case time
    case text(TextUse)
}

/// The declaration of an argument of an action signal.
package struct ActionArgument: Sendable {
    let name: String
    let use: TextUse
    /// True for a text that is only the name of an existing parameter, as in the action `set-parameter` of svfilter.
    /// Clients that can send only numbers and names, such as OSC controllers, may then send this text.
    let selectsParameter: Bool
    /// True for a number that selects data that the action removes, such as the ID of a face whose name is removed.
    /// Clients such as OSC controllers must not run this action.
    let selectsData: Bool

    /// - Parameters:
    ///   - name: words joined by hyphens.
    ///   - use: the use of a text argument.
    ///   - selectsParameter: true for a text that only selects an existing parameter.
    ///   - selectsData: true for a number that selects data that the action removes.
    package init(
        _ name: String, _ use: TextUse = .guarded, selectsParameter: Bool = false, selectsData: Bool = false
    ) {
        (self.name, self.use) = (name, use)
        (self.selectsParameter, self.selectsData) = (selectsParameter, selectsData)
    }
}
