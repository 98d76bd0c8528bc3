// SPDX-License-Identifier: LGPL-2.1-or-later

/// What a text does, which decides whether it may be set from afar, as by a page of svwebsink. Who sets it in the program
/// itself is not asked.
package enum TextUse: Sendable {
    /// It names no file and runs nothing: a label, a colour, a number in words.
    case words
    /// The same, but for some texts: returns what is wrong with one, or nil.
    case wordsUnless(@Sendable (String) -> String?)
    /// The path of a file of a kind, which is only read.
    case file(FileKind)
    /// The path of a folder that is only read.
    case folder
    /// Anything else, such as a path that is written to.
    case guarded

    var isGuarded: Bool {
        if case .guarded = self { true } else { false }
    }
}

/// What a file is for. A page offers only files of the right kind for a property.
package enum FileKind: String, Sendable, CaseIterable {
    /// An image for which GStreamer has a decoder.
    case image
    /// A cascade of OpenCV's.
    case cascade
    /// A network in the ONNX format.
    case network
}

/// What a number or a text is, beyond its type.
package enum ValueUse: Sendable {
    case plain
    /// Alpha, red, green, blue from the highest byte to the lowest.
    case color
    /// In nanoseconds.
    case time
    case text(TextUse)
}

/// An argument of an action signal, as its author declares it.
package struct ActionArgument: Sendable {
    let name: String
    let use: TextUse

    /// - Parameters:
    ///   - name: in words joined by hyphens.
    ///   - use: for texts.
    package init(_ name: String, _ use: TextUse = .guarded) {
        (self.name, self.use) = (name, use)
    }
}
