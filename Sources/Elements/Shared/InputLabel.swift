// SPDX-License-Identifier: LGPL-2.1-or-later
import ElementKit
import Files

/// Settings of an input that has a label for users.
protocol LabelledSettings: ElementSettings {
    var label: String? { get set }
}

/// Maximum length of a label, in bytes.
private let longestLabel = 100

extension LabelledSettings {
    /// The label on one line: without control characters, and cut to the maximum length; nil if nothing remains.
    var cleanLabel: String? {
        guard let label else { return nil }
        let scalars = label.unicodeScalars.filter { scalar in
            ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        let text = String(String.UnicodeScalarView(scalars)).cut(toBytes: longestLabel)
        return text.isEmpty ? nil : text
    }
}

extension Property where Settings: LabelledSettings {
    static var label: Property {
        Property(
            "label", \.label, "Name of the input for users, such as Stage left",
            text: .wordsUnless {
                $0.utf8.count > longestLabel ? "the label is longer than \(longestLabel) bytes" : nil
            })
    }
}
